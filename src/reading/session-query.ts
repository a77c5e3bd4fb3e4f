import { addDays } from '../domain/days.ts';

/** What the sessions behind a figure have in common. Days are inclusive. */
export interface SessionsBehind {
  readonly since?: string | null;
  readonly until?: string | null;
  /** One of several, if there is more than one. */
  readonly models?: readonly string[];
  readonly workspace?: string;
  readonly branch?: string;
  readonly tool?: string;
  readonly file?: string;
  readonly error?: string;
}

const FIELDS = ['workspace', 'tool', 'file', 'error'] as const;

/** A figure's sessions in the search language, as the list of sessions takes it. */
export function sessionsQuery(behind: SessionsBehind): string {
  const { since, until } = behind;
  const terms = [
    ...(since ? [`used_after:${since}`] : []),
    ...(until ? [`used_before:${addDays(until, 1)}`] : []),
    ...oneOf('model', behind.models?.filter((model) => model !== '') ?? []),
    ...FIELDS.flatMap((name) => (behind[name] ? [`${name}:${quoted(behind[name])}`] : [])),
    ...(behind.branch ? [`used_branch:${exactly(behind.branch)}`] : []),
  ];
  return terms.join(' ');
}

function oneOf(field: string, values: readonly string[]): readonly string[] {
  const terms = values.map((value) => `${field}:${quoted(value)}`);
  return terms.length > 1 ? [`(${terms.join(' OR ')})`] : terms;
}

/** The whole name, since other names may contain it. */
function exactly(value: string): string {
  if (/["\p{Cc}]/u.test(value)) return quoted(value);
  return PLAIN.test(value) ? `=${value}` : `"=${value}"`;
}

const PLAIN = /^[\w./@-]+$/;

/** Quotes cannot be escaped in the language; the longest part without one finds the same or a few more sessions. */
function quoted(value: string): string {
  const parts = value.split(/["\p{Cc}]/u).toSorted((a, b) => b.length - a.length);
  const [longest = ''] = parts;
  return PLAIN.test(longest) ? longest : `"${longest}"`;
}
