import type { SessionDetail } from '../api/sessions.ts';
import { formatCompact, formatCost, formatCount, formatDuration, formatTime, shortModel } from './format.ts';

/** The session columns shown in a document for others; summaries, notes, tags and devices are private. */
export const SHOWN_COLUMNS = [
  'id',
  'lifecycle',
  'title',
  'initial_prompt',
  'workspace_name',
  'git_branch',
  'cwd',
  'models',
  'started_at',
  'duration_ms',
  'cost_estimate_usd',
  'total_messages',
  'tool_use_count',
  'tokens_in',
  'tokens_out',
  'cache_read_tokens',
  'cache_write_tokens',
] as const satisfies readonly (keyof SessionDetail)[];

export type ShownSession = Pick<SessionDetail, (typeof SHOWN_COLUMNS)[number]>;

/** In UTC, so that all readers see the same time; null for no time. */
export function utcTime(timestamp: string | null): string | null {
  const time = formatTime(timestamp, 'UTC');
  return /^\d/.test(time) ? `${time} UTC` : null;
}

/** What a document says about its session, in order. */
export function shownFacts(session: ShownSession): readonly (readonly [name: string, value: string])[] {
  const { models, workspace_name, git_branch, started_at, duration_ms, cost_estimate_usd } = session;
  const tokens = (session.tokens_in ?? 0) + (session.cache_read_tokens ?? 0) + (session.cache_write_tokens ?? 0);
  const facts: readonly (readonly [string, string | null])[] = [
    ['Started', utcTime(started_at)],
    ['Duration', formatDuration(duration_ms)],
    ['Cost', formatCost(cost_estimate_usd)],
    ['Models', models.map(shortModel).join(', ') || null],
    ['Tokens', `${formatCompact(tokens)} in, ${formatCompact(session.tokens_out)} out`],
    ['Messages', formatCount(session.total_messages)],
    ['Tool calls', formatCount(session.tool_use_count)],
    ['Workspace', workspace_name],
    ['Branch', git_branch],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}
