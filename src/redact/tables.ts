import { type Detect, GUTTER, type Report } from './detect.ts';
import { classifyName, secretKind } from './names.ts';

const MAX_CELLS = 40;
const MAX_ROWS = 5_000;
const MAX_HEADER_CHARS = 1_000;
/** The heading of such a column: the last word of a cell. */
const HEADING =
  /(?:assword|ASSWORD|asswd|assphrase|ASSPHRASE|_pass|_PASS|_pw|_PW|[pP]wd|PWD|_PAT|ecret|ECRET|oken|OKEN|_key|_KEY|iKey|sKey| [kK]ey)["']?[ ]{0,20}(?=[,;|│\t\r]|\n)/g;

/** A cell of a header: a name of a few words, possibly in quotes. */
const CELL = String.raw`[ ]?["']?[A-Za-z][\w .-]{0,40}["']?[ ]{0,20}`;
const headerOf = (separator: string, edge: string, cell = CELL) =>
  new RegExp(String.raw`^${GUTTER}${edge}(${cell}(?:${separator}${cell}){1,${MAX_CELLS - 1}})${edge}[ \t\r]{0,4}$`);
const HEADERS: ReadonlyMap<string, RegExp> = new Map([
  [',', headerOf(',', '')],
  [';', headerOf(';', '')],
  ['\t', headerOf(String.raw`\t`, '', String.raw`[A-Za-z][\w.-]{0,40}`)],
  ['|', headerOf(String.raw`\|`, String.raw`\|?`)],
  ['│', headerOf('│', '│?')],
]);
const RULE = /^[\s|:+\-─│┼├┤┬┴┌┐└┘═╪╞╡]{3,2000}$/;

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
      next = reportCells(text, next, { names, separator }, report);
    }
  }
};

function bareName(cell: string): string {
  return cell
    .trim()
    .replaceAll(/^["']|["']$/g, '')
    .replaceAll(/\s+/g, '_');
}

interface Table {
  readonly names: readonly string[];
  readonly separator: string;
}

/** Reports the secrets in the rows from here on, and returns where the table ends. */
function reportCells(text: string, from: number, { names, separator }: Table, report: Report): number {
  let at = from;
  for (let row = 0; row < MAX_ROWS && at < text.length; row++) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, end);
    const cells = RULE.test(line) ? [] : cellsOf(line, at, separator);
    if (cells.length !== names.length && !RULE.test(line)) break;
    for (const [index, { text: value, start }] of cells.entries()) {
      const kind = secretKind(names[index] ?? '', value, 'bare');
      if (kind !== null) report(kind, start, start + value.length);
    }
    at = end + 1;
  }
  return at;
}

/** The line number of Read, and the edge of a Markdown table. */
const LEAD = /^(?:[ \t]*\d+[→\t])?(?:[ ]*[|│])?/;

function cellsOf(line: string, lineStart: number, separator: string): readonly Cell[] {
  // A number before a tab may be the first cell.
  const lead = (separator === '\t' ? /^[ ]*\d+→/ : LEAD).exec(line)?.[0].length ?? 0;
  const inner = /[|│]/.test(separator) ? line.slice(lead).replace(/[|│][ \t\r]*$/, '') : line.slice(lead);
  let at = lineStart + lead;
  return inner.split(separator).map((cell) => {
    const trimmed = cell.trim().replaceAll(/^["'`]|["'`]$/g, '');
    const start = at + (trimmed === '' ? 0 : cell.indexOf(trimmed));
    at += cell.length + 1;
    return { text: trimmed, start };
  });
}
