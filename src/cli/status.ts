import type { StatusReport } from '../domain/query.ts';
import { type RetentionReport, reportRetention } from '../retention-report.ts';
import type { ShippingReport } from '../ship-archive.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments, REMOTE_OPTIONS } from './command.ts';
import { formatBytes } from './format.ts';
import { type Fact, factLines } from './session-detail.ts';
import { isRemote, openSource } from './source.ts';
import type { Terminal } from './terminal.ts';

export const command: Command = {
  name: 'status',
  about: 'Tell what is kept and whether anything waits.',
  options: { json: JSON_OPTION, ...REMOTE_OPTIONS },
  examples: [
    ['fuel-code status', 'How much is kept, and where.'],
    ['fuel-code status --json', 'The same for a program.'],
  ],
  run: async (context, args) => {
    const status = isRemote(args) ? await askServer(context, args) : await lookHere(context);
    const { terminal } = context;
    terminal.out(args.flags.has('json') ? `${JSON.stringify(status, null, 2)}\n` : render(terminal, status));
  },
};

interface Status extends StatusReport {
  /** What the Claude home of this machine has and lacks; nobody elsewhere knows. */
  readonly retention?: RetentionReport;
  readonly shipping?: ShippingReport | null;
}

async function askServer(context: CommandContext, args: ParsedArguments): Promise<Status> {
  await using source = await openSource(context, args);
  return await source.reads.status();
}

async function lookHere({ openApp, clock }: CommandContext): Promise<Status> {
  await using app = await openApp();
  const retention = await reportRetention(app, clock.now());
  return { ...(await app.reads.status()), retention, shipping: await app.reportShipping() };
}

function render(terminal: Terminal, status: Status): string {
  const waiting = status.import.sessions_to_index;
  const facts: readonly Fact[] = [
    ['Sessions', `${status.sessions}, ${status.messages} messages`],
    [
      'Archive',
      `${status.files} files, ${formatBytes(status.archived_bytes)} kept in ${formatBytes(status.stored_bytes)}`,
    ],
    ['Full text', waiting === 0 ? 'complete' : `${waiting} sessions wait to be indexed`],
    ...(status.retention === undefined ? [] : retentionFacts(status.retention)),
    ['Claude', status.claude_home_exists ? status.claude_home : `${status.claude_home} (not there)`],
    ['Data', `${status.data_home} (${status.mode === 'embedded' ? 'SQLite' : 'PostgreSQL'})`],
    ['Version', status.version],
    ...(status.shipping ? shippingFacts(status.shipping) : []),
  ];
  return `${factLines(terminal, facts).join('\n')}\n`;
}

function retentionFacts({ waiting, expiring, only_here, lost }: RetentionReport): readonly Fact[] {
  const uncaptured = expiring.filter(({ isCaptured }) => !isCaptured).length;
  const soon = uncaptured > 0 ? `, ${uncaptured} of them will be deleted within a week` : '';
  return [
    ['Waiting', `${waiting} files are not archived yet${soon}`],
    ['Rescued', `${only_here} sessions exist only here${lost > 0 ? `, ${lost} were lost before` : ''}`],
  ];
}

function shippingFacts({ server, waiting, refused, paused, is_locked }: ShippingReport): readonly Fact[] {
  const left = waiting === 0 ? 'has everything' : `${waiting} files wait`;
  const aside = refused > 0 ? `, ${refused} refused (see \`fuel-code queue dead-letter\`)` : '';
  const help = is_locked ? ' Set serverToken to the token of the server; it goes on at once.' : '';
  return [
    ['Server', `${server}: ${left}${aside}`],
    ['', paused === null ? help : `Paused: ${paused}${help}`],
  ];
}
