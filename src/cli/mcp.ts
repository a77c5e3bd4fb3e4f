import process from 'node:process';
import {
  MCP_SCOPES,
  type McpInstallation,
  type McpScope,
  type McpStatus,
  mcpInstallation,
} from '../app/mcp-install.ts';
import type { App } from '../app/open-app.ts';
import { FuelError } from '../domain/errors.ts';
import { visibleLine } from '../lib/terminal-text.ts';
import { importUpdates } from './catch-up.ts';
import {
  type Command,
  type CommandContext,
  INSTALL_OPTIONS,
  NO_IMPORT_OPTION,
  type ParsedArguments,
  REMOTE_OPTIONS,
} from './command.ts';
import { confirm, printJson, printLine, printNote, RAW_WARNING, wrapLines } from './output.ts';
import { readChoice } from './parse-arguments.ts';
import { isRemote, openSource, readOnlyFolder, refuseLostDatabase, remoteWords } from './source.ts';
import { safeLines } from './transcript/view.ts';

export const command: Command = {
  name: 'mcp',
  about: 'Let Claude search and read past sessions: an MCP server on standard input and output, and its installation.',
  actions: { install: '', uninstall: '', status: '' },
  isService: true,
  options: {
    scope: {
      type: 'string',
      value: 'SCOPE',
      values: MCP_SCOPES,
      actions: ['install', 'uninstall'],
      about:
        'With install and uninstall: `user` for all your projects (default), `project` for .mcp.json in this folder.',
    },
    raw: { type: 'boolean', about: 'Do not redact secrets in answers to Claude.' },
    'no-import': NO_IMPORT_OPTION,
    ...INSTALL_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code mcp install', 'Show what would be added to the configuration of Claude Code, ask, and add it.'],
    ['fuel-code mcp install --scope project --yes', 'Add it to .mcp.json, for everybody who works on this project.'],
    ['fuel-code mcp install --remote', 'The same, but Claude queries the configured server.'],
    ['fuel-code mcp status', 'Show where it is installed.'],
    ['fuel-code mcp uninstall', 'Remove it.'],
    ['fuel-code mcp', 'Run the server; Claude Code does this itself.'],
  ],
  run: async (context, args) => {
    const [action] = args.positionals;
    if (action === undefined) return serve(context, args);
    const { loaded, clock } = context;
    const installation = mcpInstallation({ loaded, clock, folder: process.cwd(), words: serverOptions(args) });
    await ACTIONS[action as keyof typeof ACTIONS](installation, context, args);
  },
};

/** Options that the installed command line repeats. */
function serverOptions(args: ParsedArguments): readonly string[] {
  const names = ['raw', 'no-import'].filter((name) => args.flags.has(name)).map((name) => `--${name}`);
  return [...names, ...remoteWords(args)];
}

async function serve(context: CommandContext, args: ParsedArguments): Promise<void> {
  const { terminal } = context;
  if (process.stdin.isTTY) {
    printNote(
      terminal,
      'Waiting for an MCP client on standard input. To add this server to Claude Code: fuel-code mcp install',
    );
  }
  if (args.flags.has('raw')) printNote(terminal, RAW_WARNING);
  await context.serveMcp({ isRaw: args.flags.has('raw'), open: () => openData(context, args) });
}

/** A request must not wait until years of sessions are imported: the next one continues the import. */
const MAX_IMPORT_MS = 4_000;

async function openData(context: CommandContext, args: ParsedArguments) {
  if (isRemote(args)) {
    const source = await openSource(context, args);
    const close = () => source[Symbol.asyncDispose]();
    return { get: source.get, deviceId: source.ownDeviceId, isImporting: false, [Symbol.asyncDispose]: close };
  }
  const app = await context.openApp();
  try {
    const isImporting = !args.flags.has('no-import') && (await isBehind(context, app));
    await refuseLostDatabase(context.terminal, app);
    return { get: app.get, deviceId: app.device.id, isImporting, [Symbol.asyncDispose]: app.close };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Sessions that are being written to are always slightly behind. */
const LIVE_SESSIONS = 5;

/** Imports new sessions and returns whether much is left. Stored sessions are useful even if importing fails. */
async function isBehind(context: CommandContext, app: App): Promise<boolean> {
  if (app.isReadOnly) {
    printNote(context.terminal, readOnlyFolder(app.config.home));
    return false;
  }
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(MAX_IMPORT_MS)]);
  try {
    const report = await importUpdates({ ...context, signal }, app, { rowsOnly: false });
    if (report !== null) return signal.aborted;
  } catch (error) {
    if (!(error instanceof FuelError)) throw error;
    printNote(context.terminal, error.message);
    return true;
  }
  const { import: progress } = await app.get('/status');
  return progress.sessions_to_index > LIVE_SESSIONS;
}

type Action = (installation: McpInstallation, context: CommandContext, args: ParsedArguments) => void | Promise<void>;

const ACTIONS = {
  install: async (installation, context, args) => {
    const scope = readScope(args);
    if (scope === 'project' && args.flags.has('raw')) {
      throw new FuelError(
        'usage',
        '--raw cannot be used with --scope project: .mcp.json is shared with everyone on the project.',
        {
          hint: 'Use --scope user.',
        },
      );
    }
    const { changed, path } = installation.plan(scope);
    const isDry = args.flags.has('dry-run');
    if (changed && !isDry) await askConsent(installation, context, args, { scope, path });
    const change = changed && !isDry ? installation.install(scope) : { path, changed };
    if (args.flags.has('json')) return printJson(context.terminal, { ...change, scope, dry_run: isDry });
    context.terminal.out(wrapLines(context.terminal, installedText({ ...change, isDry }, installation, scope)));
  },
  uninstall: (installation, { terminal }, args) => {
    const scope = readScope(args);
    const change = installation.uninstall(scope);
    if (args.flags.has('json')) return printJson(terminal, { ...change, scope });
    printLine(terminal, change.changed ? `Removed from ${change.path}.` : `Not installed in ${change.path}.`);
  },
  status: (installation, { terminal }, args) => {
    const status = installation.status();
    if (args.flags.has('json')) return printJson(terminal, status);
    terminal.out(wrapLines(terminal, statusText(status)));
  },
} satisfies Readonly<Record<string, Action>>;

function readScope(args: ParsedArguments): McpScope {
  return readChoice(args, 'scope', MCP_SCOPES) ?? 'user';
}

async function askConsent(
  installation: McpInstallation,
  { terminal }: CommandContext,
  args: ParsedArguments,
  { scope, path }: { readonly scope: McpScope; readonly path: string },
): Promise<void> {
  const { flags } = args;
  const entry = JSON.stringify(installation.entryOf(scope), null, 2);
  const lines = [
    `This adds the MCP server fuel-code to ${visibleLine(path)}:`,
    safeLines(entry).join('\n'),
    whatItMeans(flags),
  ];
  if (!flags.has('yes')) terminal.err(`${wrapLines(terminal, lines.join('\n'))}\n`);
  await confirm(terminal, args, { question: 'Add it?', refused: 'Nothing was changed.' });
}

function whatItMeans(flags: ReadonlySet<string>): string {
  const secrets = flags.has('raw') ? 'Secrets are NOT redacted (--raw).' : 'Secrets are redacted.';
  return `Claude can then search and read your past sessions, by default those of the current workspace. It cannot change them. ${secrets}`;
}

function installedText(
  { path, changed, isDry }: { readonly path: string; readonly changed: boolean; readonly isDry: boolean },
  installation: McpInstallation,
  scope: McpScope,
): string {
  const entry = JSON.stringify(installation.entryOf(scope), null, 2);
  const what = !changed
    ? `Already installed in ${visibleLine(path)}.`
    : isDry
      ? `Would add the MCP server fuel-code to ${visibleLine(path)}:\n${safeLines(entry).join('\n')}\nNothing was changed (--dry-run).`
      : `Installed in ${visibleLine(path)}. New Claude Code sessions can use it; ask Claude about earlier work.`;
  const twice = installation.status().plugin_enabled
    ? '\nThe fuel-code plugin is enabled and provides the same server; you need only one of them.'
    : '';
  return `${what}${twice}\nTo remove it: fuel-code mcp uninstall${scope === 'user' ? '' : ` --scope ${scope}`}\n`;
}

const STATES = {
  installed: 'installed',
  outdated: 'installed with another path or other options; run `fuel-code mcp install` again',
  missing: 'not installed',
  foreign: 'another MCP server is named fuel-code',
} as const;

function statusText({ scopes, plugin_enabled, plugin_folder }: McpStatus): string {
  const rows = scopes.map(({ scope, path, state }) => `${scope.padEnd(8)} ${STATES[state]} (${visibleLine(path)})`);
  const folder = plugin_folder === null ? '' : ` (${visibleLine(plugin_folder)})`;
  return `${[...rows, `plugin   ${plugin_enabled ? 'enabled' : 'not enabled'}${folder}`].join('\n')}\n`;
}
