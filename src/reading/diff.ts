import { diffArrays, diffWordsWithSpace } from 'diff';
import type { PatchHunk } from '../api/transcript.ts';

/** Lines of a diff in a shared page or an exported file. */
export const MAX_SHARED_DIFF_LINES = 2_000;

/** A line of a diff: removed, added, unchanged, or a note about omitted unchanged lines. */
export interface DiffLine {
  readonly mark: '-' | '+' | ' ' | '…';
  readonly text: string;
  /** The text in parts, if only some words of the line changed. */
  readonly parts: readonly DiffPart[] | null;
  /** Its number in the file before the change; absent if it was not there or its place is unknown. */
  readonly oldNumber?: number;
  /** Its number in the file after the change. */
  readonly newNumber?: number;
}

export interface DiffPart {
  readonly text: string;
  readonly isChanged: boolean;
}

export interface Edit {
  readonly before: string;
  readonly after: string;
}

export interface Diff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
}

/** With more changed lines than this, the whole middle is shown as replaced: the search time is quadratic. */
const MAX_CHANGED_LINES = 1_000;
const CONTEXT_LINES = 2;

/** Line diff of one or more edits, with a few lines of context. */
export function diffEdits(edits: readonly Edit[]): Diff {
  return countedDiff(edits.flatMap(({ before, after }) => diffTexts(before, after)));
}

/** The diff that the client reported, with the numbers of the lines in the file. */
export function diffPatch(hunks: readonly PatchHunk[]): Diff {
  return countedDiff(hunks.flatMap((hunk, at) => [...linesBetween(hunks[at - 1], hunk), ...hunkLines(hunk)]));
}

function countedDiff(lines: readonly DiffLine[]): Diff {
  const count = (wanted: string) => lines.filter(({ mark }) => mark === wanted).length;
  return { lines, added: count('+'), removed: count('-') };
}

function linesBetween(before: PatchHunk | undefined, { new_start }: PatchHunk): readonly DiffLine[] {
  if (before === undefined) return [];
  const shown = before.lines.filter((line) => line.startsWith('+') || line.startsWith(' ')).length;
  const hidden = new_start - before.new_start - shown;
  return [{ mark: '…', text: hidden > 0 ? `${hidden} unchanged lines` : '', parts: null }];
}

function hunkLines({ old_start, new_start, lines }: PatchHunk): readonly DiffLine[] {
  const runs: { readonly mark: Run['mark']; readonly texts: string[] }[] = [];
  for (const line of lines) {
    const mark = line[0];
    // `\ No newline at end of file` is not a line of the file.
    if (mark !== '+' && mark !== '-' && mark !== ' ') continue;
    const last = runs.at(-1);
    if (last?.mark === mark) last.texts.push(line.slice(1));
    else runs.push({ mark, texts: [line.slice(1)] });
  }
  let [old, fresh] = [old_start, new_start];
  return drawRuns(runs, (texts) => texts.map(sameLine)).map((line) => ({
    ...line,
    ...(line.mark === '+' ? {} : { oldNumber: old++ }),
    ...(line.mark === '-' ? {} : { newNumber: fresh++ }),
  }));
}

function sameLine(text: string): DiffLine {
  return { mark: ' ', text, parts: null };
}

/** `+4 −7`. */
export function formatChange({ added, removed }: Pick<Diff, 'added' | 'removed'>): string {
  return `+${added} −${removed}`;
}

function diffTexts(before: string, after: string): readonly DiffLine[] {
  const old = linesOf(before);
  const fresh = linesOf(after);
  const changes = diffArrays(old, fresh, { maxEditLength: MAX_CHANGED_LINES });
  const runs = changes?.map(({ value, added, removed }) => ({
    mark: removed ? ('-' as const) : added ? ('+' as const) : (' ' as const),
    texts: value,
  }));
  return drawRuns(runs ?? replaceMiddle(old, fresh), contextLines);
}

/** A trailing newline does not start another line. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

interface Run {
  readonly mark: '-' | '+' | ' ';
  readonly texts: readonly string[];
}

function replaceMiddle(old: readonly string[], fresh: readonly string[]): readonly Run[] {
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  return [
    { mark: ' ', texts: old.slice(0, head) },
    { mark: '-', texts: old.slice(head, old.length - tail) },
    { mark: '+', texts: fresh.slice(head, fresh.length - tail) },
    { mark: ' ', texts: old.slice(old.length - tail) },
  ];
}

type DrawContext = typeof contextLines;

function drawRuns(all: readonly Run[], drawContext: DrawContext): readonly DiffLine[] {
  const runs = all.filter(({ texts }) => texts.length > 0);
  return runs.flatMap(({ mark, texts }, at): readonly DiffLine[] => {
    if (mark === ' ') return drawContext(texts, at > 0, at < runs.length - 1);
    const other = mark === '-' ? runs[at + 1] : runs[at - 1];
    const isPair = other !== undefined && other.mark !== ' ' && other.texts.length <= MAX_WORD_DIFF_LINES;
    return texts.map((text, line) => ({
      mark,
      text,
      parts: isPair ? wordParts(mark, text, other.texts[line]) : null,
    }));
  });
}

function contextLines(texts: readonly string[], isAfterChange: boolean, isBeforeChange: boolean): readonly DiffLine[] {
  const first = isAfterChange ? CONTEXT_LINES : 0;
  const last = isBeforeChange || !isAfterChange ? CONTEXT_LINES : 0;
  const isBetween = isAfterChange && isBeforeChange;
  const hidden = texts.length - first - last;
  // A note about one line takes as much room as the line.
  if (hidden <= (isBetween ? 1 : 0)) return texts.map(sameLine);
  const note: DiffLine = { mark: '…', text: `${hidden} unchanged lines`, parts: null };
  const end = texts.length - last;
  return [...texts.slice(0, first).map(sameLine), ...(isBetween ? [note] : []), ...texts.slice(end).map(sameLine)];
}

/** When more lines than this were replaced at once, the two sides are rarely versions of each other. */
const MAX_WORD_DIFF_LINES = 40;
/** Longer lines are mostly generated, and marks in them would not be visible. */
const MAX_WORD_DIFF_CHARS = 500;
const MIN_SHARED = 0.4;

/** The changed words of two lines; null if they have too little in common. */
function wordParts(mark: '-' | '+', text: string, other: string | undefined): readonly DiffPart[] | null {
  if (other === undefined || text.length > MAX_WORD_DIFF_CHARS || other.length > MAX_WORD_DIFF_CHARS) return null;
  const [before, after] = mark === '-' ? [text, other] : [other, text];
  const changes = diffWordsWithSpace(before, after);
  const own = changes.filter(({ added, removed }) => (mark === '-' ? !added : !removed));
  const shared = changes.filter(({ added, removed }) => !added && !removed).map(({ value }) => value.trim());
  const sharedChars = shared.reduce((sum, { length }) => sum + length, 0);
  if (sharedChars < MIN_SHARED * Math.max(before.trim().length, after.trim().length)) return null;
  return own.map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }));
}

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
