import { resolve } from 'node:path';
import { encodeProjectPath } from '../capture/project-folder.ts';
import { FuelError } from '../domain/errors.ts';
import { restoreSession } from '../ingest/restore.ts';
import { visibleLine } from '../lib/visible.ts';
import { findSession } from '../store/queries/session-rows.ts';
import { type Command, JSON_OPTION } from './command.ts';
import { countOf, formatBytes } from './format.ts';
import { printJson } from './json.ts';
import { inColumns } from './say.ts';

export const command: Command = {
  name: 'restore',
  about: 'Write the files of a session back, byte for byte, so that `claude --resume` finds it again.',
  operands: '<id or its beginning>',
  minOperands: 1,
  maxOperands: 1,
  options: {
    to: {
      type: 'string',
      value: 'DIR',
      about: 'The Claude home to write into (default: the one the sessions come from).',
    },
    project: { type: 'string', value: 'DIR', about: 'The working directory the session shall belong to from now on.' },
    force: { type: 'boolean', about: 'Replace files that differ from the archived ones.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code restore 3f2a91c0', 'Put a session back that Claude Code has deleted.'],
    ['fuel-code restore 3f2a91c0 --to /tmp/look', 'Put its files somewhere else.'],
    ['fuel-code restore 3f2a91c0 --project ~/new/place', 'Go on with it in another folder.'],
  ],
  run: async ({ openApp, terminal, clock }, args) => {
    await using app = await openApp();
    const { engine } = app.store;
    const { id } = await findSession(engine.kysely, args.positionals[0] ?? '');
    const project = args.values.get('project');
    const files = await restoreSession({
      engine,
      blobs: app.blobs,
      sessionId: id,
      to: resolve(args.values.get('to') ?? app.config.claudeHome),
      projectFolder: project === undefined ? null : encodeProjectPath(resolve(project)),
      replaces: args.flags.has('force'),
      now: clock.now(),
    });
    if (args.flags.has('json')) printJson(terminal, { session_id: id, files });
    else
      for (const { path, outcome, sizeBytes } of files)
        terminal.out(inColumns(terminal, `${outcome}: ${visibleLine(path)} (${formatBytes(sizeBytes)})\n`));
    const kept = files.filter(({ outcome }) => outcome.startsWith('kept')).length;
    if (kept > 0) {
      throw new FuelError(
        'ambiguous',
        `${countOf(kept, 'file differs', 'files differ')} from what is archived, and nothing was replaced.`,
        {
          hint: 'Give --force to replace them, or --to another folder.',
        },
      );
    }
  },
};
