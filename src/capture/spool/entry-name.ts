/** `<milliseconds>-<order>-<random>.json`; zeros for the time where the file itself tells it. */
const ENTRY_NAME = /^(\d{13})-\d{1,10}-\d{1,24}\.json$/;
const ENTRY_ID = /^\d{13}-\d{1,10}-\d{1,24}$/;
const SUFFIX = '.json';
const TEMPORARY_PREFIX = '.t.';

export type NameKind =
  | { readonly kind: 'entry'; readonly id: string; readonly atMs: number }
  /** A hook is writing it, or died while it did. */
  | { readonly kind: 'temporary' }
  /** Our own notes. */
  | { readonly kind: 'note' }
  /** Of a newer format, or not ours: left alone. */
  | { readonly kind: 'unknown' };

export function readName(name: string): NameKind {
  const [, time] = ENTRY_NAME.exec(name) ?? [];
  if (time !== undefined) return { kind: 'entry', id: name.slice(0, -SUFFIX.length), atMs: Number(time) };
  if (name.startsWith(TEMPORARY_PREFIX)) return { kind: 'temporary' };
  return { kind: name.startsWith('.') ? 'note' : 'unknown' };
}

export function isEntryId(id: string): boolean {
  return ENTRY_ID.test(id);
}

export function entryName(id: string): string {
  return id + SUFFIX;
}

export function temporaryName(random: string): string {
  return TEMPORARY_PREFIX + random;
}
