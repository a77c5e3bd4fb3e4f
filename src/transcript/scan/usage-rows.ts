import { type ComparedUsage, compareUsage } from '../../domain/usage.ts';
import { hashOf } from './line-engine.ts';

/** Marks that change the price of a message. */
export const FAST = 1;
export const BATCH = 2;
export const US_ONLY = 4;
/** From a sub-agent: a side chain, or a line of a sub-agent's file. */
export const AGENT = 8;
/** From an agent_progress line, which repeats the sub-agent's own file, if there is one. */
export const ECHO = 16;
/** The lines themselves state that they come from another session. */
export const INHERITED = 32;
/** From the file of a side question, which repeats the last messages of the conversation. */
export const ASIDE = 64;
/** Set on a row only if set on all its lines. */
const MARKS_OF_ALL_LINES = AGENT | INHERITED;

/** Figures that may differ between the lines of one message. */
export interface UsageFigures {
  model: string;
  /** -1 if the line has no time. */
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
 * Usage of one API message in a run of consecutive lines of one file, taken from the line with the largest figures.
 * Lines of the same message elsewhere have their own rows.
 */
export interface UsageRow extends Readonly<UsageFigures> {
  readonly file: number;
  readonly id: string;
  readonly requestId: string | null;
  readonly sessionId: string;
  /** Time of the first line, which is that of the message; -1 if that line has none. */
  readonly startMs: number;
  /** Sorts rows by file, then line. */
  readonly order: number;
}

/**
 * Rows as columns, because hundreds of thousands of objects and strings would cost more than reading their lines. Plain
 * data that can be passed between threads.
 */
export interface RowColumns {
  /** COLUMN.count numbers per row. */
  readonly numbers: Float64Array<ArrayBuffer>;
  /** Message and request ids in UTF-8, at the positions given in the columns. */
  readonly texts: Uint8Array<ArrayBuffer>;
  /** Lists that the columns `session` and `model` index. */
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
  /** Of the message id: its position in the texts, its length and its hash. */
  idAt: 11,
  idBytes: 12,
  idHash: 13,
  /** Length of the request id, which follows the message id; 0 for none. */
  requestBytes: 14,
  startMs: 15,
  count: 16,
} as const;

const ORDERS_PER_FILE = 2 ** 32;

export function rowCount({ numbers }: RowColumns): number {
  return numbers.length / COLUMN.count;
}

/** Sorts rows by file, then line. */
export function orderAt({ numbers }: RowColumns, index: number): number {
  return (numbers[index * COLUMN.count + COLUMN.file] as number) * ORDERS_PER_FILE + index;
}

/** Returns rows by index. */
export function rowReader(columns: RowColumns): (index: number) => UsageRow {
  const { numbers, sessions, models } = columns;
  const texts = Buffer.from(columns.texts.buffer, columns.texts.byteOffset, columns.texts.byteLength);
  return (index) => {
    const at = index * COLUMN.count;
    const idAt = numbers[at + COLUMN.idAt] as number;
    const requestAt = idAt + (numbers[at + COLUMN.idBytes] as number);
    const requestBytes = numbers[at + COLUMN.requestBytes] as number;
    return {
      file: numbers[at + COLUMN.file] as number,
      id: texts.toString('utf8', idAt, requestAt),
      requestId: requestBytes === 0 ? null : texts.toString('utf8', requestAt, requestAt + requestBytes),
      sessionId: sessions[numbers[at + COLUMN.session] as number] as string,
      startMs: numbers[at + COLUMN.startMs] as number,
      order: orderAt(columns, index),
      ...figuresAt(numbers, at, models[numbers[at + COLUMN.model] as number] as string),
    };
  };
}

function figuresAt(numbers: Float64Array, at: number, model: string): UsageFigures {
  return {
    model,
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
  /** Index among all files of a scan. */
  readonly index: number;
  /** Of the file, since copied lines may name another session. */
  readonly sessionId: string;
  readonly role: 'main' | 'agent' | 'aside';
}

const FILE_MARKS = { main: 0, agent: AGENT, aside: AGENT | ASIDE } as const satisfies Record<ScanFile['role'], number>;
/** Enough for most home directories; untouched memory costs nothing. */
const FIRST_ROWS = 32_768;
const FIRST_TEXT_BYTES = 2 * 1024 * 1024;

/** Positions of a message's ids in a buffer; no request id if `requestEnd` is 0. */
export interface MessageKey {
  bytes: Buffer;
  idAt: number;
  idEnd: number;
  idHash: number;
  requestAt: number;
  requestEnd: number;
}

export function keyOf(id: string, requestId: string | null): MessageKey {
  const idBytes = Buffer.from(id);
  const bytes = Buffer.concat([idBytes, Buffer.from(requestId ?? '')]);
  const request =
    requestId === null ? { requestAt: 0, requestEnd: 0 } : { requestAt: idBytes.length, requestEnd: bytes.length };
  return { bytes, idAt: 0, idEnd: idBytes.length, idHash: hashOf(idBytes), ...request };
}

/** Collects the usage of many files, in line order. */
export class UsageRows {
  #numbers = new Float64Array(FIRST_ROWS * COLUMN.count);
  #texts: Buffer<ArrayBuffer> = Buffer.alloc(FIRST_TEXT_BYTES);
  #textBytes = 0;
  #count = 0;
  readonly #sessions = new Numbering();
  readonly #models = new Numbering();
  #file: ScanFile = { index: -1, sessionId: '', role: 'main' };
  /** Position in the columns of the previous line's row in the same file; -1 at the start of a file. */
  #lastAt = -1;

  /** Views of the collected rows; take them after the last line is added. */
  get columns(): RowColumns {
    return {
      numbers: this.#numbers.subarray(0, this.#count * COLUMN.count),
      texts: this.#texts.subarray(0, this.#textBytes),
      sessions: this.#sessions.texts,
      models: this.#models.texts,
    };
  }

  startFile(file: ScanFile): void {
    this.#file = file;
    this.#lastAt = -1;
  }

  get lastIsEcho(): boolean {
    return this.#lastAt >= 0 && ((this.#numbers[this.#lastAt + COLUMN.marks] as number) & ECHO) !== 0;
  }

  /** Adds a line to the previous row if it belongs to the same message, otherwise as a new row. */
  add(key: MessageKey, sessionId: string | null, figures: UsageFigures): void {
    if (this.lastIsEcho === ((figures.marks & ECHO) !== 0) && this.#isOfLast(key)) {
      this.extendLast(figures);
      return;
    }
    const at = this.#count * COLUMN.count;
    if (at === this.#numbers.length) this.#numbers = grown(this.#numbers, new Float64Array(2 * at));
    this.#lastAt = at;
    this.#count += 1;
    this.#numbers[at + COLUMN.file] = this.#file.index;
    this.#numbers[at + COLUMN.session] = this.#sessions.of(this.#file.sessionId || (sessionId ?? ''));
    this.#numbers[at + COLUMN.startMs] = figures.timeMs;
    this.#writeKey(at, key.idEnd === key.idAt ? this.#anonymousKey() : key);
    this.#write(at, figures, figures.marks | FILE_MARKS[this.#file.role]);
  }

  #isOfLast(key: MessageKey): boolean {
    const at = this.#lastAt;
    const numbers = this.#numbers;
    if (at < 0 || numbers[at + COLUMN.idHash] !== key.idHash) return false;
    const idAt = numbers[at + COLUMN.idAt] as number;
    const idEnd = idAt + (numbers[at + COLUMN.idBytes] as number);
    const requestEnd = idEnd + (numbers[at + COLUMN.requestBytes] as number);
    return (
      this.#texts.compare(key.bytes, key.idAt, key.idEnd, idAt, idEnd) === 0 &&
      this.#texts.compare(key.bytes, key.requestAt, key.requestEnd, idEnd, requestEnd) === 0
    );
  }

  /** An empty id matches nothing, so such a line is a separate message. */
  #anonymousKey(): MessageKey {
    return keyOf(`line ${this.#file.index} ${this.#count}`, null);
  }

  #writeKey(at: number, { bytes, idAt, idEnd, idHash, requestAt, requestEnd }: MessageKey): void {
    const start = this.#textBytes;
    const idBytes = idEnd - idAt;
    const requestBytes = requestEnd - requestAt;
    const end = start + idBytes + requestBytes;
    if (end > this.#texts.length) this.#texts = grown(this.#texts, Buffer.alloc(2 * end));
    bytes.copy(this.#texts, start, idAt, idEnd);
    if (requestBytes > 0) bytes.copy(this.#texts, start + idBytes, requestAt, requestEnd);
    this.#textBytes = end;
    const numbers = this.#numbers;
    numbers[at + COLUMN.idAt] = start;
    numbers[at + COLUMN.idBytes] = idBytes;
    numbers[at + COLUMN.idHash] = idHash;
    numbers[at + COLUMN.requestBytes] = requestBytes;
  }

  /** Adds a line known to belong to the same message as the previous one. */
  extendLast(figures: UsageFigures): void {
    const numbers = this.#numbers;
    const at = this.#lastAt;
    const marks = figures.marks | FILE_MARKS[this.#file.role];
    const ofAll = (numbers[at + COLUMN.marks] as number) & marks & MARKS_OF_ALL_LINES;
    if (numbers[at + COLUMN.startMs] === -1) numbers[at + COLUMN.startMs] = figures.timeMs;
    const known = numbers[at + COLUMN.model] as number;
    const isFuller = this.#isFullerThanAt(figures, at);
    if (isFuller) this.#write(at, figures, marks);
    // A line that names no model leaves it to the other lines of the message.
    if (isFuller && figures.model === '') numbers[at + COLUMN.model] = known;
    else if (this.#models.texts[known] === '') numbers[at + COLUMN.model] = this.#models.of(figures.model);
    numbers[at + COLUMN.marks] = ((numbers[at + COLUMN.marks] as number) & ~MARKS_OF_ALL_LINES) | ofAll;
  }

  /** Most lines of a message repeat its figures; only different ones are compared in full. */
  #isFullerThanAt(figures: UsageFigures, at: number): boolean {
    const numbers = this.#numbers;
    if (figures.output !== numbers[at + COLUMN.output]) return figures.output > (numbers[at + COLUMN.output] as number);
    return isFuller(figures, figuresAt(numbers, at, ''));
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
}

function grown<Kind extends { set(from: Kind): void }>(from: Kind, to: Kind): Kind {
  to.set(from);
  return to;
}

/** Assigns numbers to a few frequently repeated texts. */
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

/** Whether `a` is the more complete record of a message, or the later of two equal ones. */
export function isFuller(a: Readonly<UsageFigures>, b: Readonly<UsageFigures>): boolean {
  if (a.output !== b.output) return a.output > b.output;
  const order = compareUsage(comparedFigures(a), comparedFigures(b));
  return order === 0 ? a.timeMs > b.timeMs : order > 0;
}

function comparedFigures(figures: Readonly<UsageFigures>): ComparedUsage {
  const { marks } = figures;
  return {
    ...figures,
    isFast: (marks & FAST) !== 0,
    isBatch: (marks & BATCH) !== 0,
    isUsOnly: (marks & US_ONLY) !== 0,
  };
}
