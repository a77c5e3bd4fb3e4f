import { FuelError } from '../domain/errors.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { Command } from './command.ts';

type Entry = readonly [about: string, load: () => Promise<Command>];

/** Every command by group, in the order of the help. Its code is loaded only when it is called. */
export const COMMAND_GROUPS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  Sessions: {
    start: [
      'Import new sessions and open the web interface (default).',
      async () => (await import('./start.ts')).startCommand,
    ],
    sessions: ['List sessions.', async () => (await import('./sessions.ts')).command],
    session: ['Show one session.', async () => (await import('./session.ts')).command],
    pick: [
      'Find a session as you type, and read, open or resume it.',
      async () => (await import('./pick/pick.ts')).command,
    ],
    tail: ['Follow sessions while they run.', async () => (await import('./tail.ts')).command],
    watch: ['Print session changes as they happen.', async () => (await import('./watch.ts')).command],
    open: ['Open a session in the browser.', async () => (await import('./start.ts')).openCommand],
    tag: ['Show or change the tags of a session.', async () => (await import('./annotations.ts')).tagCommand],
    note: ['Add, edit or remove notes on a session.', async () => (await import('./annotations.ts')).noteCommand],
    pin: ['Pin or unpin a session.', async () => (await import('./annotations.ts')).pinCommand],
    delete: ['Delete sessions, or undo a deletion.', async () => (await import('./delete.ts')).command],
    forget: ['Replace secrets in stored sessions.', async () => (await import('./forget.ts')).command],
    workspaces: ['List workspaces.', async () => (await import('./workspaces.ts')).workspacesCommand],
    workspace: ['Show, rename or merge a workspace.', async () => (await import('./workspaces.ts')).workspaceCommand],
    demo: ['Try fuel-code with sample sessions.', async () => (await import('./start.ts')).demoCommand],
  },
  'Search and reports': {
    search: ['Search the contents of all sessions.', async () => (await import('./search.ts')).command],
    cost: ['Show token usage and cost.', async () => (await import('./cost.ts')).command],
    budget: ['Show, set or check budgets.', async () => (await import('./budget.ts')).command],
    stats: ['Show key figures for a period.', async () => (await import('./stats.ts')).command],
    timeline: ['Show activity day by day.', async () => (await import('./timeline.ts')).command],
    statusline: [
      'Print or install a status line for Claude Code.',
      async () => (await import('./statusline.ts')).command,
    ],
    mcp: ['Let Claude search and read past sessions.', async () => (await import('./mcp.ts')).command],
    events: ['List events from hooks and scripts.', async () => (await import('./events.ts')).command],
    tools: ['Show which tools were called.', async () => (await import('./work-stats.ts')).toolsCommand],
    files: ['Show which files were read and written.', async () => (await import('./work-stats.ts')).filesCommand],
  },
  Sharing: {
    export: ['Export sessions into a folder with an index.', async () => (await import('./export.ts')).command],
    share: ['Share a session with its secrets replaced.', async () => (await import('./share.ts')).shareCommand],
    shares: ['List or revoke share links.', async () => (await import('./share.ts')).sharesCommand],
  },
  Capture: {
    hooks: ['Install, remove or test the Claude Code hooks.', async () => (await import('./hooks.ts')).command],
    'git-hooks': [
      'Install git hooks that report commits immediately.',
      async () => (await import('./git-hooks.ts')).command,
    ],
    backfill: [
      'Import all transcripts and wait until they are stored.',
      async () => (await import('./backfill.ts')).command,
    ],
    worker: ['Watch transcripts and import changes.', async () => (await import('./worker.ts')).command],
    queue: ['Inspect and process queued hook events.', async () => (await import('./queue.ts')).command],
    upload: ['Import transcripts from files or folders.', async () => (await import('./upload.ts')).command],
    emit: ['Record a custom event.', async () => (await import('./emit.ts')).command],
    devices: ['List and manage devices and their tokens.', async () => (await import('./devices.ts')).command],
  },
  Maintenance: {
    status: ['Show what is stored and what is pending.', async () => (await import('./status.ts')).command],
    doctor: ['Check the installation for problems.', async () => (await import('./doctor.ts')).command],
    logs: ['Show worker and server logs.', async () => (await import('./logs.ts')).command],
    config: ['Show or change the configuration.', async () => (await import('./config.ts')).command],
    drift: ['Show transcript content that is unknown to fuel-code.', async () => (await import('./drift.ts')).command],
    verify: ['Verify all archived data against its checksums.', async () => (await import('./verify.ts')).command],
    restore: ['Restore the files of a session.', async () => (await import('./restore.ts')).command],
    reparse: ['Parse sessions again from the archive.', async () => (await import('./recover.ts')).reparseCommand],
    recover: ['Finish incomplete sessions.', async () => (await import('./recover.ts')).recoverCommand],
    archive: ['Remove the database rows of old sessions.', async () => (await import('./archive.ts')).command],
    rebuild: ['Rebuild the database from the archive.', async () => (await import('./rebuild.ts')).command],
    completion: ['Print shell completion scripts.', async () => (await import('./completion.ts')).command],
  },
};

/** The help text of each command, and how to load it. */
export const COMMANDS: Readonly<Record<string, Entry>> = Object.assign({}, ...Object.values(COMMAND_GROUPS));

/** Errors: usage for an unknown name. */
export async function findCommand(name: string): Promise<Command> {
  if (Object.hasOwn(COMMANDS, name)) {
    const [, load] = COMMANDS[name] as Entry;
    return load();
  }
  const meant = didYouMean(name, Object.keys(COMMANDS), (near) => `\`${near}\``);
  throw new FuelError('usage', `Unknown command ${JSON.stringify(name)}.`, {
    hint: `${meant}Run \`fuel-code help\` for a list of commands.`,
  });
}

export function loadCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(COMMANDS).map(([, load]) => load()));
}
