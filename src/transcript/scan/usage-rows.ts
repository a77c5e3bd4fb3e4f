import type { TextRange, UsageLine } from './usage-line.ts';

/** Besides the marks of usage-line.ts that change the price: where a row comes from. */
/** Of a sub-agent: a side chain, or a line of a sub-agent's file. */
export const AGENT = 8;
/** Of an agent_progress line: a repetition of what the sub-agent's own file says, if there is one. */
export const ECHO = 16;
/** The lines themselves say that they come from another session. */
export const INHERITED = 32;
/** Of a file of a side question, which repeats the last messages of the conversation. */
export const ASIDE = 64;
/** True of a row only when true of all its lines. */
const SHARED_MARKS = AGENT | INHERITED;

/** What one file says about one API message: of its lines the one with the largest output, the latest of those. */
export interface UsageRow {
  readonly file: number;
  readonly id: string;
  readonly requestId: string | null;
  readonly sessionId: string;
  model: string;
  /** -1 when no line has a time. */
  timeMs: number;
  marks: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  webSearches: number;
  /** An earlier row of the same file and id, under another request; -1 when there is none. */
  readonly previous: number;
}

export type UsageFigures = Pick<
  UsageRow,
  'model' | 'timeMs' | 'marks' | 'input' | 'output' | 'cacheRead' | 'cacheWrite5m' | 'cacheWrite1h' | 'webSearches'
>;

export interface ScanFile {
  /** Counts through all files of a scan. */
  readonly index: number;
  /** From the path; used for lines that name no session. */
  readonly sessionId: string;
  readonly role: 'main' | 'agent' | 'aside';
}

/** The usage of many files, one row per file and API message, in the order of the lines. */
export class UsageRows {
  readonly rows: UsageRow[] = [];
  #file: ScanFile = { index: -1, sessionId: '', role: 'main' };
  #fileMarks = 0;
  readonly #lastById = new Map<string, number>();
  #last = -1;
  #sessionId = '';
  #model = '';

  startFile(file: ScanFile): void {
    this.#file = file;
    this.#fileMarks = file.role === 'main' ? 0 : file.role === 'agent' ? AGENT : AGENT | ASIDE;
    this.#last = -1;
  }

  /** Adds a record as strings and numbers. */
  add(id: string, requestId: string | null, sessionId: string | null, figures: UsageFigures): void {
    const marks = figures.marks | this.#fileMarks;
    const found = this.#find(id, requestId, marks);
    if (found >= 0) this.#extend(found, figures, marks);
    else this.#append(id, requestId, sessionId ?? this.#file.sessionId, figures, marks);
  }

  /**
   * Adds a record as byte ranges of `bytes`; most lines repeat the message, session and model of the line before, and
   * then no string is made.
   */
  addWalked(bytes: Buffer, line: UsageLine, sessionId: TextRange, timeMs: number, marks: number): void {
    const model = this.#textOf(bytes, line.model, this.#model);
    this.#model = model;
    const figures = figuresOf(line, model, timeMs, marks);
    const last = this.#last < 0 ? undefined : this.rows[this.#last];
    const wanted = (marks | this.#fileMarks) & ECHO;
    if (
      last !== undefined &&
      (last.marks & ECHO) === wanted &&
      isText(bytes, line.id, last.id) &&
      isText(bytes, line.requestId, last.requestId ?? '')
    ) {
      this.#extend(this.#last, figures, marks | this.#fileMarks);
      return;
    }
    const id = bytes.toString('latin1', line.id.at, line.id.end);
    const requestId = line.requestId.end === 0 ? null : bytes.toString('latin1', line.requestId.at, line.requestId.end);
    if (sessionId.end !== 0) this.#sessionId = this.#textOf(bytes, sessionId, this.#sessionId);
    this.add(id, requestId, sessionId.end === 0 ? null : this.#sessionId, figures);
  }

  #textOf(bytes: Buffer, range: TextRange, known: string): string {
    return isText(bytes, range, known) ? known : bytes.toString('latin1', range.at, range.end);
  }

  #find(id: string, requestId: string | null, marks: number): number {
    let index = this.#lastById.get(id) ?? -1;
    while (index >= 0) {
      const row = this.rows[index] as UsageRow;
      if (row.file !== this.#file.index) return -1;
      if (row.requestId === requestId && (row.marks & ECHO) === (marks & ECHO)) return index;
      index = row.previous;
    }
    return -1;
  }

  #extend(index: number, figures: UsageFigures, marks: number): void {
    const row = this.rows[index] as UsageRow;
    const shared = row.marks & marks & SHARED_MARKS;
    if (isFuller(figures, row)) {
      row.model = figures.model;
      row.timeMs = figures.timeMs;
      row.input = figures.input;
      row.output = figures.output;
      row.cacheRead = figures.cacheRead;
      row.cacheWrite5m = figures.cacheWrite5m;
      row.cacheWrite1h = figures.cacheWrite1h;
      row.webSearches = figures.webSearches;
      row.marks = marks;
    }
    row.marks = (row.marks & ~SHARED_MARKS) | shared;
    this.#last = index;
  }

  #append(id: string, requestId: string | null, sessionId: string, figures: UsageFigures, marks: number): void {
    const before = this.#lastById.get(id) ?? -1;
    const previous = before >= 0 && this.rows[before]?.file === this.#file.index ? before : -1;
    this.#last = this.rows.length;
    this.#lastById.set(id, this.#last);
    this.rows.push({ file: this.#file.index, id, requestId, sessionId, ...figures, marks, previous });
  }
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

function figuresOf(line: UsageLine, model: string, timeMs: number, marks: number): UsageFigures {
  const total = line.cacheWrite < 0 ? line.write5m + line.write1h : line.cacheWrite;
  const cacheWrite1h = Math.min(line.write1h, total);
  return {
    model,
    timeMs,
    marks: line.marks | marks,
    input: line.input,
    output: line.output,
    cacheRead: line.cacheRead,
    cacheWrite5m: total - cacheWrite1h,
    cacheWrite1h,
    webSearches: line.webSearches,
  };
}

/** From the end, since ids of one kind begin alike. */
function isText(bytes: Buffer, range: TextRange, text: string): boolean {
  const { at } = range;
  if (range.end - at !== text.length && !(range.end === 0 && text === '')) return false;
  for (let index = text.length - 1; index >= 0; index -= 1) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}
