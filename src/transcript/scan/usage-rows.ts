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
export interface UsageRow extends UsageFigures {
  readonly file: number;
  readonly id: string;
  readonly requestId: string | null;
  readonly sessionId: string;
  /** Sorts rows by file, then line. */
  readonly order: number;
}

const ORDERS_PER_FILE = 2 ** 32;

export interface ScanFile {
  /** Counts through all files of a scan. */
  readonly index: number;
  /** From the path; used for lines that name no session. */
  readonly sessionId: string;
  readonly role: 'main' | 'agent' | 'aside';
}

const FILE_MARKS = { main: 0, agent: AGENT, aside: AGENT | ASIDE } as const satisfies Record<ScanFile['role'], number>;

/** The usage of many files, in the order of their lines. */
export class UsageRows {
  readonly rows: UsageRow[] = [];
  #file: ScanFile = { index: -1, sessionId: '', role: 'main' };
  #fileMarks = 0;
  #last: UsageRow | null = null;

  startFile(file: ScanFile): void {
    this.#file = file;
    this.#fileMarks = FILE_MARKS[file.role];
    this.#last = null;
  }

  /** The row of the line before, in the same file: most lines belong to the same message. */
  get last(): UsageRow | null {
    return this.#last;
  }

  extendLast(figures: UsageFigures): void {
    if (this.#last !== null) extend(this.#last, figures, figures.marks | this.#fileMarks);
  }

  /** An empty id is nobody's: such a line is a message of its own. */
  add(id: string, requestId: string | null, sessionId: string | null, figures: UsageFigures): void {
    const last = this.#last;
    const isSame = last !== null && last.id === id && last.requestId === requestId;
    if (isSame && (last.marks & ECHO) === (figures.marks & ECHO)) {
      this.extendLast(figures);
      return;
    }
    const order = this.#file.index * ORDERS_PER_FILE + this.rows.length;
    const { model, timeMs, input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches } = figures;
    this.#last = {
      file: this.#file.index,
      id: id === '' ? `line ${order}` : id,
      requestId,
      sessionId: sessionId ?? this.#file.sessionId,
      order,
      model,
      timeMs,
      marks: figures.marks | this.#fileMarks,
      input,
      output,
      cacheRead,
      cacheWrite5m,
      cacheWrite1h,
      webSearches,
    };
    this.rows.push(this.#last);
  }
}

function extend(row: UsageRow, figures: UsageFigures, marks: number): void {
  const ofAll = row.marks & marks & MARKS_OF_ALL_LINES;
  if (isFuller(figures, row)) {
    row.model = figures.model;
    row.timeMs = figures.timeMs;
    row.marks = marks;
    row.input = figures.input;
    row.output = figures.output;
    row.cacheRead = figures.cacheRead;
    row.cacheWrite5m = figures.cacheWrite5m;
    row.cacheWrite1h = figures.cacheWrite1h;
    row.webSearches = figures.webSearches;
  }
  row.marks = (row.marks & ~MARKS_OF_ALL_LINES) | ofAll;
}

/**
 * Whether `a` is the better record of a message than `b`: more output, then later, then more of the rest, so that the
 * order in which files are read changes nothing.
 */
export function isFuller(a: UsageFigures, b: UsageFigures): boolean {
  if (a.output !== b.output) return a.output > b.output;
  if (a.timeMs !== b.timeMs) return a.timeMs > b.timeMs;
  return restOf(a) > restOf(b);
}

function restOf(figures: UsageFigures): number {
  return figures.input + figures.cacheRead + figures.cacheWrite5m + 2 * figures.cacheWrite1h + figures.webSearches;
}
