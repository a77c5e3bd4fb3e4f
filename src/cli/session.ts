import type { SessionDetail } from '../domain/query.ts';
import type { Reads } from '../server/reads.ts';
import { dollars } from '../domain/usage.ts';
import { visibleLine } from '../lib/visible.ts';
import type { App } from '../app.ts';
import { isPinned, listNotes } from '../store/queries/annotations.ts';
import { listEvents } from '../store/queries/events.ts';
import { listGitActivity } from '../store/queries/git-activity.ts';
import { listSteps } from '../store/queries/session-steps.ts';
import { catchUp } from './catch-up.ts';
import { type Command, type CommandContext, JSON_OPTION } from './command.ts';
import { formatBytes, formatCost, formatCount, formatDuration } from './format.ts';
import { withProgress } from './progress.ts';
import { renderTable } from './table.ts';
import { paint, type Terminal } from './terminal.ts';
import { readWholeTranscript, renderMessage } from './transcript.ts';

export const command: Command = {
  name: 'session',
  about: 'Show one session.',
  operands: '<id or its beginning>',
  minOperands: 1,
  maxOperands: 1,
  options: {
    transcript: { type: 'boolean', about: 'Show the whole conversation.' },
    events: { type: 'boolean', about: 'Show what the hooks told of it.' },
    git: { type: 'boolean', about: 'Show what happened in its repository meanwhile.' },
    steps: { type: 'boolean', about: 'Show how the steps from bytes to finished session went.' },
    reparse: { type: 'boolean', about: 'Derive it again from its archived bytes first.' },
    restore: { type: 'boolean', about: 'Bring the rows of an archived session back first.' },
    export: { type: 'boolean', about: 'Print the whole parse of it as JSON, straight from the archived bytes.' },
    'no-import': { type: 'boolean', about: 'Show what is stored, without looking for new transcripts first.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code session 3f2a91c0', 'What happened in it.'],
    ['fuel-code session 3f2a91c0 --transcript', 'Read it.'],
    ['fuel-code session 3f2a91c0 --transcript --json', 'The same for a program.'],
    ['fuel-code session 3f2a91c0 --git', 'Its commits, checkouts, merges and pushes.'],
  ],
  run: async (context, args) => {
    await using app = await context.openApp();
    if (!args.flags.has('no-import')) await catchUp(context, app, { rowsOnly: true });
    const found = await app.reads.getSession(args.positionals[0] ?? '');
    if (args.flags.has('export')) return await printExport(context.terminal, app, found.id);
    const isAnew = args.flags.has('reparse') || (args.flags.has('restore') && found.lifecycle === 'archived');
    if (isAnew) await deriveAgain(context, app, found.id);
    const session = isAnew ? await app.reads.getSession(found.id) : found;
    const isJson = args.flags.has('json');
    if (args.flags.has('steps')) return await showSteps(context.terminal, app, session.id, isJson);
    if (args.flags.has('events')) return await showEvents(context.terminal, app, session.id, isJson);
    if (args.flags.has('git')) return await showGit(context.terminal, app, session.id, isJson);
    const withTranscript = args.flags.has('transcript');
    if (!isJson && !withTranscript) {
      await showText(context.terminal, app.reads, session, false);
      return await showAnnotations(context.terminal, app, session);
    }
    const show = isJson ? showJson : showText;
    await show(context.terminal, app.reads, session, withTranscript);
  },
};

type Show = (terminal: Terminal, reads: Reads, session: SessionDetail, withTranscript: boolean) => Promise<void>;

const showJson: Show = async (terminal, reads, session, withTranscript) => {
  const messages = withTranscript ? await Array.fromAsync(readWholeTranscript(reads, session.id)) : null;
  terminal.out(`${JSON.stringify(messages === null ? session : { ...session, messages }, null, 2)}\n`);
};

async function showAnnotations(terminal: Terminal, app: App, { id, tags }: SessionDetail): Promise<void> {
  const { kysely } = app.store.engine;
  if (await isPinned(kysely, id)) terminal.out('Pinned.\n');
  if (tags.length > 0) terminal.out(`Tags        ${tags.join(' ')}\n`);
  for (const { text } of await listNotes(kysely, id)) terminal.out(`Note        ${visibleLine(text)}\n`);
}

const showText: Show = async (terminal, reads, session, withTranscript) => {
  terminal.out(renderDetail(terminal, session));
  if (!withTranscript) return;
  for await (const message of readWholeTranscript(reads, session.id)) {
    const text = renderMessage(terminal, message);
    if (text !== '') terminal.out(`\n${text}`);
  }
};

async function showEvents(terminal: Terminal, app: App, sessionId: string, isJson: boolean): Promise<void> {
  const events = await listEvents(app.store.engine.kysely, sessionId);
  if (isJson) return terminal.out(`${JSON.stringify(events, null, 2)}\n`);
  if (events.length === 0) return terminal.out('No hook has told anything of this session.\n');
  const rows = events.map(({ timestamp, type, data }) => ({ timestamp, type, data: JSON.stringify(data) }));
  terminal.out(
    renderTable(
      terminal,
      [
        { title: 'TIME', text: ({ timestamp }) => timestamp },
        { title: 'EVENT', text: ({ type }) => type },
        { title: 'WHAT', grows: true, text: ({ data }) => data },
      ],
      rows,
    ),
  );
}

async function printExport(terminal: Terminal, app: App, sessionId: string): Promise<void> {
  const { exportParse } = await import('../run-by-hand.ts');
  for await (const text of exportParse(app, sessionId)) terminal.out(text);
}

async function deriveAgain(context: CommandContext, app: App, sessionId: string): Promise<void> {
  const { reparse } = await import('../run-by-hand.ts');
  const now = context.clock.now().toISOString();
  const { failed } = await withProgress(context, (run) => reparse(app, [sessionId], now, run));
  for (const { path, error } of failed) context.terminal.err(`Failed: ${path}: ${error}\n`);
}

async function showSteps(terminal: Terminal, app: App, sessionId: string, isJson: boolean): Promise<void> {
  const steps = await listSteps(app.store.engine.kysely, sessionId);
  if (isJson) return terminal.out(`${JSON.stringify(steps, null, 2)}\n`);
  terminal.out(
    renderTable(
      terminal,
      [
        { title: 'STEP', text: ({ step }) => step },
        { title: 'OUTCOME', text: ({ outcome }) => outcome.replaceAll('_', ' ') },
        { title: 'MS', align: 'right' as const, text: ({ duration_ms }) => String(duration_ms) },
        { title: 'TRIES', align: 'right' as const, text: ({ attempts }) => String(attempts) },
        { title: 'WHEN', fromColumns: 80, text: ({ finished_at }) => finished_at },
        { title: 'ERROR', grows: true, text: ({ error }) => error ?? '' },
      ],
      steps,
    ),
  );
}

async function showGit(terminal: Terminal, app: App, sessionId: string, isJson: boolean): Promise<void> {
  const activity = await listGitActivity(app.store.engine.kysely, { sessionId });
  if (isJson) return terminal.out(`${JSON.stringify(activity, null, 2)}\n`);
  if (activity.length === 0) return terminal.out('Nothing happened in its repository that can be told apart.\n');
  terminal.out(
    renderTable(
      terminal,
      [
        { title: 'TIME', text: ({ timestamp }) => timestamp },
        { title: 'WHAT', text: ({ type }) => type },
        { title: 'BRANCH', fromColumns: 80, text: ({ branch }) => branch ?? '' },
        { title: 'COMMIT', text: ({ commit_sha }) => (commit_sha ?? '').slice(0, SHA_CHARS) },
        { title: 'MESSAGE', grows: true, text: ({ message }) => message ?? '' },
      ],
      activity,
    ),
  );
}

const SHA_CHARS = 10;

function renderDetail(terminal: Terminal, session: SessionDetail): string {
  const facts: readonly (readonly [string, string | null])[] = [
    ['Id', session.id],
    ['State', stateOf(session)],
    ['Workspace', `${session.workspace_name}${session.git_branch ? ` on ${session.git_branch}` : ''}`],
    ['Folder', session.cwd],
    ['Started', session.started_at],
    ['Ended', session.ended_at],
    ['Duration', formatDuration(session.duration_ms)],
    ['Model', session.models.join(', ') || null],
    ['Messages', countsOf(session)],
    ['Tokens', tokensOf(session)],
    ['Cost', formatCost(session.cost_estimate_usd, session.unknown_models)],
    ['No price', session.unknown_models.join(', ') || null],
    ['Client says', clientCostOf(session)],
    ['Claude Code', session.cc_version],
    ['Archive', archiveOf(session)],
    ['Lines', linesOf(session)],
    [
      'Odd',
      Object.entries(session.anomalies)
        .map(([kind, count]) => `${kind} ${count}`)
        .join(', ') || null,
    ],
  ];
  const title = paint(terminal, 'bold', visibleLine(session.title ?? session.initial_prompt ?? '(no prompt)'));
  const lines = facts
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(12)}${visibleLine(value ?? '')}`);
  return `${title}\n\n${lines.join('\n')}\n`;
}

/** What the client itself reckoned over the session and its resumes, compaction calls included. */
function clientCostOf({ metadata, cost_estimate_usd }: SessionDetail): string | null {
  const { client_cost } = metadata as { readonly client_cost?: { readonly costNanos: number | null } | null };
  if (!client_cost?.costNanos) return null;
  const theirs = dollars(client_cost.costNanos);
  const difference = theirs - (cost_estimate_usd ?? 0);
  const sign = difference < 0 ? '−' : '+';
  return `${formatCost(theirs)} (${sign}${formatCost(Math.abs(difference))} to ours)`;
}

function stateOf({ lifecycle, parse_error }: SessionDetail): string {
  if (parse_error !== null) return `${lifecycle}: ${parse_error}`;
  return lifecycle === 'capturing' ? 'live' : lifecycle;
}

function countsOf(session: SessionDetail): string {
  const { total_messages, user_messages, assistant_messages, tool_use_count, subagent_count } = session;
  const agents = subagent_count ? `, ${subagent_count} sub-agents` : '';
  return `${total_messages ?? 0} (${user_messages ?? 0} yours, ${assistant_messages ?? 0} of the model), ${tool_use_count ?? 0} tool calls${agents}`;
}

function tokensOf(session: SessionDetail): string {
  const { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens } = session;
  return `${formatCount(tokens_in)} in, ${formatCount(tokens_out)} out, ${formatCount(cache_read_tokens)} cache read, ${formatCount(cache_write_tokens)} cache write`;
}

function archiveOf({ files }: SessionDetail): string {
  const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  return `${files.length} ${files.length === 1 ? 'file' : 'files'}, ${formatBytes(bytes)}`;
}

function linesOf({ lines }: SessionDetail): string {
  const odd = [lines.salvaged ? `${lines.salvaged} salvaged` : '', lines.skipped ? `${lines.skipped} skipped` : ''];
  return [`${lines.total}`, ...odd.filter(Boolean)].join(', ');
}
