import type { Detect } from './detect.ts';
import { classifyName, secretKind } from './names.ts';

const INSERT =
  /\binsert\s{1,20}into\s{1,20}[\w."`[\]]{1,120}\s{0,20}\(([\w\s,"`[\]]{1,600})\)\s{0,20}values\s{0,20}/giy;
const INSERT_START = /\binsert\s{1,20}into\b/gi;
const ROW = /\(((?:[^()'"]|'(?:[^'\\\n]|''|\\.){0,500}'|"[^"\n]{0,500}"|\([^()]{0,80}\)){1,2000})\)[,;\s]{0,20}/y;
const FIELD = /'((?:[^'\\\n]|''|\\.){0,500})'|"([^"\n]{0,500})"|(?:[^,()'"]|\([^()]{0,80}\)){1,500}/g;
const MAX_ROWS = 1_000;

/** Finds the values of secret columns in an SQL statement that adds rows: `(name, password) VALUES ('ada', 'x')`. */
export const detectInserts: Detect = (text, report) => {
  for (const { index } of text.matchAll(INSERT_START)) {
    INSERT.lastIndex = index;
    const columns =
      INSERT.exec(text)?.[1]
        ?.split(',')
        .map((column) => column.replaceAll(/[\s"`[\]]/g, '')) ?? [];
    if (!columns.some((column) => classifyName(column) !== null)) continue;
    ROW.lastIndex = INSERT.lastIndex;
    for (let row = 0; row < MAX_ROWS; row++) {
      const match = ROW.exec(text);
      if (match === null) break;
      reportRow(match[1] ?? '', match.index + 1, columns, report);
    }
  }
};

const COPY = /\bcopy\s{1,20}[\w."]{1,120}\s{0,20}\(([\w\s,"]{1,600})\)\s{1,20}from\s{1,20}stdin[^\n]{0,60}\n/gi;

/** Finds the values of secret columns in a dump of PostgreSQL: `COPY t (name, token) FROM stdin;` and rows with tabs. */
export const detectCopies: Detect = (text, report) => {
  for (const match of text.matchAll(COPY)) {
    const columns = (match[1] ?? '').split(',').map((column) => column.replaceAll(/[\s"]/g, ''));
    if (!columns.some((column) => classifyName(column) !== null)) continue;
    let at = match.index + match[0].length;
    for (let row = 0; row < MAX_ROWS; row++) {
      const end = text.indexOf('\n', at);
      const cells = text.slice(at, end < 0 ? text.length : end).split('\t');
      if (cells.length !== columns.length) break;
      for (const [index, value] of cells.entries()) {
        const kind = secretKind(columns[index] ?? '', value, 'quoted');
        if (kind !== null) report(kind, at, at + value.length);
        at += value.length + 1;
      }
    }
  }
};

function reportRow(row: string, start: number, columns: readonly string[], report: Parameters<Detect>[1]): void {
  const fields = [...row.matchAll(FIELD)].filter(({ 0: field }) => field.trim() !== '');
  for (const [at, field] of fields.entries()) {
    const value = field[1] ?? field[2];
    const kind = value === undefined ? null : secretKind(columns[at] ?? '', value, 'quoted');
    if (kind !== null && value !== undefined)
      report(kind, start + field.index + 1, start + field.index + 1 + value.length);
  }
}

/** The value precedes the name: `{"value": "x", "name": "NAME"}`. */
const REVERSED =
  /["']?\b(?:value|Value)["']?[ ]?:[ ]?["']([^"'\n]{4,500})["'],\s{0,40}["']?(?:name|key|Name|Key)["']?[ ]?:[ ]?["']([\w./-]{2,80})["']/g;

/** Finds values whose name follows. */
export const detectReversedPairs: Detect = (text, report) => {
  for (const { 0: all, 1: value = '', 2: name = '', index } of text.matchAll(REVERSED)) {
    const kind = secretKind(name.replace(/^.*\//, ''), value, 'quoted');
    const start = index + all.indexOf(value);
    if (kind !== null) report(kind, start, start + value.length);
  }
};
