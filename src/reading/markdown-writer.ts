import { firstLine } from './format.ts';
import {
  backticksFor,
  INLINE_CODE,
  type ListItem,
  MAX_MARKDOWN_CHARS,
  type MarkdownBlock,
  MIN_FENCE,
  parseInline,
  parseMarkdown,
  splitFences,
} from './markdown.ts';

/**
 * Writes Markdown for GitHub in which text from transcripts cannot do more than be text: no HTML, no images, no
 * definitions, and nothing that ends or opens a block of the document around it. Texts of the model are parsed with the
 * same rules as on the page and written again, so the document has exactly the blocks that the page shows.
 */

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Bidi_Control}/gu;

function plain(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(CONTROLS, '\ufffd');
}

/**
 * Characters with a meaning within a line. An underscore within a word has none, and names are full of them. Addresses
 * become links on GitHub, and characters in them cannot be escaped.
 */
const INLINE_MARKS = /[\\`*[\]|~$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|:(?=\/\/)|(?<=www)\.|(?<=[\w.+-])@/giu;
/** What would start a block at the beginning of a line. */
const BLOCK_MARK = /^(?:[-+=#]|\d+(?=[.)](?:\s|$)))/;

/** Escapes text of one line so that exactly these characters are shown, anywhere in a line. */
export function escapeInline(text: string): string {
  return plain(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(INLINE_MARKS, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** The same for a whole line, which must not start a block. */
export function escapeLine(text: string): string {
  return guardLine(escapeInline(plain(text).trim()));
}

function guardLine(line: string): string {
  return line.replace(BLOCK_MARK, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`));
}

/** The lookbehind keeps the time linear: without it, each of many line breaks would be tried as the first one. */
export const LAST_LINE_ENDS = /(?<!\n)\n+$/;

/** A code block, fenced by more backticks than any run of them in the text. */
export function fence(text: string, language = ''): string {
  const shown = plain(text).replace(LAST_LINE_ENDS, '');
  const ticks = backticksFor(shown, MIN_FENCE);
  return `${ticks}${language}\n${shown}\n${ticks}`;
}

/** Code within a line; nothing for blank text. */
export function codeSpan(text: string): string {
  const shown = plain(text).replaceAll(/\s+/g, ' ').trim();
  if (shown === '') return '';
  const ticks = backticksFor(shown, 1);
  const space = /^`|`$/.test(shown) ? ' ' : '';
  return ticks + space + shown + space + ticks;
}

export function quoteBlock(markdown: string): string {
  return markdown
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

const HTML_ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text within our own `<summary>`, where Markdown is not read. */
function escapeHtml(text: string): string {
  return plain(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[&<>"]/g, (char) => HTML_ENTITIES[char] ?? '');
}

/** The one line of something collapsed. */
export interface SummaryLine {
  readonly name: string;
  /** Shown as code. */
  readonly about?: string;
  readonly mark?: string;
}

const MAX_SUMMARY_CHARS = 160;

/** Opens something collapsed; followed by its parts and `CLOSE_DETAILS`, each after a blank line. */
export function openDetails({ name, about = '', mark = '' }: SummaryLine): string {
  const code = about.trim() === '' ? '' : `<code>${escapeHtml(firstLine(about, MAX_SUMMARY_CHARS))}</code>`;
  const line = [`<b>${escapeHtml(name)}</b>`, code, escapeHtml(mark)].filter((part) => part !== '').join(' ');
  return `<details>\n<summary>${line}</summary>`;
}

export const CLOSE_DETAILS = '</details>';

export function details(summary: SummaryLine, parts: readonly string[]): string {
  const shown = parts.filter((part) => part !== '');
  return [openDetails(summary), ...shown, CLOSE_DETAILS].join('\n\n');
}

/** Text typed by a person: lines stay lines, and only code is code. */
export function writeTyped(text: string): string {
  return splitFences(plain(text))
    .map((block) => {
      if (block.kind === 'code') return fence(block.text, block.language);
      return 'text' in block ? typedParagraphs(block.text) : '';
    })
    .filter((part) => part !== '')
    .join('\n\n');
}

function typedParagraphs(text: string): string {
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) =>
    paragraph
      .split('\n')
      .map((line) => guardLine(writeSpans(line.trim(), INLINE_CODE)))
      .filter((line) => line !== '')
      .join('\\\n'),
  );
  return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n');
}

/** Text written by the model. Its headings are put below those of the document. */
export function writeMarkdown(text: string): string {
  const blocks = parseMarkdown(plain(text.slice(0, MAX_MARKDOWN_CHARS)));
  const rest = text.length > MAX_MARKDOWN_CHARS ? [fence(text.slice(MAX_MARKDOWN_CHARS))] : [];
  return [...joinLists(blocks).map(writeBlock), ...rest].filter((part) => part !== '').join('\n\n');
}

/** A blank line between the items of a list does not end it. */
function joinLists(blocks: readonly MarkdownBlock[]): readonly MarkdownBlock[] {
  const joined: MarkdownBlock[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (last?.kind === 'list' && block.kind === 'list')
      joined[joined.length - 1] = { kind: 'list', items: [...last.items, ...block.items] };
    else joined.push(block);
  }
  return joined;
}

function writeBlock(block: MarkdownBlock): string {
  switch (block.kind) {
    case 'paragraph':
      return writeLines(block.text).join('\n');
    case 'heading':
      return writeHeading(block.level + HEADINGS_ABOVE, writeSpans(block.text));
    case 'code':
      return fence(block.text, block.language);
    case 'quote':
      return quoteBlock(writeLines(block.text).join('\n'));
    case 'list':
      return writeList(block.items);
    case 'table':
      return writeTable(block.rows);
    case 'rule':
      return '---';
    default:
      return block satisfies never;
  }
}

/** Title and turns of the document. */
const HEADINGS_ABOVE = 2;
const MAX_LEVEL = 6;

/** A heading of escaped text. */
export function writeHeading(level: number, text: string): string {
  const shown = text.trim().replace(/(?<!#)#+$/, (marks) => '\\#'.repeat(marks.length));
  return shown === '' ? '' : `${'#'.repeat(Math.min(level, MAX_LEVEL))} ${shown}`;
}

/** Spans may reach over lines, so lines are split after they were written. */
function writeLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => guardLine(writeSpans(line.trim())))
    .filter((line) => line !== '');
}

function writeList(items: readonly ListItem[]): string {
  /** Where the text of the items above begins. */
  const columns: number[] = [];
  return items
    .map(({ depth, marker, text, isChecked }) => {
      columns.splice(depth);
      const indent = ' '.repeat(columns.at(-1) ?? 0);
      const mark = /\d/.test(marker) ? marker : '-';
      columns.push(indent.length + mark.length + 1);
      const task = isChecked === null ? '' : isChecked ? '[x] ' : '[ ] ';
      const [first = '', ...rest] = writeLines(text);
      const inner = ' '.repeat(columns.at(-1) ?? 0);
      return [`${indent}${mark} ${task}${first}`.trimEnd(), ...rest.map((line) => inner + line)].join('\n');
    })
    .join('\n');
}

function writeTable(rows: readonly (readonly string[])[]): string {
  const width = rows[0]?.length ?? 0;
  const [head = '', ...body] = rows.map((row) => {
    const cells = Array.from({ length: width }, (_, at) => cellSpans(row[at] ?? ''));
    return `| ${cells.join(' | ')} |`;
  });
  return [head, `|${' --- |'.repeat(width)}`, ...body].join('\n');
}

/** A bar ends a cell even within code. */
function cellSpans(text: string): string {
  return writeSpans(text).replaceAll(/(?<!\\)\|/g, '\\|');
}

/** The parts of a line: code, emphasis, links and text. */
function writeSpans(text: string, pattern?: RegExp): string {
  let line = '';
  const parts = pattern === undefined ? parseInline(text) : parseInline(text, pattern);
  for (const [at, part] of parts.entries()) {
    const next = parts[at + 1]?.text ?? '';
    if (part.kind === 'code') line += codeSpan(part.text) || escapeInline(part.text);
    // After an exclamation mark, a link would be an image.
    else if (part.kind === 'link') line = line.replace(/!$/, '\\!') + writeLink(part.text, part.url);
    else if (part.kind === 'text') line += escapeInline(part.text);
    else line += emphasized(MARKS[part.kind], writeSpans(part.text, INLINE_CODE), line, next);
  }
  return line;
}

const MARKS = { strong: '**', emphasis: '*', struck: '~~' } as const;

const WORD = /[\p{L}\p{N}]/u;

/** Emphasis that a parser would not recognize, because of what is next to it, is left out. */
function emphasized(mark: string, inner: string, before: string, after: string): string {
  const isOpen = WORD.test(inner.at(0) ?? '') || !WORD.test(before.at(-1) ?? ' ');
  const isClosed = WORD.test(inner.at(-1) ?? '') || !WORD.test(after.at(0) ?? ' ');
  const isApart =
    !/[*~\\]$/.test(before) && !/^[*~]/.test(after) && !/\s/.test((inner.at(0) ?? ' ') + (inner.at(-1) ?? ' '));
  return isOpen && isClosed && isApart ? mark + inner + mark : inner;
}

function writeLink(text: string, url: string): string {
  const safe = encodeUrl(url);
  return text === url ? `<${safe}>` : `[${writeSpans(text, INLINE_CODE)}](<${safe}>)`;
}

function encodeUrl(url: string): string {
  return plain(url).replaceAll(/[\\<>|`"\s*_~$[\]&]|\ufffd/g, (char) =>
    /[&_~$*]/.test(char) ? char : encodeURIComponent(char),
  );
}
