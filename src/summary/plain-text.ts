import { FENCE_MARK } from '../domain/text-origin.ts';

/** Plain words for one line from text by people and models: without Markdown, placeholders of images and control characters. */

const FENCE = new RegExp(`^\\s*${FENCE_MARK}`);
const RULE = /^\s*(?:[-=_*]\s?){3,}$/;
const LEAD = /^\s*(?:#{1,6}\s+|[-*+•]\s+|\d{1,3}[.)]\s+|>\s?)+/;
const ANSI = /\u001b(?:\[[0-?]{0,20}[ -/]{0,5}[@-~]|\][^\u0007\u001b]{0,500}(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
const CONTROLS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;
/** Joiners are part of Persian and Indic words and of many emoji; anywhere else they are only invisible. */
const LOOSE_JOINERS =
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])[\u200c\u200d]+|[\u200c\u200d]+(?![\p{L}\p{M}\p{Extended_Pictographic}])/gu;

/** Without colors, cursor movements and invisible characters. */
export function withoutControls(text: string): string {
  return text.toWellFormed().replaceAll(ANSI, '').replaceAll(CONTROLS, '').replaceAll(LOOSE_JOINERS, '');
}

/** Lines of plain words, without code blocks, tables and rulers. */
export function plainLines(markdown: string): readonly string[] {
  return quotableLines(markdown).filter((line) => !isMark(line));
}

/** Represents a code block or a table that a quotation leaves out. */
const OMITTED = '…';
/** Represents the end of a line that is not the end of a sentence: an item of a list, a heading, a paragraph. */
const BREAK = '/';

export function isMark(line: string): boolean {
  return line === OMITTED || line === BREAK;
}

const ENDED = /[.!?…:;,。！？：；，]["”’')\]]?$/;
const TITLE_LINE = /^\s*#{1,6}\s/;
/** A line that only opens or closes a part: `<context>`. */
const TAG_LINE = /^\s*<\/?[\w-]{1,40}(?:\s[^<>]{0,200})?>\s*$/;

/** The same lines, with marks between them for what one line of text cannot show. */
export function quotableLines(markdown: string): readonly string[] {
  const lines: string[] = [];
  let isOmitted = false;
  let isApart = false;
  for (const raw of proseLines(withoutControls(markdown), OMITTED)) {
    const isLeftOut = raw === OMITTED || TAG_LINE.test(raw);
    const line = isLeftOut ? '' : plainWords(raw);
    isOmitted ||= isLeftOut;
    isApart ||= raw === OMITTED || LEAD.test(raw);
    if (/[\p{L}\p{N}]/u.test(line)) {
      const last = lines.at(-1);
      if (last !== undefined && isOmitted) lines.push(OMITTED);
      else if (last !== undefined && isApart && !ENDED.test(last)) lines.push(BREAK);
      lines.push(line);
      isOmitted = false;
      isApart = TITLE_LINE.test(raw);
    } else isApart = true;
  }
  return lines;
}

/** Unchanged lines of a text, without code blocks, tables and rulers. */
export function proseLines(markdown: string, omitted: string | null = null): readonly string[] {
  const lines: string[] = [];
  const omit = () => void (omitted !== null && lines.at(-1) !== omitted && lines.push(omitted));
  let isCode = false;
  for (const line of markdown.split('\n')) {
    const isFence = FENCE.test(line);
    if (isFence) isCode = !isCode;
    if (isFence || isCode || line.trimStart().startsWith('|')) omit();
    else if (!RULE.test(line)) lines.push(line);
  }
  return lines;
}

/** Represents an attachment where the person put it: `[Image #1]`, `[Pasted text #2 +31 lines]`. */
const PLACEHOLDER = /\[(?:Image|Pasted text|File)(?: #\d+[^\]\n]{0,60})?\]|\[Image: [^\]\n]{0,300}\]/g;

export function withoutPlaceholders(text: string): string {
  return text.replaceAll(PLACEHOLDER, '');
}

const BOLD = emphasis('\\*\\*', '[^\\s*/]');
const ITALIC = emphasis('\\*', '[\\p{L}\\p{N}`"“(]');

/** Words between two marks, as Markdown has them; not `src/**\/*.ts`, `*.md` or `**kwargs`. */
function emphasis(mark: string, first: string): RegExp {
  return new RegExp(
    `(?<![^\\s("“'>])${mark}(?=${first})([^*\\n]{1,500}?)(?<=[^\\s*])${mark}(?![\\p{L}\\p{N}*/])`,
    'gu',
  );
}

/** A line without Markdown. Everything else is quoted as written: HTML tags, `__init__`, globs. */
function plainWords(line: string): string {
  return withoutPlaceholders(line.replace(LEAD, ''))
    .replaceAll(/!?\[([^\]]{0,300})\]\([^()\s]{0,500}\)/g, '$1')
    .replaceAll(BOLD, '$1')
    .replaceAll(ITALIC, '$1')
    .replaceAll(/`+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Truncates the text to a number of characters, between words and never inside a character. */
export function cutWords(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = text
    .slice(0, maxChars - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '');
  const space = head.lastIndexOf(' ');
  return `${(space > maxChars / 2 ? head.slice(0, space) : head).replace(/[\s,;:.–—-]+$/, '')}…`;
}

const SENTENCE_END = /[.!?…](?=\s|$)|[。！？]/g;
/** At the end of a sentence; the longest one has fewer characters than this. */
const MAX_ABBREVIATION_CHARS = 20;
const ABBREVIATION = /(?:\b(?:e\.g|i\.e|etc|vs|cf|Dr|Mr|Ms|approx|no)|\b[A-Z]|\bv?\d+)\.$/;

/** The sentences of a line. */
export function sentencesOf(line: string): readonly string[] {
  const sentences: string[] = [];
  let from = 0;
  SENTENCE_END.lastIndex = 0;
  for (let end = SENTENCE_END.exec(line); end !== null; end = SENTENCE_END.exec(line)) {
    const sentence = line.slice(from, SENTENCE_END.lastIndex).trim();
    if (ABBREVIATION.test(sentence.slice(-MAX_ABBREVIATION_CHARS))) continue;
    if (sentence !== '') sentences.push(sentence);
    from = SENTENCE_END.lastIndex;
  }
  const rest = line.slice(from).trim();
  return rest === '' ? sentences : [...sentences, rest];
}

/** Two sentences of a text; Chinese and Japanese have no space between them. */
export function joinSentences(one: string, next: string): string {
  return one === '' ? next : `${one}${/[。！？]$/.test(one) ? '' : ' '}${next}`;
}

/** Grammar helpers: counts, lists, quotes. */

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;
}

/** `a, b and c`; items over the limit are counted. */
export function enumerate(items: readonly string[], max: number): string {
  return enumerateCounted(items.slice(0, max), items.length);
}

/** The same for a list of which only the first items are given. */
export function enumerateCounted(shown: readonly string[], total: number): string {
  const rest = total - shown.length;
  const all = rest > 0 ? [...shown, `${rest.toLocaleString('en-US')} more`] : shown;
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

export function quoted(text: string): string {
  return `“${text}”`;
}

/** The text as a complete sentence. */
export function sentence(text: string): string {
  const end = /[.!?…。！？]”?$/.test(text) ? '' : '.';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`;
}
