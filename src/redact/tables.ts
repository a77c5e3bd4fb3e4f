import { type Detect, GUTTER, type Report } from './detect.ts';
import { classifyName, secretKind } from './names.ts';

const MAX_CELLS = 40;
const MAX_ROWS = 5_000;
const MAX_HEADER_CHARS = 1_000;
/** The heading of such a column: the last word of a cell. */
const HEADING =
  /(?:assword|ASSWORD|asswd|assphrase|ASSPHRASE|_pass|_PASS|_pw|_PW|[pP]wd|PWD|_PAT|Pass|asswort|ecret|ECRET|oken|OKEN|_key|_KEY|iKey|sKey| [kK]ey)["']?[ ]{0,20}(?=[,;|│║\t\r]|\n|(?<= {2})\w)/g;

/** A cell of a header: a name of a few words, possibly in quotes. */
const CELL = String.raw`[ ]{0,20}["']?[A-Za-z][\w .-]{0,40}["']?[ ]{0,20}`;
const headerOf = (separator: string, edge: string, cell = CELL) =>
  new RegExp(String.raw`^${GUTTER}${edge}(${cell}(?:${separator}${cell}){1,${MAX_CELLS - 1}})${edge}[ \t\r]{0,4}$`);
const HEADERS: ReadonlyMap<string, RegExp> = new Map([
  [',', headerOf(',', '')],
  [';', headerOf(';', '')],
  ['\t', headerOf(String.raw`\t`, '', String.raw`[A-Za-z][\w.-]{0,40}`)],
  ['|', headerOf(String.raw`\|`, String.raw`\|?`)],
  ['│', headerOf('│', '│?')],
  ['║', headerOf('║', '║?')],
]);
/** Columns that are aligned with spaces: `NAME     TOKEN`. */
const ALIGNED =
  /^[ ]{0,8}[A-Za-z][\w-]{0,40}(?: [A-Za-z][\w-]{0,40}){0,2}(?:[ ]{2,60}[A-Za-z][\w-]{0,40}(?: [A-Za-z][\w-]{0,40}){0,2}){1,12}[ ]{0,80}\r?$/;
const ALIGNED_CELL = /\S+(?: \S+)*/g;
const RULE = /^[\s|:+\-─│┼├┤┬┴┌┐└┘═╪╞╡╔╗╚╝╠╣╦╩╬║]{3,2000}$/;

interface Cell {
  readonly text: string;
  readonly start: number;
}

/** Finds the values below a heading such as `password`: in CSV files, Markdown tables and output of database clients. */
export const detectTables: Detect = (text, report) => {
  let next = 0;
  for (const { index } of text.matchAll(HEADING)) {
    if (index < next) continue;
    const start = text.lastIndexOf('\n', index) + 1;
    next = text.indexOf('\n', index) + 1;
    if (next === 0) return;
    if (next - start > MAX_HEADER_CHARS) continue;
    const header = text.slice(start, next - 1);
    for (const [separator, pattern] of HEADERS) {
      const names = pattern.exec(header)?.[1]?.split(separator).map(bareName) ?? [];
      if (!names.some((name) => classifyName(name) !== null)) continue;
      next = reportCells(
        text,
        next,
        { names, separator, lead: LEADS.find((lead) => lead.test(header)) ?? /^/ },
        report,
      );
    }
    if (ALIGNED.test(header)) next = reportAligned(text, next, header, report);
  }
};

/** Reports the values that start or end below a heading of a table aligned with spaces. */
function reportAligned(text: string, from: number, header: string, report: Report): number {
  const columns = [...header.matchAll(ALIGNED_CELL)].map(({ 0: cell, index }) => ({
    name: bareName(cell),
    start: index,
    end: index + cell.length,
  }));
  let at = from;
  for (let row = 0; row < MAX_ROWS && at < text.length; row++) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, end);
    if (!/\S[ ]{2,}\S|^[-─= ]+$/.test(line)) break;
    for (const { 0: value, index } of line.matchAll(/\S+/g)) {
      const column = columns.find((each) => each.start === index || each.end === index + value.length);
      const kind = column === undefined ? null : secretKind(column.name, value, 'bare');
      if (kind !== null) report(kind, at + index, at + index + value.length);
    }
    at = end + 1;
  }
  return at;
}

function bareName(cell: string): string {
  return cell
    .trim()
    .replaceAll(/^["']|["']$/g, '')
    .replaceAll(/\s+/g, '_');
}

interface Table {
  readonly names: readonly string[];
  readonly separator: string;
  /** What a tool puts before each line. */
  readonly lead: RegExp;
}

/** Reports the secrets in the rows from here on, and returns where the table ends. */
function reportCells(text: string, from: number, { names, separator, lead }: Table, report: Report): number {
  let at = from;
  for (let row = 0; row < MAX_ROWS && at < text.length; row++) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const start = at + (lead.exec(text.slice(at, end))?.[0].length ?? 0);
    const line = text.slice(start, end);
    const cells = RULE.test(line) ? [] : cellsOf(line, start, separator);
    if (cells.length !== names.length && !RULE.test(line)) break;
    for (const [index, { text: value, start }] of cells.entries()) {
      const kind = secretKind(names[index] ?? '', value, 'bare');
      if (kind !== null) report(kind, start, start + value.length);
    }
    at = end + 1;
  }
  return at;
}

/** The numbers of Read and grep, marks of diffs, quotes and comments. */
const LEADS = [/^[ \t]*\d{1,7}[→\t]/, /^[\w./-]{1,120}[:-]\d{1,7}[:-]/, /^\d{1,7}[:-]/, /^(?:[+>#-]|\/\/)[ ]?/];
/** The edge of a Markdown table. */
const EDGE = /^[ ]*[|│║]/;

function cellsOf(line: string, lineStart: number, separator: string): readonly Cell[] {
  const isDrawn = /[|│║]/.test(separator);
  const lead = isDrawn ? (EDGE.exec(line)?.[0].length ?? 0) : 0;
  const inner = isDrawn ? line.slice(lead).replace(/[|│║][ \t\r]*$/, '') : line;
  let at = lineStart + lead;
  return inner.split(separator).map((cell) => {
    const trimmed = cell.trim().replaceAll(/^["'`]|["'`]$/g, '');
    const start = at + (trimmed === '' ? 0 : cell.indexOf(trimmed));
    at += cell.length + 1;
    return { text: trimmed, start };
  });
}
