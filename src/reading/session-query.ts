import { addDays } from '../domain/days.ts';

/** What the sessions behind a figure have in common. Days are inclusive. */
export interface SessionsBehind {
  readonly since?: string | null;
  readonly until?: string | null;
  readonly model?: string;
  readonly workspace?: string;
  readonly branch?: string;
  readonly tool?: string;
  readonly file?: string;
  readonly error?: string;
}

const FIELDS = ['model', 'workspace', 'branch', 'tool', 'file', 'error'] as const;

/** A figure's sessions in the search language, as the list of sessions takes it. */
export function sessionsQuery(behind: SessionsBehind): string {
  const { since, until } = behind;
  const terms = [
    ...(since ? [`used_after:${since}`] : []),
    ...(until ? [`used_before:${addDays(until, 1)}`] : []),
    ...FIELDS.flatMap((name) => (behind[name] ? [`${name}:${quoted(behind[name])}`] : [])),
  ];
  return terms.join(' ');
}

/** Quotes cannot be escaped in the language; the longest part without one finds the same or a few more sessions. */
function quoted(value: string): string {
  const parts = value.split(/["\p{Cc}]/u).toSorted((a, b) => b.length - a.length);
  const [longest = ''] = parts;
  return /^[\w./@-]+$/.test(longest) ? longest : `"${longest}"`;
}
