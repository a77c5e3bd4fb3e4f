import type { FileTouch } from '../../domain/transcript-structure.ts';
import type { JsonValue } from '../../domain/transcript.ts';
import { asList, asObject } from '../read/json.ts';

/** Added and removed lines of a `structuredPatch`; null when there is no hunk to count. */
export function countPatch(patch: JsonValue | undefined): Pick<FileTouch, 'linesAdded' | 'linesRemoved'> | null {
  const hunks = asList(patch);
  if (hunks === null || hunks.length === 0) return null;
  let [linesAdded, linesRemoved] = [0, 0];
  for (const hunk of hunks) {
    for (const line of asList(asObject(hunk)?.['lines']) ?? []) {
      if (typeof line !== 'string') continue;
      const sign = line.charCodeAt(0);
      if (sign === 0x2b) linesAdded += 1;
      else if (sign === 0x2d) linesRemoved += 1;
    }
  }
  return { linesAdded, linesRemoved };
}

/** Lines of a text; a last newline ends a line and does not begin another. */
export function countLines(text: string): number {
  if (text === '') return 0;
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** Changed lines between two texts without a full diff: what is left after the common head and tail. */
export function countReplaced(before: string, after: string): Pick<FileTouch, 'linesAdded' | 'linesRemoved'> {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  const isOldEmpty = before === '';
  const isFreshEmpty = after === '';
  return {
    linesAdded: isFreshEmpty ? 0 : fresh.length - head - tail,
    linesRemoved: isOldEmpty ? 0 : old.length - head - tail,
  };
}
