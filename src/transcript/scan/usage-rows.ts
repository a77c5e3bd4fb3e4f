/** What changes the price of a message. */
export const FAST = 1;
export const BATCH = 2;
export const US_ONLY = 4;
/** Of a sub-agent: a side chain, or a line of a sub-agent's file. */
export const AGENT = 8;
/** From an agent_progress line: a repetition of what the sub-agent's own file says, if there is one. */
export const ECHO = 16;
/** The lines themselves say that they come from another session. */
export const INHERITED = 32;
/** From the file of a side question, which repeats the last messages of the conversation. */
export const ASIDE = 64;
/** True of a row only when true of all its lines. */
const MARKS_OF_ALL_LINES = AGENT | INHERITED;

/** What a line says that may differ between the lines of one message. */
export interface UsageFigures {
  model: string;
  /** -1 when the line has no time. */
  timeMs: number;
  marks: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  webSearches: number;
}

/**
 * What a run of lines of one file says about one API message: of these lines the one with the largest output, the latest
 * of those. Lines of the same message that stand elsewhere have rows of their own.
 */
export interface UsageRow extends Readonly<UsageFigures> {
  readonly file: number;
  readonly id: string;
  readonly requestId: string | null;
  readonly sessionId: string;
  /** Sorts rows by file, then line. */
  readonly order: number;
}

/**
 * Rows as columns: hundreds of thousands of objects would cost more than reading their lines did. Plain data that may
 * go from thread to thread.
 */
export interface RowColumns {
  /** COLUMN.count numbers per row. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly ids: readonly string[];
  readonly requestIds: readonly (string | null)[];
  /** What the columns `session` and `model` count through. */
  readonly sessions: readonly string[];
  readonly models: readonly string[];
}

export const COLUMN = {
  file: 0,
  session: 1,
  model: 2,
  timeMs: 3,
  marks: 4,
  input: 5,
  output: 6,
  cacheRead: 7,
  cacheWrite5m: 8,
  cacheWrite1h: 9,
  webSearches: 10,
  count: 11,
} as const;

const ORDERS_PER_FILE = 2 ** 32;

export function rowAt(columns: RowColumns, index: number): UsageRow {
  const { numbers } = columns;
  const at = index * COLUMN.count;
  const file = numbers[at + COLUMN.file] as number;
  return {
    file,
    id: columns.ids[index] as string,
    requestId: columns.requestIds[index] as string | null,
    sessionId: columns.sessions[numbers[at + COLUMN.session] as number] as string,
    order: file * ORDERS_PER_FILE + index,
    model: columns.models[numbers[at + COLUMN.model] as number] as string,
    timeMs: numbers[at + COLUMN.timeMs] as number,
    marks: numbers[at + COLUMN.marks] as number,
    input: numbers[at + COLUMN.input] as number,
    output: numbers[at + COLUMN.output] as number,
    cacheRead: numbers[at + COLUMN.cacheRead] as number,
    cacheWrite5m: numbers[at + COLUMN.cacheWrite5m] as number,
    cacheWrite1h: numbers[at + COLUMN.cacheWrite1h] as number,
    webSearches: numbers[at + COLUMN.webSearches] as number,
  };
}

export interface ScanFile {
  /** Counts through all files of a scan. */
  readonly index: number;
  /** From the path; used for lines that name no session. */
  readonly sessionId: string;
  readonly role: 'main' | 'agent' | 'aside';
}

const FILE_MARKS = { main: 0, agent: AGENT, aside: AGENT | ASIDE } as const satisfies Record<ScanFile['role'], number>;
const FIRST_ROWS = 16_384;

/** Collects the usage of many files, in the order of their lines. */
export class UsageRows {
  #numbers = new Float64Array(FIRST_ROWS * COLUMN.count);
  readonly #ids: string[] = [];
  readonly #requestIds: (string | null)[] = [];
  readonly #sessions = new Numbering();
  readonly #models = new Numbering();
  #file: ScanFile = { index: -1, sessionId: '', role: 'main' };
  /** The row of the line before, in the same file; -1 at its start. */
  #last = -1;

  get columns(): RowColumns {
    return {
      numbers: this.#numbers.slice(0, this.#ids.length * COLUMN.count),
      ids: this.#ids,
      requestIds: this.#requestIds,
      sessions: this.#sessions.texts,
      models: this.#models.texts,
    };
  }

  startFile(file: ScanFile): void {
    this.#file = file;
    this.#last = -1;
  }

  /** Of the line before; most lines belong to the same message and name the same model. */
  get lastId(): string | null {
    return this.#last < 0 ? null : (this.#ids[this.#last] as string);
  }

  get lastRequestId(): string | null {
    return this.#last < 0 ? null : (this.#requestIds[this.#last] as string | null);
  }

  get lastIsEcho(): boolean {
    return this.#last >= 0 && ((this.#numbers[this.#last * COLUMN.count + COLUMN.marks] as number) & ECHO) !== 0;
  }

  /** An empty id is nobody's: such a line is a message of its own. */
  add(id: string, requestId: string | null, sessionId: string | null, figures: UsageFigures): void {
    const isEcho = (figures.marks & ECHO) !== 0;
    if (this.lastId === id && this.lastRequestId === requestId && this.lastIsEcho === isEcho) {
      this.extendLast(figures);
      return;
    }
    const index = this.#ids.length;
    if (index * COLUMN.count === this.#numbers.length) this.#grow();
    this.#ids.push(id === '' ? `line ${this.#file.index} ${index}` : id);
    this.#requestIds.push(requestId);
    this.#last = index;
    const at = index * COLUMN.count;
    this.#numbers[at + COLUMN.file] = this.#file.index;
    this.#numbers[at + COLUMN.session] = this.#sessions.of(sessionId ?? this.#file.sessionId);
    this.#write(at, figures, figures.marks | FILE_MARKS[this.#file.role]);
  }

  extendLast(figures: UsageFigures): void {
    const numbers = this.#numbers;
    const at = this.#last * COLUMN.count;
    const marks = figures.marks | FILE_MARKS[this.#file.role];
    const ofAll = (numbers[at + COLUMN.marks] as number) & marks & MARKS_OF_ALL_LINES;
    if (isFullerThan(figures, numbers, at)) this.#write(at, figures, marks);
    numbers[at + COLUMN.marks] = ((numbers[at + COLUMN.marks] as number) & ~MARKS_OF_ALL_LINES) | ofAll;
  }

  #write(at: number, figures: UsageFigures, marks: number): void {
    const numbers = this.#numbers;
    numbers[at + COLUMN.model] = this.#models.of(figures.model);
    numbers[at + COLUMN.timeMs] = figures.timeMs;
    numbers[at + COLUMN.marks] = marks;
    numbers[at + COLUMN.input] = figures.input;
    numbers[at + COLUMN.output] = figures.output;
    numbers[at + COLUMN.cacheRead] = figures.cacheRead;
    numbers[at + COLUMN.cacheWrite5m] = figures.cacheWrite5m;
    numbers[at + COLUMN.cacheWrite1h] = figures.cacheWrite1h;
    numbers[at + COLUMN.webSearches] = figures.webSearches;
  }

  #grow(): void {
    const larger = new Float64Array(this.#numbers.length * 2);
    larger.set(this.#numbers);
    this.#numbers = larger;
  }
}

/** Few texts that come over and over, each under a number. */
class Numbering {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();
  #lastText = '';
  #lastNumber = -1;

  of(text: string): number {
    if (text === this.#lastText && this.#lastNumber >= 0) return this.#lastNumber;
    const known = this.#numbers.get(text) ?? this.texts.length;
    if (known === this.texts.length) {
      this.texts.push(text);
      this.#numbers.set(text, known);
    }
    this.#lastText = text;
    this.#lastNumber = known;
    return known;
  }
}

function isFullerThan(figures: UsageFigures, numbers: Float64Array, at: number): boolean {
  const output = numbers[at + COLUMN.output] as number;
  const timeMs = numbers[at + COLUMN.timeMs] as number;
  if (figures.output !== output) return figures.output > output;
  if (figures.timeMs !== timeMs) return figures.timeMs > timeMs;
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, webSearches } = COLUMN;
  const sum = [input, cacheRead, cacheWrite5m, cacheWrite1h, cacheWrite1h, webSearches].reduce(
    (total, column) => total + (numbers[at + column] as number),
    0,
  );
  return restOf(figures) > sum;
}

/**
 * Whether `a` is the better record of a message than `b`: more output, then later, then more of the rest, so that the
 * order in which files are read changes nothing.
 */
export function isFuller(a: Readonly<UsageFigures>, b: Readonly<UsageFigures>): boolean {
  if (a.output !== b.output) return a.output > b.output;
  if (a.timeMs !== b.timeMs) return a.timeMs > b.timeMs;
  return restOf(a) > restOf(b);
}

function restOf(figures: Readonly<UsageFigures>): number {
  return figures.input + figures.cacheRead + figures.cacheWrite5m + 2 * figures.cacheWrite1h + figures.webSearches;
}
