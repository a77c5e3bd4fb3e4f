import { appendFileSync, lstatSync } from 'node:fs';
import { join } from 'node:path';

/** `<milliseconds>-<order>-<random>.json`; all zeros when the time is taken from the file's mtime. */
const ENTRY_NAME = /^(\d{13})-\d{1,10}-\d{1,24}\.json$/;
const ENTRY_ID = /^\d{13}-\d{1,10}-\d{1,24}$/;
const SUFFIX = '.json';
const TEMPORARY_PREFIX = '.t.';

type NameKind =
  | { readonly kind: 'entry'; readonly id: string; readonly atMs: number }
  /** Being written by a hook, or left by a hook that was killed. */
  | { readonly kind: 'temporary' }
  /** Our own bookkeeping files. */
  | { readonly kind: 'note' }
  /** From a newer format, or not ours: left alone. */
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

/** One byte per dropped entry, appended by hooks and by us: the file size is the count. */
const NAME = '.dropped';

export function recordDropped(folder: string, count: number): void {
  if (count > 0) appendFileSync(join(folder, NAME), '.'.repeat(count), { mode: 0o600 });
}

export function readDropped(folder: string): number {
  return lstatSync(join(folder, NAME), { throwIfNoEntry: false })?.size ?? 0;
}
