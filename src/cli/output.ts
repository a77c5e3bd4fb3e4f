import { FuelError, toFuelError } from '../domain/errors.ts';
import { toCsv } from '../lib/csv.ts';
import { textWidth, visibleLine, wrapWidth } from '../lib/terminal-text.ts';
import { plural } from '../reading/format.ts';
import {
  type CommandContext,
  type CommandOption,
  CSV_OPTION,
  JSON_OPTION,
  NO_PAGER_OPTION,
  type ParsedArguments,
  RAW_OPTION,
} from './command.ts';
import { type MayLack, readFields, selectFields, valueAt } from './select-fields.ts';
import type { Source } from './source.ts';
import { type Column, renderTable } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Asks before a change, unless --yes is given. Errors: usage, with what was refused. */
export async function confirm(
  terminal: Terminal,
  { flags }: ParsedArguments,
  { question, refused }: { readonly question: string; readonly refused: string },
): Promise<void> {
  if (flags.has('yes') || (await terminal.ask(question))) return;
  throw new FuelError('usage', refused, { hint: 'Answer y, or use --yes in a script.' });
}

/** Prints a sentence, made safe and wrapped to the width of the terminal, with its indentation. */
export function printLine(terminal: Terminal, sentence: string): void {
  const [margin = ''] = /^ */.exec(sentence) ?? [];
  const lines = wrapWidth(visibleLine(sentence), terminal.columns - margin.length).split('\n');
  terminal.out(lines.map((line) => `${margin}${line}\n`).join(''));
}

/**
 * Wraps safe text to the width of the terminal, line by line, and aligns each wrapped line with the text after the
 * indentation or label. Output that is not for a terminal is left unchanged.
 */
export function wrapLines(terminal: Terminal, text: string): string {
  if (!terminal.isInteractive) return text;
  return text
    .split('\n')
    .map((line) => wrapHanging(line, terminal.columns))
    .join('\n');
}

const MAX_MARGIN = 24;

function wrapHanging(line: string, columns: number): string {
  if (textWidth(line) <= columns) return line;
  const margin = /^ *(?:\S+(?: \S+)* {2,})?/.exec(line.slice(0, MAX_MARGIN))?.[0] ?? '';
  const room = columns - textWidth(margin);
  const words = line.slice(margin.length).split(' ');
  if (words.some((word) => textWidth(word) > room)) return wrapWidth(line, columns);
  return margin + wrapWidth(words.join(' '), room).replaceAll('\n', `\n${' '.repeat(textWidth(margin))}`);
}

/** Prints a sentence on stderr, apart from the output that scripts read. */
export function printNote(terminal: Terminal, sentence: string): void {
  terminal.err(`${wrapWidth(visibleLine(sentence), terminal.columns)}\n`);
}

/** Reports files or sessions that could not be processed. */
export function noteFailed(terminal: Terminal, failed: readonly { readonly path: string; readonly error: string }[]) {
  for (const { path, error } of failed) printNote(terminal, `Failed: ${path}: ${error}`);
}

/** Waits until a slow reader has caught up, or until the command is stopped. Leaves nothing behind at the signal. */
export function waitForReader(terminal: Terminal, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      signal.removeEventListener('abort', finish);
      resolve();
    };
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', finish, { once: true });
    void terminal.drain().then(finish);
  });
}

/** Lists are wrapped in an object, as in the HTTP API, so that fields can be added without breaking readers. */
type Answer<T> = T extends readonly unknown[] ? never : T;

/** Rises when a field of any `--json` answer is removed or changes its meaning; see docs/scripting.md. */
export const JSON_SCHEMA_VERSION = 1;

/** The output of `--json`: one object with the version. `import_running` means that the answer may be incomplete. */
export function printJson<T extends object>(
  terminal: Terminal,
  answer: Answer<T>,
  from?: Pick<Source, 'isImporting'>,
): void {
  const running = from?.isImporting === true ? { import_running: true } : {};
  const shown = { schema_version: JSON_SCHEMA_VERSION, ...(answer as object), ...running };
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

export const NDJSON_OPTION: CommandOption = {
  type: 'boolean',
  excludes: ['json', 'csv'],
  about: 'Print JSON, one row per line.',
};

export const FIELDS_OPTION: CommandOption = {
  type: 'string',
  value: 'NAMES',
  needs: ['json', 'ndjson', 'csv'],
  about: 'With --json, --ndjson or --csv: only these fields of each row, comma-separated; an unknown name lists all.',
};

/** Options of lists of rows, which can be long. */
export const ROW_OPTIONS = {
  ...LIST_OPTIONS,
  ndjson: NDJSON_OPTION,
  fields: FIELDS_OPTION,
} as const satisfies Readonly<Record<string, CommandOption>>;

export function readFormat({ flags }: ParsedArguments): 'text' | 'json' | 'ndjson' | 'csv' {
  return (['csv', 'ndjson', 'json'] as const).find((format) => flags.has(format)) ?? 'text';
}

/** An answer with a list of rows in it. */
export interface Report<T extends object> {
  /** The whole answer, as in the HTTP API. */
  readonly answer: Readonly<Record<string, unknown>>;
  /** The key of the rows in the answer. */
  readonly name: string;
  readonly rows: readonly T[];
  readonly from?: Pick<Source, 'isImporting'>;
  readonly mayLack?: MayLack;
  /** The cells of the CSV without `--fields`, its header first. */
  csv(): readonly (readonly Cell[])[];
  text(): void;
}

/** Prints an answer as text, or its rows for programs. Errors: usage for an unknown field. */
export async function printReport<T extends object>(
  context: Pick<CommandContext, 'loaded' | 'terminal'>,
  args: ParsedArguments,
  report: Report<T>,
): Promise<void> {
  const { terminal } = context;
  const { answer, name, rows, from, mayLack } = report;
  const format = readFormat(args);
  const fields = readFields(args);
  const chosen = () => chooseFields(rows, fields, mayLack);
  if (format === 'json') printJson(terminal, { ...answer, [name]: chosen() }, from);
  else if (format === 'ndjson') printRows(terminal, chosen());
  else if (format === 'csv')
    await printCsv(context, args, fields === null ? report.csv() : fieldRows(fields, rows, mayLack));
  else report.text();
}

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
  readonly mayLack?: MayLack;
}

/** Prints rows as a table, JSON or CSV. Errors: usage for an unknown field. */
export function printList<T extends object>(
  context: Pick<CommandContext, 'loaded' | 'terminal'>,
  args: ParsedArguments,
  { page, columns, csv, empty, ...list }: List<T>,
): Promise<void> {
  const { terminal } = context;
  return printReport(context, args, {
    ...list,
    answer: { [list.name]: list.rows, ...page },
    csv: () => csvRows(csv, list.rows),
    text: () => {
      if (list.rows.length > 0) terminal.out(renderTable(terminal, columns, list.rows));
      else for (const sentence of empty.trimEnd().split('\n')) printLine(terminal, sentence);
    },
  });
}

/**
 * The output of `--ndjson` for lists of any length: a page is printed before the next one is read, and reading waits for a
 * slow reader. Returns the last page. Errors: those of reading, with the number of printed rows.
 */
export async function streamRows<P>(
  terminal: Terminal,
  args: ParsedArguments,
  pages: AsyncIterable<P>,
  list: { readonly rows: (page: P) => readonly object[]; readonly mayLack?: MayLack },
): Promise<P | null> {
  const fields = readFields(args);
  let last: P | null = null;
  let printed = 0;
  try {
    for await (const page of pages) {
      const rows = chooseFields(list.rows(page), fields, list.mayLack);
      printRows(terminal, rows);
      await terminal.drain();
      printed += rows.length;
      last = page;
    }
  } catch (thrown) {
    throw printed === 0 ? thrown : brokenOff(toFuelError(thrown), printed);
  }
  return last;
}

/** Prints a list without a CSV form for programs and returns null, or returns its rows to be printed as text. */
export async function printPages<T extends object>(
  terminal: Terminal,
  args: ParsedArguments,
  pages: AsyncIterable<readonly T[]>,
  { name, mayLack }: Pick<Report<T>, 'name' | 'mayLack'>,
): Promise<readonly T[] | null> {
  const format = readFormat(args);
  if (format === 'ndjson') {
    await streamRows(terminal, args, pages, { rows: (page) => page, ...(mayLack && { mayLack }) });
    return null;
  }
  const fields = readFields(args);
  const rows = (await Array.fromAsync(pages)).flat();
  if (format === 'text') return rows;
  printJson(terminal, { [name]: chooseFields(rows, fields, mayLack) });
  return null;
}

function brokenOff(cause: FuelError, printed: number): FuelError {
  const what = `The list is incomplete: it broke off after ${plural(printed, 'row')}.`;
  return new FuelError(cause.code, `${what} ${cause.message}`, {
    cause,
    ...(cause.hint === undefined ? {} : { hint: cause.hint }),
  });
}

function chooseFields(
  rows: readonly object[],
  fields: readonly string[] | null,
  mayLack: MayLack | undefined,
): readonly object[] {
  return fields === null ? rows : rows.map((row) => selectFields(row, fields, mayLack));
}

/** Reports that there are more rows: the cursor in JSON, the command to run in a table. */
export function noteMore(terminal: Terminal, args: ParsedArguments, cursor: string | null, how: string): void {
  if (cursor === null) return;
  const isProgram = readFormat(args) !== 'text';
  if (isProgram) terminal.err(`More results: use --cursor ${cursor}\n`);
  else printNote(terminal, `More results: use ${how}.`);
}

function printRows(terminal: Terminal, rows: readonly object[]): void {
  for (const row of rows) terminal.out(`${JSON.stringify(row)}\n`);
}

function fieldRows(
  fields: readonly string[],
  rows: readonly object[],
  mayLack: MayLack | undefined,
): readonly (readonly Cell[])[] {
  return [fields, ...rows.map((row) => fields.map((field) => toCell(valueAt(row, field, mayLack))))];
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
