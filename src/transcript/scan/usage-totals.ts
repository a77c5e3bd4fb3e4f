import { NO_TOKENS, type TokenCounts, type Usage } from '../../domain/usage.ts';
import { PRICE_BOOK, type PriceBook } from '../price/book.ts';
import { priceUsage } from '../price/price-usage.ts';
import { type ApiMessage, apiMessagesOf, isOfAgent } from './api-messages.ts';
import { dayNumber, dayText } from './iso-time.ts';
import { holdersOf, ownersOf } from './owners.ts';
import { AGENT, BATCH, COLUMN, FAST, type RowColumns, rowAt, rowCount, US_ONLY, type UsageRow } from './usage-rows.ts';

export interface UsageSum extends TokenCounts {
  readonly messages: number;
  readonly webSearches: number;
  /** Nano-dollars of the messages whose price is known. */
  readonly costNanos: number;
  /** Messages whose price is not known: in the counts, in no cost. */
  readonly unpricedMessages: number;
}

/** The usage of one day, model and session, of its main conversation or of its sub-agents. */
export interface UsageTotal extends UsageSum {
  /** UTC; empty when the messages have no time. */
  readonly day: string;
  readonly model: string;
  readonly sessionId: string;
  readonly isAgent: boolean;
}

export interface UsageTotals {
  readonly totals: readonly UsageTotal[];
  readonly sum: UsageSum;
  readonly unknownModels: readonly string[];
}

/** Every API message counted once over all files, priced, and added up. */
export function usageTotals(parts: readonly RowColumns[], book: PriceBook = PRICE_BOOK): UsageTotals {
  const totals = new TotalsBuilder(book);
  const repeated = repeatedHashes(parts);
  const several: UsageRow[] = [];
  for (const columns of parts) {
    for (let index = 0; index < rowCount(columns); index += 1) {
      // Nearly all messages stand in one place only: nothing to choose.
      if (isOneOf(repeated, columns, index)) several.push(rowAt(columns, index));
      else totals.addRow(columns, index);
    }
  }
  const messages = apiMessagesOf(several);
  const owners = ownersOf(messages, (sessions) => rowsOfSessions(parts, sessions, repeated));
  for (const message of messages) totals.addMessage(message, owners.get(message));
  return totals.finish();
}

/** Hashes of message ids that occur more than once; two ids that share one are looked at more closely than needed. */
function repeatedHashes(parts: readonly RowColumns[]): ReadonlySet<number> {
  const hashes = new Int32Array(parts.reduce((count, columns) => count + rowCount(columns), 0));
  let count = 0;
  for (const columns of parts) {
    for (let index = 0; index < rowCount(columns); index += 1) hashes[count++] = hashAt(columns, index);
  }
  hashes.sort();
  const repeated = new Set<number>();
  for (let index = 1; index < count; index += 1) {
    if (hashes[index] === hashes[index - 1]) repeated.add(hashes[index] as number);
  }
  return repeated;
}

function hashAt({ numbers }: RowColumns, index: number): number {
  return numbers[index * COLUMN.count + COLUMN.idHash] as number;
}

function isOneOf(hashes: ReadonlySet<number>, columns: RowColumns, index: number): boolean {
  return hashes.has(hashAt(columns, index));
}

/** The messages that stand in one place only, of these sessions. */
function rowsOfSessions(
  parts: readonly RowColumns[],
  sessions: ReadonlySet<string>,
  repeated: ReadonlySet<number>,
): readonly UsageRow[] {
  return parts.flatMap((columns) => {
    const isWanted = columns.sessions.map((session) => sessions.has(session));
    const rows: UsageRow[] = [];
    for (let index = 0; index < rowCount(columns); index += 1) {
      const session = columns.numbers[index * COLUMN.count + COLUMN.session] as number;
      if (isWanted[session] === true && !isOneOf(repeated, columns, index)) rows.push(rowAt(columns, index));
    }
    return rows;
  });
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const EMPTY_SUM: UsageSum = {
  ...NO_TOKENS,
  messages: 0,
  webSearches: 0,
  costNanos: 0,
  unpricedMessages: 0,
};

class TotalsBuilder {
  readonly #book: PriceBook;
  readonly #totals = new Map<string, Mutable<UsageTotal>>();
  readonly #unknownModels = new Set<string>();
  /** The total used last: rows of one session come one after the other. */
  #last: Mutable<UsageTotal> | null = null;
  #lastDay = -2;
  /** Filled again for every message. */
  readonly #usage: Mutable<Usage> = {
    ...NO_TOKENS,
    webSearches: 0,
    webFetches: 0,
    thinkingTokens: null,
    serviceTier: null,
    speed: null,
    inferenceGeo: null,
  };

  constructor(book: PriceBook) {
    this.#book = book;
  }

  addRow(columns: RowColumns, index: number): void {
    const { numbers } = columns;
    const at = index * COLUMN.count;
    const usage = this.#usage;
    usage.input = numbers[at + COLUMN.input] as number;
    usage.output = numbers[at + COLUMN.output] as number;
    usage.cacheRead = numbers[at + COLUMN.cacheRead] as number;
    usage.cacheWrite5m = numbers[at + COLUMN.cacheWrite5m] as number;
    usage.cacheWrite1h = numbers[at + COLUMN.cacheWrite1h] as number;
    usage.webSearches = numbers[at + COLUMN.webSearches] as number;
    const marks = numbers[at + COLUMN.marks] as number;
    const sessionId = columns.sessions[numbers[at + COLUMN.session] as number] as string;
    const model = columns.models[numbers[at + COLUMN.model] as number] as string;
    const timeMs = numbers[at + COLUMN.timeMs] as number;
    this.#add(this.#totalOf(timeMs, model, sessionId, (marks & AGENT) !== 0), marks);
  }

  addMessage(message: ApiMessage, owner: string | undefined): void {
    const { best } = message;
    const sessionId = owner ?? (holdersOf(message)[0] ?? best).sessionId;
    Object.assign(this.#usage, {
      input: best.input,
      output: best.output,
      cacheRead: best.cacheRead,
      cacheWrite5m: best.cacheWrite5m,
      cacheWrite1h: best.cacheWrite1h,
      webSearches: best.webSearches,
    });
    this.#add(this.#totalOf(best.timeMs, best.model, sessionId, isOfAgent(message)), best.marks);
  }

  finish(): UsageTotals {
    const totals = [...this.#totals.values()];
    return { totals, sum: sumOf(totals), unknownModels: [...this.#unknownModels].toSorted() };
  }

  #totalOf(timeMs: number, model: string, sessionId: string, isAgent: boolean): Mutable<UsageTotal> {
    const day = dayNumber(timeMs);
    const last = this.#last;
    const isSameDay = last !== null && this.#lastDay === day && last.isAgent === isAgent;
    if (isSameDay && last.sessionId === sessionId && last.model === model) return last;
    const key = `${day} ${isAgent ? 1 : 0} ${sessionId} ${model}`;
    const total = this.#totals.get(key) ?? { day: dayText(timeMs), model, sessionId, isAgent, ...EMPTY_SUM };
    this.#totals.set(key, total);
    this.#last = total;
    this.#lastDay = day;
    return total;
  }

  /** Adds the usage that was filled in. */
  #add(total: Mutable<UsageTotal>, marks: number): void {
    const usage = this.#usage;
    usage.serviceTier = (marks & BATCH) === 0 ? null : 'batch';
    usage.speed = (marks & FAST) === 0 ? null : 'fast';
    usage.inferenceGeo = (marks & US_ONLY) === 0 ? null : 'us';
    total.messages += 1;
    total.input += usage.input;
    total.output += usage.output;
    total.cacheRead += usage.cacheRead;
    total.cacheWrite5m += usage.cacheWrite5m;
    total.cacheWrite1h += usage.cacheWrite1h;
    total.webSearches += usage.webSearches;
    const priced = priceUsage(total.model, usage, total.day === '' ? null : total.day, this.#book);
    if (priced !== null) {
      total.costNanos += priced.costNanos;
      return;
    }
    total.unpricedMessages += 1;
    this.#unknownModels.add(total.model);
  }
}

function sumOf(totals: Iterable<UsageSum>): UsageSum {
  const sum: Mutable<UsageSum> = { ...EMPTY_SUM };
  for (const total of totals) {
    for (const name of Object.keys(EMPTY_SUM) as (keyof UsageSum)[]) sum[name] += total[name];
  }
  return sum;
}
