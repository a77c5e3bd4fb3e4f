import type { SessionRow } from '../../api/sessions.ts';
import { firstLine, formatDayHeading } from '../../reading/format.ts';

export type ListRow =
  | { readonly kind: 'day'; readonly key: string; readonly label: string }
  | {
      readonly kind: 'session';
      readonly key: string;
      readonly session: SessionRow;
      /** Cost relative to the most expensive session of the day, from 0 to 1. */
      readonly share: number;
    };

/** The sessions, with a heading wherever the day changes. */
export function withDays(sessions: readonly SessionRow[], now: Date): readonly ListRow[] {
  const days = new Map<string, SessionRow[]>();
  for (const session of sessions) {
    const label = formatDayHeading(session.started_at, now);
    const members = days.get(label);
    if (members === undefined) days.set(label, [session]);
    else members.push(session);
  }
  return [...days].flatMap(([label, members]) => {
    const most = Math.max(...members.map(({ cost_estimate_usd }) => cost_estimate_usd ?? 0));
    const rows = members.map((session) => ({
      kind: 'session' as const,
      key: session.id,
      session,
      share: most > 0 ? (session.cost_estimate_usd ?? 0) / most : 0,
    }));
    return [{ kind: 'day' as const, key: `day:${label}`, label }, ...rows];
  });
}

export type SessionState = 'live' | 'reading' | 'failed' | 'ended';

export function stateOf(session: SessionRow): SessionState {
  if (session.parse_status === 'failed' || session.lifecycle === 'failed') return 'failed';
  if (session.lifecycle === 'detected' || session.lifecycle === 'capturing') return 'live';
  return session.parse_status === 'completed' ? 'ended' : 'reading';
}

const MAX_SUMMARY_CHARS = 300;

/** The first line of the summary. Our own narrative begins with the prompt, which the title above already shows. */
export function outcomeOf({ summary, summary_kind }: Pick<SessionRow, 'summary' | 'summary_kind'>): string {
  const line = firstLine(summary ?? '', MAX_SUMMARY_CHARS);
  if (summary_kind !== 'narrative') return line;
  const outcome = line.replace(/^Asked “[^”]*”: /, '');
  return outcome.charAt(0).toUpperCase() + outcome.slice(1);
}

export function costTitle(session: SessionRow): string | undefined {
  if (session.unknown_models.length === 0) return undefined;
  return `The price of ${session.unknown_models.join(', ')} is not known`;
}
