/** Reports a secret: its kind, start and end. */
export type Report = (kind: string, start: number, end: number) => void;

/** One way to find secrets in a text. Must run in linear time. */
export type Detect = (text: string, report: Report) => void;

/** A secret in a text. `rank` is the position of its detector: where two overlap, the lower one names the kind. */
export interface Span {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly rank: number;
}

/** The replacement for a secret. Equal for equal kinds, and no detector matches it. */
export function placeholder(kind: string): string {
  return `[secret:${kind}]`;
}

export function findSpans(text: string, detectors: readonly Detect[]): Span[] {
  const spans: Span[] = [];
  for (const [rank, detect] of detectors.entries()) {
    detect(text, (kind, start, end) => {
      if (end > start) spans.push({ kind, start, end, rank });
    });
  }
  return spans;
}

/** Joins overlapping spans, so that no part of a secret survives between two matches. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || a.rank - b.rank)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) {
      merged.push(span);
      continue;
    }
    const { kind, rank } = span.rank < last.rank ? span : last;
    merged[merged.length - 1] = { kind, rank, start: last.start, end: Math.max(last.end, span.end) };
  }
  return merged;
}

/** Replaces each of the merged spans. */
export function replaceSpans(text: string, spans: readonly Span[], replacement: (kind: string) => string): string {
  if (spans.length === 0) return text;
  let result = '';
  let from = 0;
  for (const { kind, start, end } of spans) {
    result += text.slice(from, start) + replacement(kind);
    from = end;
  }
  return result + text.slice(from);
}

/**
 * Prefixes that tools add to lines: the line numbers of Read, `cat -n`, grep and code frames, diff marks, quote and
 * comment marks. Source of a regular expression; every run is bounded.
 */
export const GUTTER = String.raw`[ \t]{0,80}(?:[\w./-]{1,120}[:-](?=\d))?(?:\d{1,7}(?:[→\t:-]|[ ]{0,2}[|│]|[ ]{2}(?=\S)))?[ \t]{0,40}(?:[+>|#*-]|\/\/){0,2}[ \t]{0,40}`;

/** Finds many fixed strings in one pass over a text. */
type AnchorScan<T> = (text: string, visit: (at: number, anchor: string, value: T) => number | null) => void;

interface Anchor<T> {
  readonly text: string;
  readonly value: T;
}

const ASCII = 128;

/**
 * Indexes anchors by their first two characters, so one lookup per position rules out nearly all of them. `visit` may
 * return the position to continue from. Anchors have at least two characters, all ASCII.
 */
export function createAnchorScan<T>(
  anchors: Iterable<readonly [anchor: string, value: T]>,
  { ignoreCase = false } = {},
): AnchorScan<T> {
  const table: (Anchor<T>[] | undefined)[] = Array.from({ length: ASCII * ASCII });
  for (const [text, value] of anchors) {
    for (const slot of slotsOf(text, ignoreCase)) table[slot] = [...(table[slot] ?? []), { text, value }];
  }
  const isAt = (text: string, anchor: string, at: number) =>
    ignoreCase ? text.slice(at, at + anchor.length).toLowerCase() === anchor : text.startsWith(anchor, at);
  return (text, visit) => {
    let second = text.charCodeAt(0);
    for (let at = 0; at < text.length - 1; at++) {
      const first = second;
      second = text.charCodeAt(at + 1);
      if (first >= ASCII || second >= ASCII) continue;
      const list = table[first * ASCII + second];
      if (list === undefined) continue;
      let next = at;
      for (const { text: anchor, value } of list) {
        if (isAt(text, anchor, at)) next = Math.max(next, visit(at, anchor, value) ?? at);
      }
      if (next <= at) continue;
      at = next - 1;
      second = text.charCodeAt(next);
    }
  };
}

/** Groups items that have several keys each. */
export function groupByEach<T>(
  items: readonly T[],
  keysOf: (item: T) => readonly string[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    for (const key of keysOf(item)) groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}

function slotsOf(anchor: string, ignoreCase: boolean): readonly number[] {
  const [first = '', second = ''] = anchor;
  const cases = (char: string) => (ignoreCase ? [...new Set([char.toLowerCase(), char.toUpperCase()])] : [char]);
  return cases(first).flatMap((a) => cases(second).map((b) => a.charCodeAt(0) * ASCII + b.charCodeAt(0)));
}

/** A secret recognized by the text before it: group 1 of the pattern stays, group 2 is the secret. */
export interface Context {
  readonly kind: string;
  /** A text that contains none of these cannot match. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
  readonly isSecret: (value: string) => boolean;
}

const anything = () => true;

export function context(
  kind: string,
  hints: string | readonly string[],
  pattern: RegExp,
  isSecret: (value: string) => boolean = anything,
): Context {
  return { kind, hints: typeof hints === 'string' ? [hints] : hints, pattern, isSecret };
}

export function detectContexts(contexts: readonly Context[]): Detect {
  const scan = createAnchorScan(groupByEach(contexts, ({ hints }) => hints));
  return (text, report) => {
    const windows = new Map<Context, Window[]>();
    scan(text, (at, _, found) => {
      for (const each of found) addWindow(windows, each, at);
      return null;
    });
    for (const [{ kind, pattern, isSecret }, list] of windows) {
      for (const { index, before, value } of list.flatMap((window) => matchesIn(text, pattern, window))) {
        const start = index + before.length;
        if (isSecret(value)) report(kind, start, start + value.length);
      }
    }
  };
}

/** A part of a text around the hints of a context. */
interface Window {
  readonly from: number;
  to: number;
}

/** A match starts at most this far before its hint, and rarely ends further behind it. */
const WINDOW_BEFORE = 1_000;
const WINDOW_AFTER = 2_000;

function addWindow(windows: Map<Context, Window[]>, each: Context, at: number): void {
  const list = windows.get(each);
  const last = list?.at(-1);
  if (last !== undefined && at - WINDOW_BEFORE <= last.to) last.to = at + WINDOW_AFTER;
  else if (list === undefined) windows.set(each, [newWindow(at)]);
  else list.push(newWindow(at));
}

function newWindow(at: number): Window {
  return { from: Math.max(0, at - WINDOW_BEFORE), to: at + WINDOW_AFTER };
}

interface ContextMatch {
  readonly index: number;
  readonly before: string;
  readonly value: string;
}

/** A match at an edge of the window is repeated in the whole text, where it may be longer or none at all. */
function matchesIn(text: string, pattern: RegExp, { from, to }: Window): readonly ContextMatch[] {
  const part = text.slice(from, to);
  return [...part.matchAll(pattern)].flatMap((match) => {
    const index = from + match.index;
    const isCut =
      (match.index === 0 && from > 0) || (match.index + match[0].length === part.length && to < text.length);
    const whole = isCut ? matchFrom(text, pattern, index) : match;
    if (whole === null || (isCut && whole.index !== index)) return [];
    const [, before = '', value = ''] = whole;
    return [{ index, before, value }];
  });
}

/** Leaves the pattern as it was: other searches start at its position. */
function matchFrom(text: string, pattern: RegExp, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  pattern.lastIndex = 0;
  return match;
}
