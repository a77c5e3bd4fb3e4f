import type { StatusReport } from '../domain/query.ts';
import { type Command, JSON_OPTION } from './command.ts';
import { formatBytes } from './format.ts';

export const command: Command = {
  name: 'status',
  about: 'Tell what is kept and whether anything waits.',
  options: { json: JSON_OPTION },
  examples: [
    ['fuel-code status', 'How much is kept, and where.'],
    ['fuel-code status --json', 'The same for a program.'],
  ],
  run: async ({ openApp, terminal }, args) => {
    await using app = await openApp();
    const status = await app.reads.status();
    terminal.out(args.flags.has('json') ? `${JSON.stringify(status, null, 2)}\n` : render(status));
  },
};

function render(status: StatusReport): string {
  const claude = status.claude_home_exists ? status.claude_home : `${status.claude_home} (not there)`;
  const waiting = status.import.sessions_to_index;
  return `Sessions    ${status.sessions}, ${status.messages} messages
Archive     ${status.files} files, ${formatBytes(status.archived_bytes)} kept in ${formatBytes(status.stored_bytes)}
Full text   ${waiting === 0 ? 'complete' : `${waiting} sessions wait to be indexed`}
Claude      ${claude}
Data        ${status.data_home} (${status.mode === 'embedded' ? 'SQLite' : 'PostgreSQL'})
Version     ${status.version}
`;
}
