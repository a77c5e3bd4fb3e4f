import type { SessionRow } from '../../api/sessions.ts';
import { formatPeriod, NOTHING } from '../../reading/format.ts';

export type ListRow =
  | { readonly kind: 'period'; readonly key: string; readonly label: string }
  | { readonly kind: 'session'; readonly key: string; readonly session: SessionRow };

/** The sessions, with a heading wherever the period changes. */
export function withPeriods(sessions: readonly SessionRow[], now: Date): readonly ListRow[] {
  const rows: ListRow[] = [];
  let period = '';
  for (const session of sessions) {
    const label = formatPeriod(session.started_at, now);
    if (label !== period) rows.push({ kind: 'period', key: `period:${label}:${rows.length}`, label });
    period = label;
    rows.push({ kind: 'session', key: session.id, session });
  }
  return rows;
}

export type SessionState = 'live' | 'reading' | 'failed' | 'ended';

export function stateOf(session: SessionRow): SessionState {
  if (session.parse_status === 'failed' || session.lifecycle === 'failed') return 'failed';
  if (session.lifecycle === 'detected' || session.lifecycle === 'capturing') return 'live';
  return session.parse_status === 'completed' ? 'ended' : 'reading';
}

export function totalTokens(session: SessionRow): number | null {
  const { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens } = session;
  const counts = [tokens_in, tokens_out, cache_read_tokens, cache_write_tokens].filter((count) => count !== null);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

export function tokensTitle(session: SessionRow): string {
  const count = (value: number | null) => value?.toLocaleString('en') ?? NOTHING;
  return [
    `input ${count(session.tokens_in)}`,
    `output ${count(session.tokens_out)}`,
    `cache read ${count(session.cache_read_tokens)}`,
    `cache write ${count(session.cache_write_tokens)}`,
  ].join(' · ');
}

export function costTitle(session: SessionRow): string | undefined {
  if (session.unknown_models.length === 0) return undefined;
  return `The price of ${session.unknown_models.join(', ')} is not known`;
}
