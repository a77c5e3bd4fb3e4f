import type { Highlight } from '../domain/search.ts';
import type { Found } from './find-words.ts';

const BEFORE_CHARS = 60;
const SNIPPET_CHARS = 220;

interface Snippet {
  readonly snippet: string;
  readonly highlights: readonly Highlight[];
}

/** The first match of the rarest leaf. */
export function firstMatch(found: readonly (readonly Found[])[]): Pick<Found, 'from' | 'to'> {
  const rarest = found.filter((list) => list.length > 0).toSorted((a, b) => a.length - b.length)[0];
  return rarest?.[0] ?? { from: 0, to: 0 };
}

/** The text around the first match of the rarest leaf, with all matches in it marked: on one line, or in its own lines. */
export function snippetOf(text: string, found: readonly (readonly Found[])[], hasLines = false): Snippet {
  const first = firstMatch(found);
  const near = startOfWord(text, wholeCharacter(text, Math.max(0, first.from - BEFORE_CHARS)), first.from);
  const from = hasLines ? startOfLine(text, near) : near;
  const to = endOfWord(text, wholeCharacter(text, Math.min(text.length, from + SNIPPET_CHARS)), first.to);
  const inside = found
    .flat()
    .filter((span) => span.from >= from && span.to <= to)
    .toSorted((a, b) => a.from - b.from || b.to - a.to);
  return cutOut(text, { from, to }, inside, hasLines);
}

const MAX_INDENT_CHARS = 160;

/** The start of the line that a position is in, if it is near. */
function startOfLine(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return at - start <= MAX_INDENT_CHARS ? start : at;
}

/** A name whose value is the next word. */
const NAME_BEFORE = /(?:^|\s)(?:\S{1,64}[:=]["']?|--?\S{1,40})[ \t]{1,8}$/;
const MAX_NAME_CHARS = 80;

/**
 * Start of a snippet: not inside a word, and not between a name and its value. The redactor could not recognize half a
 * secret, or one without its name.
 */
function startOfWord(text: string, from: number, before: number): number {
  if (from === 0) return 0;
  const space = /\s/.exec(text.slice(from - 1, before))?.index;
  const start = space === undefined ? from : from + space;
  const name = NAME_BEFORE.exec(text.slice(Math.max(0, start - MAX_NAME_CHARS), start))?.[0].trimStart();
  return start - (name?.length ?? 0);
}

function endOfWord(text: string, to: number, after: number): number {
  if (to === text.length || /\s/.test(text.charAt(to))) return to;
  const torn = /\S*$/.exec(text.slice(after, to))?.[0].length ?? 0;
  return torn === to - after ? to : to - torn;
}

function wholeCharacter(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? '') && /[\ud800-\udbff]/.test(text[at - 1] ?? '') ? at - 1 : at;
}

/** Colors and cursor movements in program output. */
// oxlint-disable-next-line no-control-regex -- escape sequences are what it looks for
const TERMINAL_CODES = /\u001b\[[\d;:?]*[A-Za-z]/g;

function codesIn(text: string, { from, to }: { from: number; to: number }): ReadonlySet<number> {
  const inside = new Set<number>();
  for (const { index, 0: code } of text.slice(from, to).matchAll(TERMINAL_CODES)) {
    for (let at = 0; at < code.length; at++) inside.add(from + index + at);
  }
  return inside;
}

/** White space becomes one blank, unless lines are kept, and terminal codes are removed; the marks move with the text. */
function cutOut(
  text: string,
  { from, to }: { from: number; to: number },
  found: readonly Found[],
  hasLines: boolean,
): Snippet {
  let snippet = from > 0 ? '…' : '';
  const places = new Map<number, number>();
  const codes = codesIn(text, { from, to });
  const edges = new Set(found.flatMap((span) => [span.from, span.to]));
  for (let at = from; at <= to; at++) {
    if (edges.has(at)) places.set(at, snippet.length);
    const char = at < to && !codes.has(at) ? (text[at] ?? '') : '';
    snippet += /\s/.test(char) ? blankFor(char, snippet, hasLines) : char;
  }
  const end = snippet.trimEnd().length;
  const highlights: Highlight[] = [];
  for (const span of found) {
    const start = Math.max(places.get(span.from) ?? 0, highlights.at(-1)?.[1] ?? 0);
    const stop = Math.min(places.get(span.to) ?? 0, end);
    if (stop > start) highlights.push([start, stop]);
  }
  return { snippet: `${snippet.slice(0, end).toWellFormed()}${to < text.length ? '…' : ''}`, highlights };
}

function blankFor(char: string, before: string, hasLines: boolean): string {
  if (!hasLines) return before === '' || before.endsWith(' ') ? '' : ' ';
  if (char === '\n') return before === '' || before.endsWith('\n\n') ? '' : '\n';
  return char === '\r' ? '' : ' ';
}
