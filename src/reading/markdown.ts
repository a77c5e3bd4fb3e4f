import { FENCE_MARK } from '../domain/text-origin.ts';

/** A small, safe subset of Markdown as data, which the page renders with React. No HTML and no images. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong'; readonly text: string }
  | { readonly kind: 'emphasis'; readonly text: string }
  | { readonly kind: 'struck'; readonly text: string }
  /** A link to a web address; a link to anything else is text. */
  | { readonly kind: 'link'; readonly text: string; readonly url: string };

export interface ListItem {
  readonly depth: number;
  readonly marker: string;
  readonly text: string;
  /** Null for an item without a box. */
  readonly isChecked: boolean | null;
}

export type MarkdownBlock =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly ListItem[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'rule' };

/** Longer texts are not read as Markdown. */
export const MAX_MARKDOWN_CHARS = 200_000;

const FENCE = new RegExp(`^ {0,3}${FENCE_MARK}\\s*([\\w+#.-]*)`);
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^(\s{0,20})([-*+]|\d{1,4}[.)])\s+(.*)$/;
/** `[x] done` at the beginning of an item. */
const BOX = /^\[([ xX])\] +(?=\S)/;
const QUOTE = /^ {0,3}>\s?(.*)$/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const TABLE_ROW = /^\s*\|(.*)\|\s*$/;
const TABLE_LINE = /^\s*\|[\s:|-]+\|\s*$/;

interface Taken {
  readonly block: MarkdownBlock;
  readonly next: number;
}
type Taker = (lines: readonly string[], at: number) => Taken | null;

const TAKERS: readonly Taker[] = [takeCode, takeHeading, takeRule, takeTable, takeQuote, takeList];

/** Never fails: unrecognized text becomes a paragraph. Runs in linear time. */
export function parseMarkdown(text: string): MarkdownBlock[] {
  const lines = text.split(/\r?\n/);
  const blocks: MarkdownBlock[] = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at]?.trim() === '') {
      at += 1;
      continue;
    }
    const taken = takeBlock(lines, at) ?? takeParagraph(lines, at);
    blocks.push(taken.block);
    at = taken.next;
  }
  return blocks;
}

function takeBlock(lines: readonly string[], at: number): Taken | null {
  for (const take of TAKERS) {
    const taken = take(lines, at);
    if (taken !== null) return taken;
  }
  return null;
}

function takeWhile(lines: readonly string[], at: number, fits: (line: string) => boolean): string[] {
  const taken: string[] = [];
  for (let i = at; i < lines.length && fits(lines[i] ?? ''); i += 1) taken.push(lines[i] ?? '');
  return taken;
}

/** Splits typed text at its fences into code and text; all other characters are unchanged. */
export function splitFences(text: string): MarkdownBlock[] {
  const lines = text.split('\n');
  const blocks: MarkdownBlock[] = [];
  for (let at = 0; at < lines.length; ) {
    const code = takeCode(lines, at);
    const plain = code === null ? takeWhile(lines, at, (line) => !FENCE.test(line)) : [];
    blocks.push(code?.block ?? { kind: 'paragraph', text: plain.join('\n') });
    at = code?.next ?? at + plain.length;
  }
  return blocks;
}

function takeParagraph(lines: readonly string[], at: number): Taken {
  const rest = takeWhile(lines, at + 1, (line) => line.trim() !== '' && !startsBlock(line));
  return { block: { kind: 'paragraph', text: [lines[at], ...rest].join('\n') }, next: at + 1 + rest.length };
}

function startsBlock(line: string): boolean {
  return (
    FENCE.test(line) ||
    HEADING.test(line) ||
    ITEM.test(line) ||
    QUOTE.test(line) ||
    RULE.test(line) ||
    TABLE_ROW.test(line)
  );
}

function takeCode(lines: readonly string[], at: number): Taken | null {
  const fence = FENCE.exec(lines[at] ?? '');
  const mark = fence?.[1];
  if (mark === undefined) return null;
  const body = takeWhile(lines, at + 1, (line) => !closesFence(line.trim(), mark));
  return { block: { kind: 'code', language: fence?.[2] ?? '', text: body.join('\n') }, next: at + body.length + 2 };
}

/** At least as many marks, and nothing behind them: inside "```markdown", "```sh" is text. */
function closesFence(line: string, mark: string): boolean {
  return line.startsWith(mark) && line === mark.charAt(0).repeat(line.length);
}

function takeHeading(lines: readonly string[], at: number): Taken | null {
  const match = HEADING.exec(lines[at] ?? '');
  if (match === null) return null;
  return { block: { kind: 'heading', level: match[1]?.length ?? 1, text: match[2] ?? '' }, next: at + 1 };
}

function takeRule(lines: readonly string[], at: number): Taken | null {
  return RULE.test(lines[at] ?? '') ? { block: { kind: 'rule' }, next: at + 1 } : null;
}

function takeQuote(lines: readonly string[], at: number): Taken | null {
  const quoted = takeWhile(lines, at, (line) => QUOTE.test(line));
  if (quoted.length === 0) return null;
  const text = quoted.map((line) => QUOTE.exec(line)?.[1] ?? '').join('\n');
  return { block: { kind: 'quote', text }, next: at + quoted.length };
}

function takeTable(lines: readonly string[], at: number): Taken | null {
  if (!TABLE_ROW.test(lines[at] ?? '') || !TABLE_LINE.test(lines[at + 1] ?? '')) return null;
  const taken = takeWhile(lines, at, (line) => TABLE_ROW.test(line));
  const rows = taken
    .filter((_, index) => index !== 1)
    .map((line) => (TABLE_ROW.exec(line)?.[1] ?? '').split('|').map((cell) => cell.trim()));
  return { block: { kind: 'table', rows }, next: at + taken.length };
}

function itemOf([, indent = '', marker = '-', text = '']: RegExpExecArray): ListItem {
  const box = BOX.exec(text);
  const isChecked = box === null ? null : box[1] !== ' ';
  return { depth: Math.floor(indent.length / 2), marker, text: text.slice(box?.[0].length ?? 0), isChecked };
}

function takeList(lines: readonly string[], at: number): Taken | null {
  const items: ListItem[] = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    const match = ITEM.exec(line);
    const last = items.at(-1);
    if (match !== null) {
      items.push(itemOf(match));
    } else if (last !== undefined && /^\s+\S/.test(line) && !FENCE.test(line)) {
      items[items.length - 1] = { ...last, text: `${last.text}\n${line.trim()}` };
    } else break;
  }
  return items.length === 0 ? null : { block: { kind: 'list', items }, next };
}

// Each alternative is bounded by its own end mark and excludes it inside, so long text causes no backtracking.
const INLINE =
  /(`{1,4})([^`]+)\1|\*\*([^*\n]+)\*\*|__([^_\n]+)__|(?<=^|[\s("'])\*([\p{L}\p{N}](?:[^*\n]*[^*\s])?)\*(?![\w*])|!?\[([^[\]\n]{1,300})\]\(([^\s()]{1,2000})\)|(?<![\w/])(https?:\/\/[^\s<>"'`)\]]{0,2000}[\w/#=&-])|(?<!~)~~([^~\n]+)~~(?!~)/gmu;

/** Code only: used inside bold text and for typed text, where an asterisk may be just an asterisk. */
export const INLINE_CODE = /(`{1,4})([^`\n]+)\1/g;

export function parseInline(text: string, pattern: RegExp = INLINE): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) });
    parts.push(inlineOf(match));
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) });
  return parts;
}

function inlineOf(match: RegExpExecArray): Inline {
  if (match[2] !== undefined) return { kind: 'code', text: match[2] };
  if (match[6] !== undefined) return linkOf(match[6], match[7] ?? '');
  if (match[8] !== undefined) return linkOf(match[8], match[8]);
  if (match[9] !== undefined) return { kind: 'struck', text: match[9] };
  const strong = match[3] ?? match[4];
  return strong === undefined ? { kind: 'emphasis', text: match[5] ?? '' } : { kind: 'strong', text: strong };
}

function linkOf(text: string, url: string): Inline {
  return /^https?:\/\//i.test(url) ? { kind: 'link', text, url } : { kind: 'text', text };
}

/** Backticks around code. A line of this many starts a block. */
export const MIN_FENCE = 3;

/** More backticks than any run of them in the text. */
export function backticksFor(text: string, minimum: number): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  return '`'.repeat(Math.max(minimum, longest + 1));
}
