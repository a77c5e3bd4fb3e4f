import type { FoundSecrets } from '../app/forgetting/find-secrets.ts';
import { listMasked } from '../app/forgetting/forget-secrets.ts';
import type { App } from '../app/open-app.ts';
import { FuelError } from '../domain/errors.ts';
import { MAX_PAGE_ROWS } from '../domain/requests.ts';
import { formatTime, plural } from '../reading/format.ts';
import { shortId } from '../reading/names.ts';
import { interrupted, refuseUnfinished, withProgress } from './catch-up.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { confirm, noteFailed, printJson, printLine } from './output.ts';
import { FILTER_OPTIONS, QUERY_OPTION, readFilter } from './session-filter.ts';
import { allPages } from './source.ts';
import { type Column, renderTable } from './table.ts';

const MAX_SESSIONS = 500;

export const command: Command = {
  name: 'forget',
  about:
    'Find secrets in the database and replace them, in all or selected sessions. The sessions stay readable; their secrets stay masked when they are reparsed or grow.',
  operands: '[id or prefix …]',
  maxOperands: MAX_SESSIONS,
  options: {
    secrets: { type: 'boolean', about: 'Replace passwords, keys and tokens with [secret:KIND].' },
    'dry-run': { type: 'boolean', needs: ['secrets'], about: 'Only list what would be replaced.' },
    yes: { type: 'boolean', about: 'Do not ask for confirmation.' },
    undo: {
      type: 'boolean',
      about: 'Stop masking these sessions; the secrets that the archive still has become readable.',
      excludes: ['secrets', 'list'],
    },
    list: { type: 'boolean', about: 'List sessions with masked secrets.', excludes: ['secrets'] },
    json: JSON_OPTION,
    query: QUERY_OPTION,
    ...FILTER_OPTIONS,
  },
  examples: [
    ['fuel-code forget --secrets --dry-run', 'List the secrets in all sessions, by kind.'],
    ['fuel-code forget --secrets 3f2a91c0', 'Replace the secrets in one session, after asking.'],
    ['fuel-code forget --secrets --since 7d --yes', 'Replace those of the last seven days, without asking.'],
    ['fuel-code forget --undo 3f2a91c0', 'Show the original session again, for example after a false positive.'],
  ],
  run: async (context, args) => {
    const { flags, positionals } = args;
    const filter = readFilter(args, context.clock.now());
    if (positionals.length > 0 && Object.keys(filter).length > 0) {
      throw new FuelError('usage', 'Specify session ids or filters, not both.');
    }
    const action = ['secrets', 'undo', 'list'].find((flag) => flags.has(flag));
    if (action === undefined) {
      throw new FuelError('usage', 'Specify what to forget: --secrets.', {
        hint: '`fuel-code forget --secrets --dry-run` lists what it would replace. `fuel-code delete` removes whole sessions.',
      });
    }
    await using app = await context.openApp();
    const named = await findAll(app, positionals);
    if (action === 'list') await list(context, args, app);
    else if (action === 'undo') await undo(context, args, app, named);
    else await forget(context, args, app, positionals.length > 0 ? named : await listAll(app, filter));
  },
};

async function findAll(app: App, names: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const id of names) ids.push((await app.get('/sessions/:id', { params: { id } })).id);
  return [...new Set(ids)];
}

async function listAll(app: App, filter: ReturnType<typeof readFilter>): Promise<readonly string[]> {
  const fetch = (cursor: string | undefined) =>
    app.get('/sessions', { query: { ...filter, all: true, limit: MAX_PAGE_ROWS, cursor } });
  const ids: string[] = [];
  for await (const { sessions } of allPages(fetch)) ids.push(...sessions.map(({ id }) => id));
  return ids;
}

async function list({ terminal }: CommandContext, { flags }: ParsedArguments, app: App): Promise<void> {
  const masked = await listMasked(app);
  if (flags.has('json')) return printJson(terminal, { masked });
  if (masked.length === 0) return printLine(terminal, 'No session has masked secrets.');
  terminal.out(renderTable(terminal, MASKED_COLUMNS, masked));
}

type Masked = Awaited<ReturnType<typeof listMasked>>[number];

const MASKED_COLUMNS: readonly Column<Masked>[] = [
  { title: 'ID', text: ({ session_id }) => shortId(session_id), style: () => 'cyan' },
  { title: 'MASKED SINCE', text: ({ masked_at }) => formatTime(masked_at) },
  { title: 'STATE', grows: true, text: ({ is_settled }) => (is_settled ? 'done' : 'run forget --secrets again') },
];

async function undo(
  context: CommandContext,
  { flags }: ParsedArguments,
  app: App,
  ids: readonly string[],
): Promise<void> {
  const { terminal, clock } = context;
  if (ids.length === 0) {
    throw new FuelError('usage', 'Specify the sessions to unmask.', { hint: '`fuel-code forget --list` lists them.' });
  }
  const masked = new Set((await listMasked(app)).map(({ session_id }) => session_id));
  const other = ids.find((id) => !masked.has(id));
  if (other !== undefined) {
    throw new FuelError('not_found', `Session ${shortId(other)} has no masked secrets.`, {
      hint: '`fuel-code forget --list` lists the sessions that have.',
    });
  }
  const { rememberSecrets } = await import('../app/forgetting/forget-secrets.ts');
  const now = clock.now().toISOString();
  const { failed } = await withProgress(context, (run) => rememberSecrets(app, ids, now, run));
  if (flags.has('json')) printJson(terminal, { unmasked: ids });
  else printLine(terminal, `${plural(ids.length, 'session')} parsed again without masking. Notes stay masked.`);
  refuseUnfinished(context.signal, failed.length);
}

async function forget(context: CommandContext, args: ParsedArguments, app: App, ids: readonly string[]): Promise<void> {
  const { terminal, clock, signal } = context;
  const { flags } = args;
  const isJson = flags.has('json');
  const found = await scan(context, app, ids);
  const isPending = (await listMasked(app)).some(({ is_settled }) => !is_settled);
  if (flags.has('dry-run') || (found.length === 0 && !isPending)) {
    if (isJson) printJson(terminal, { found, sessions_searched: ids.length });
    else showFound(context, found, ids.length);
    return;
  }
  if (!isJson) {
    showFound(context, found, ids.length);
    for (const paragraph of CONSEQUENCES) {
      terminal.out('\n');
      printLine(terminal, paragraph);
    }
    terminal.out('\n');
    if (app.config.serverUrl !== null) {
      printLine(terminal, `The server at ${app.config.serverUrl} still has them; run the command there as well.`);
      terminal.out('\n');
    }
  }
  await confirm(terminal, args, { question: 'Replace them?', refused: 'Nothing was changed.' });
  const { forgetSecrets } = await import('../app/forgetting/forget-secrets.ts');
  const marked = found.flatMap(({ session_id }) => session_id ?? []);
  const now = clock.now().toISOString();
  const report = await withProgress(context, (run) => forgetSecrets(app, marked, now, run));
  noteFailed(terminal, report.failed);
  const left = signal.aborted ? [] : await scan(context, app, marked);
  if (isJson) printJson(terminal, { found, masked: marked, left, ...report });
  else printOutcome(context, marked.length, report);
  refuseUnfinished(signal, report.failed.length + left.length);
}

async function scan({ signal }: CommandContext, app: App, ids: readonly string[]): Promise<readonly FoundSecrets[]> {
  const { findInShared, findSecrets } = await import('../app/forgetting/find-secrets.ts');
  const deps = { engine: app.store.engine, masking: app.masking };
  const found = await Array.fromAsync(findSecrets(deps, ids, signal));
  if (signal.aborted)
    throw interrupted('Interrupted while looking for secrets.', 'Nothing was changed. Run the command again.');
  const shared = await findInShared(deps);
  return shared === null ? found : [...found, shared];
}

const COLUMNS: readonly Column<FoundSecrets>[] = [
  { title: 'ID', text: ({ session_id }) => (session_id === null ? '' : shortId(session_id)), style: () => 'cyan' },
  {
    title: 'SESSION',
    grows: true,
    text: ({ session_id, title }) => (session_id === null ? 'commits, plans, saved views' : (title ?? 'no title')),
  },
  { title: 'FOUND', text: ({ kinds }) => kindsOf(kinds) },
];

function kindsOf(kinds: FoundSecrets['kinds']): string {
  return Object.entries(kinds)
    .toSorted(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ');
}

function showFound({ terminal }: CommandContext, found: readonly FoundSecrets[], searched: number): void {
  const many = plural(searched, 'session');
  if (found.length === 0) return printLine(terminal, `No secrets found in ${many}.`);
  terminal.out(renderTable(terminal, COLUMNS, found));
  const all = found.reduce((sum, { kinds }) => sum + Object.values(kinds).reduce((a, b) => a + b, 0), 0);
  terminal.out('\n');
  printLine(terminal, `${plural(all, 'place')} with secrets, ${many} searched.`);
}

const CONSEQUENCES = [
  'Each secret is replaced by [secret:KIND] in the database: in messages, tool calls, titles, summaries, notes, events, commit messages and the full-text index. Tags with secrets are removed. Reparsed sessions stay masked.',
  'The original bytes still have the secrets: the archive, the files of Claude Code, repositories, backups, other devices and servers. `fuel-code delete` removes a session from the archive. Revoke secrets that others may have seen.',
];

function printOutcome(
  { terminal }: CommandContext,
  sessions: number,
  { is_settled, shares_removed }: { readonly is_settled: boolean; readonly shares_removed: number },
): void {
  printLine(terminal, `Secrets of ${plural(sessions, 'session')} are masked.`);
  if (shares_removed > 0) {
    printLine(terminal, `${plural(shares_removed, 'shared page')} with secrets removed; their links no longer work.`);
  }
  if (!is_settled) {
    printLine(
      terminal,
      'Another process is using the database, so its file still has old pages. Run the command again later.',
    );
  }
}
