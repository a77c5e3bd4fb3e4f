import type { Diff, DiffLine } from './diff.ts';

/**
 * Finds the change that a line of a diff comes from, among the changes of one file, newest first. An added line comes from
 * its own change; any other one from the latest earlier change that added the same text, or -1 if none did.
 */
export function createBlame(changes: readonly (Diff | null)[]): (change: number, line: DiffLine) => number {
  const added = new Map<string, number[]>();
  for (const [at, diff] of changes.entries())
    for (const text of new Set((diff?.lines ?? []).filter(({ mark }) => mark === '+').map((line) => line.text)))
      added.set(text, [...(added.get(text) ?? []), at]);
  return (change, { mark, text }) => {
    if (mark === '+') return change;
    // Blank lines and brackets are everywhere.
    if (mark === '…' || !/\w{2}/.test(text)) return NONE;
    return added.get(text)?.find((at) => at > change) ?? NONE;
  };
}

const NONE = -1;
