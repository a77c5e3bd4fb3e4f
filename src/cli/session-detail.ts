import type { SessionDetail } from '../api/sessions.ts';
import { isLive } from '../domain/session.ts';
import type { SummaryKind } from '../domain/summary.ts';
import { TEAM_LEAD } from '../domain/teammate-message.ts';
import { dollars } from '../domain/usage.ts';
import { textWidth, visibleLine, wrapWidth } from '../lib/terminal-text.ts';
import {
  formatBytes,
  formatCompact,
  formatCost,
  formatDifference,
  formatDuration,
  formatTime,
  plural,
} from '../reading/format.ts';
import { shortId, titleOf } from '../reading/names.ts';
import { paint, type Terminal } from './terminal.ts';

const LABEL_COLUMNS = 12;
/** Longer lines are hard to read. */
export const READING_COLUMNS = 120;

/** Facts, summary and notes of a session. */
export function renderDetail(terminal: Terminal, session: SessionDetail): string {
  const facts: readonly Fact[] = [
    ['Id', session.id],
    ['State', [stateWord(session), session.parse_error].filter((part) => part !== null).join(': ')],
    ['Kind', session.work_kind],
    ['Team', teamOf(session)],
    ['Workspace', `${session.workspace_name}${session.git_branch ? ` on ${session.git_branch}` : ''}`],
    ['Folder', session.cwd],
    ['Origin', beganOf(session)],
    ['Started', formatTime(session.started_at)],
    ['Ended', formatTime(session.ended_at)],
    ['Duration', formatDuration(session.duration_ms)],
    ['Model', session.models.join(', ') || null],
    ['Messages', countsOf(session)],
    ['Tokens', tokensOf(session)],
    ['API', requestOf(session)],
    ['Cost', formatCost(session.cost_estimate_usd, session.unknown_models)],
    ['No price', session.unknown_models.join(', ') || null],
    ['Client cost', clientCostOf(session)],
    ['Claude Code', session.cc_version],
    ['Archive', archiveOf(session)],
    ['Transcript', linesOf(session)],
    [
      'Anomalies',
      Object.entries(session.anomalies)
        .map(([kind, count]) => `${kind.replaceAll('_', ' ')}: ${count}`)
        .join(', ') || null,
    ],
    ['Tags', session.tags.join(' ') || null],
    ['Pinned', session.is_pinned ? 'yes' : null],
    ...session.notes.map(({ text }): Fact => ['Note', text]),
  ];
  const title = visibleLine(titleOf(session));
  const parts = [
    wrapped(terminal, title, 0).map((line) => paint(terminal, 'bold', line)),
    renderSummary(terminal, session.summary, session.summary_kind),
    factLines(terminal, facts),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function teamOf({ team }: SessionDetail): string | null {
  if (team === null) return null;
  const { team_name, agent_name, lead_session_id } = team;
  if (agent_name === null || agent_name === TEAM_LEAD) return `${team_name}, as its lead`;
  return `${team_name}, as ${agent_name}${lead_session_id === null ? '' : `; led by ${shortId(lead_session_id)}`}`;
}

/** Labels and values below each other; long values are wrapped beside their label. */
export function factLines(terminal: Terminal, facts: readonly Fact[]): string[] {
  return facts.flatMap(([name, value]) => {
    if (value === null || value === '') return [];
    const text = visibleLine(value);
    if (!fitsBeside(terminal, text)) return [paint(terminal, 'dim', name), ...wrapped(terminal, text, 0)];
    return wrapped(terminal, text, LABEL_COLUMNS).map((line, at) => {
      const label = (at === 0 ? name : '').padEnd(LABEL_COLUMNS);
      return `${paint(terminal, 'dim', label)}${line}`;
    });
  });
}

/** An id or a path too long to fit beside its label is printed below it. */
function fitsBeside(terminal: Terminal, text: string): boolean {
  const room = Math.min(terminal.columns, READING_COLUMNS) - LABEL_COLUMNS;
  return text.split(' ').every((word) => textWidth(word) <= room);
}

export type Fact = readonly [name: string, value: string | null];

function wrapped(terminal: Terminal, text: string, margin: number): string[] {
  return wrapWidth(text, Math.min(terminal.columns, READING_COLUMNS) - margin).split('\n');
}

/** The lines after the first one are indented. */
function hanging(terminal: Terminal, text: string): string[] {
  return wrapped(terminal, text, 2).map((line, at) => (at === 0 ? line : `  ${line}`));
}

/** A narrative is derived from the facts and needs no label; summaries by a model or a person are labeled. */
const AUTHORS: Readonly<Record<SummaryKind, string | null>> = { narrative: null, ai: 'AI', human: 'manual' };

function renderSummary(terminal: Terminal, summary: string | null, kind: SummaryKind | null): string[] {
  if (summary === null || summary.trim() === '') return [];
  const author = kind === null ? null : AUTHORS[kind];
  const [first = '', ...facts] = summary.trim().split('\n').map(visibleLine);
  const lines = [...wrapped(terminal, first, 0), ...facts.flatMap((fact) => hanging(terminal, fact))];
  return author === null ? lines : [paint(terminal, 'dim', `Summary (${author})`), ...lines];
}

/** The cost that the client itself reported for the session and its resumes, including compactions. */
function clientCostOf({ metadata, cost_estimate_usd }: SessionDetail): string | null {
  const { client_cost } = metadata as { readonly client_cost?: { readonly cost_nanos: number | null } | null };
  if (!client_cost?.cost_nanos) return null;
  const theirs = dollars(client_cost.cost_nanos);
  return `${formatCost(theirs)} (${formatDifference(theirs - (cost_estimate_usd ?? 0))} compared with our figure)`;
}

interface Beginning {
  readonly began_from?: readonly { readonly kind: string; readonly session_id: string }[];
  readonly inherited_messages?: number;
}

const BEGINNINGS: Readonly<Record<string, string>> = {
  forked: 'forked from',
  branched: 'branched from',
  shared: 'shares lines with',
  cleared: 'after /clear in',
};

/** The sessions it originates from, and the number of copied messages that are counted there. */
function beganOf({ metadata }: SessionDetail): string | null {
  const { began_from = [], inherited_messages = 0 } = metadata as Beginning;
  const from = began_from.map(({ kind, session_id }) => `${BEGINNINGS[kind] ?? kind} ${shortId(session_id)}`);
  if (from.length === 0) return null;
  const copied = inherited_messages === 0 ? '' : `; ${plural(inherited_messages, 'copied message')} counted there`;
  return `${from.join(', ')}${copied}`;
}

/** The word for a state, as in `--is live`. */
export function stateWord({ lifecycle }: Pick<SessionDetail, 'lifecycle'>): string {
  return isLive(lifecycle) ? 'live' : lifecycle;
}

function countsOf(session: SessionDetail): string {
  const { total_messages, user_messages, assistant_messages, tool_use_count, subagent_count } = session;
  const agents = subagent_count ? `, ${plural(subagent_count, 'sub-agent')}` : '';
  return `${total_messages ?? 0} (${user_messages ?? 0} from you, ${assistant_messages ?? 0} from the model), ${plural(tool_use_count ?? 0, 'tool call')}${agents}`;
}

function tokensOf(session: SessionDetail): string {
  const { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens } = session;
  return `${formatCompact(tokens_in)} in, ${formatCompact(tokens_out)} out, ${formatCompact(cache_read_tokens)} cache read, ${formatCompact(cache_write_tokens)} cache write`;
}

/** Service tier, speed and region unless they are the default, and web requests made by the API itself. */
function requestOf(session: SessionDetail): string | null {
  const named = [...session.service_tiers, ...session.speeds, ...session.inference_geos];
  const unusual = [...new Set(named)].filter((name) => !USUAL.has(name));
  const { web_searches, web_fetches } = session;
  return (
    [
      ...unusual,
      ...(web_searches ? [plural(web_searches, 'web search', 'web searches')] : []),
      ...(web_fetches ? [plural(web_fetches, 'web fetch', 'web fetches')] : []),
    ].join(', ') || null
  );
}

const USUAL: ReadonlySet<string> = new Set(['standard', 'not_available', 'global']);

function archiveOf({ files }: SessionDetail): string {
  const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  return `${plural(files.length, 'file')}, ${formatBytes(bytes)}`;
}

function linesOf({ lines }: SessionDetail): string {
  const odd = [lines.salvaged ? `${lines.salvaged} salvaged` : '', lines.skipped ? `${lines.skipped} skipped` : ''];
  return [plural(lines.total, 'line'), ...odd.filter(Boolean)].join(', ');
}
