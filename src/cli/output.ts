import { FuelError } from '../domain/errors.ts';
import { toCsv } from '../lib/csv.ts';
import { visibleLine, wrapWidth } from '../lib/terminal-text.ts';
import { readFields, selectFields, valueAt } from './select-fields.ts';
import {
  type CommandContext,
  type CommandOption,
  CSV_OPTION,
  JSON_OPTION,
  NO_PAGER_OPTION,
  type ParsedArguments,
  RAW_OPTION,
} from './command.ts';
import type { Source } from './source.ts';
import { type Column, renderTable } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Prints a sentence, made safe and wrapped to the width of the terminal. */
export function printLine(terminal: Terminal, sentence: string): void {
  terminal.out(`${wrapWidth(visibleLine(sentence), terminal.columns)}\n`);
}

/** Wraps safe text to the width of the terminal, line by line; output that is not for a terminal is left unchanged. */
export function wrapLines(terminal: Terminal, text: string): string {
  if (!terminal.isInteractive) return text;
  return text
    .split('\n')
    .map((line) => wrapWidth(line, terminal.columns))
    .join('\n');
}

/** Prints a sentence on stderr, apart from the output that scripts read. */
export function printNote(terminal: Terminal, sentence: string): void {
  terminal.err(`${wrapWidth(visibleLine(sentence), terminal.columns)}\n`);
}

/** Lists are wrapped in an object, as in the HTTP API, so that fields can be added without breaking readers. */
type Answer<T> = T extends readonly unknown[] ? never : T;

/** The output of `--json`: one object. `import_running` means that the answer may be incomplete. */
export function printJson<T extends object>(
  terminal: Terminal,
  answer: Answer<T>,
  from?: Pick<Source, 'isImporting'>,
): void {
  const shown = from?.isImporting === true ? { ...answer, import_running: true } : answer;
  terminal.out(`${JSON.stringify(shown, null, 2)}\n`);
}

type Cell = string | number | null;

/** The warning of `--raw`, printed on stderr. */
export const RAW_WARNING = 'Not redacted (--raw): the output may contain secrets and home directories.';

/**
 * Prints a table as CSV. CSV is meant to be passed on, so its texts are redacted unless `--raw` is given. Errors:
 * bad_config for a `redact` pattern that would match everything.
 */
export async function printCsv(
  { loaded, terminal }: Pick<CommandContext, 'loaded' | 'terminal'>,
  { flags }: ParsedArguments,
  [header = [], ...rows]: readonly (readonly Cell[])[],
): Promise<void> {
  if (flags.has('raw')) {
    terminal.out(toCsv([header, ...rows]));
    printNote(terminal, RAW_WARNING);
    return;
  }
  const { openRedactor, redactCut } = await import('../app/outbound.ts');
  const redactor = openRedactor(loaded.config);
  const safe = (cell: Cell) => (typeof cell === 'string' ? redactCut(redactor, cell) : cell);
  terminal.out(toCsv([header, ...rows.map((row) => row.map(safe))]));
}

/** Options of every command that prints a list. */
export const LIST_OPTIONS = {
  json: JSON_OPTION,
  csv: CSV_OPTION,
  raw: RAW_OPTION,
  'no-pager': NO_PAGER_OPTION,
} as const;

/** Options of lists of rows, which can be long. */
export const ROW_OPTIONS = {
  ...LIST_OPTIONS,
  ndjson: { type: 'boolean', excludes: ['json', 'csv'], about: 'Print JSON, one row per line.' },
  fields: {
    type: 'string',
    value: 'NAMES',
    about: 'With --json, --ndjson or --csv: only these fields, comma-separated, for example id,work.commits.',
  },
} as const satisfies Readonly<Record<string, CommandOption>>;

export interface List<T> {
  /** The key of the rows in `--json`, the same as in the HTTP API. */
  readonly name: string;
  /** The cursor of the next page, for paged lists. */
  readonly page?: { readonly next_cursor: string | null; readonly hidden?: number };
  readonly from?: Pick<Source, 'isImporting'>;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly csv: readonly (keyof T & string)[];
  /** Message for an empty list. */
  readonly empty: string;
}

/** Errors: usage when two formats are requested. */
export function readFormat({ flags }: ParsedArguments): 'text' | 'json' | 'ndjson' | 'csv' {
  if (flags.has('json') && flags.has('csv')) {
    throw new FuelError('usage', '--json and --csv cannot be combined.', { hint: 'Use only one of them.' });
  }
  if (flags.has('csv')) return 'csv';
  if (flags.has('ndjson')) return 'ndjson';
  return flags.has('json') ? 'json' : 'text';
}

/** Prints rows as a table, JSON or CSV. Errors: usage for an unknown field. */
export async function printList<T extends object>(
  context: Pick<CommandContext, 'loaded' | 'terminal'>,
  args: ParsedArguments,
  list: List<T>,
): Promise<void> {
  const { terminal } = context;
  const format = readFormat(args);
  const fields = readFields(args);
  const chosen = fields === null ? list.rows : list.rows.map((row) => selectFields(row, fields));
  if (format === 'json') printJson(terminal, { [list.name]: chosen, ...list.page }, list.from);
  else if (format === 'ndjson') printRows(terminal, chosen);
  else if (format === 'csv')
    await printCsv(context, args, fields === null ? csvRows(list.csv, list.rows) : fieldRows(fields, list.rows));
  else if (list.rows.length > 0) terminal.out(renderTable(terminal, list.columns, list.rows));
  else for (const sentence of list.empty.trimEnd().split('\n')) printLine(terminal, sentence);
}

/** Reports that there are more rows: the cursor in JSON, the command to run in a table. */
export function noteMore(terminal: Terminal, args: ParsedArguments, cursor: string | null, how: string): void {
  if (cursor === null) return;
  const isProgram = readFormat(args) !== 'text';
  if (isProgram) terminal.err(`More results: use --cursor ${cursor}\n`);
  else printNote(terminal, `More results: use ${how}.`);
}

/** The output of `--ndjson`. */
export function printRows(terminal: Terminal, rows: readonly object[]): void {
  for (const row of rows) terminal.out(`${JSON.stringify(row)}\n`);
}

function fieldRows(fields: readonly string[], rows: readonly object[]): readonly (readonly Cell[])[] {
  return [fields, ...rows.map((row) => fields.map((field) => toCell(valueAt(row, field))))];
}

/** The cells of a table, its header first. */
export function csvRows<T>(
  names: readonly (keyof T & string)[],
  rows: readonly T[],
): readonly (readonly (string | number | null)[])[] {
  return [names, ...rows.map((row) => names.map((name) => toCell(row[name])))];
}

function toCell(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}
