import { dayText } from '../../domain/days.ts';
import type { SharedMessage } from '../../domain/ownership.ts';
import {
  addSafely,
  addTokens,
  type GrowingTokens,
  NO_TOKENS,
  SLOT_MS,
  type TokenCounts,
  type Usage,
} from '../../domain/usage.ts';
import { PRICE_BOOK, type PriceBook } from '../price/book.ts';
import { priceUsage } from '../price/price-usage.ts';
import {
  type ApiMessage,
  apiMessagesOf,
  holdersOf,
  isOfAgent,
  judgedOwners,
  ownersOf,
  type SessionJudge,
  sessionsThatShare,
} from './api-messages.ts';
import {
  AGENT,
  BATCH,
  COLUMN,
  FAST,
  orderAt,
  type RowColumns,
  rowCount,
  rowReader,
  US_ONLY,
  type UsageRow,
} from './usage-rows.ts';

interface UsageSum extends TokenCounts {
  readonly messages: number;
  readonly webSearches: number;
  /** Nano-dollars of the messages with a known price. */
  readonly costNanos: number;
  /** Messages without a known price: included in the counts but not in the cost. */
  readonly unpricedMessages: number;
}

/** Usage per quarter of an hour, model and session, separately for the main conversation and its sub-agents. */
export interface UsageTotal extends UsageSum {
  /** Quarters of an hour since 1970; -1 if the messages have no time. */
  readonly slot: number;
  /** UTC; empty if the messages have no time. */
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

/** Counts every API message once over all files, prices it and adds it up. With a judge, also exact by session. */
export function usageTotals(
  parts: readonly RowColumns[],
  book: PriceBook = PRICE_BOOK,
  judge: SessionJudge | null = null,
): UsageTotals {
  const totals = new TotalsBuilder(book);
  const repeated = repeatedHashes(parts);
  const several: UsageRow[] = [];
  for (const columns of parts) {
    const rowAt = rowReader(columns);
    for (let index = 0; index < rowCount(columns); index += 1) {
      // Nearly all messages occur only once, so there is nothing to choose.
      const isHeldBeyond = judge !== null && judge.holdersBeyond(rowAt(index).id).length > 0;
      if (isHeldBeyond || repeated.has(hashAt(columns, index))) several.push(rowAt(index));
      else totals.addRow(columns, index);
    }
  }
  const messages = apiMessagesOf(several);
  const owners =
    judge === null
      ? ownersOf(messages, (sessions) => othersOf(parts, sessions, repeated))
      : judgedOwners(messages, judge);
  for (const message of messages) totals.addMessage(message, owners.get(message));
  return totals.finish();
}

/** Sessions of the scanned files that share a message with another one of them. */
export function findSharing(parts: readonly RowColumns[]): ReadonlySet<string> {
  const repeated = repeatedHashes(parts);
  const several = parts.flatMap((columns) => {
    const rowAt = rowReader(columns);
    const indexes = Array.from({ length: rowCount(columns) }, (_, index) => index);
    return indexes.filter((index) => repeated.has(hashAt(columns, index))).map(rowAt);
  });
  return sessionsThatShare(apiMessagesOf(several));
}

/** Hashes of message ids that occur more than once; a collision only causes an unnecessary closer look. */
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

/** Messages that show how sessions continued: those of the main conversation that occur only once. */
function othersOf(
  parts: readonly RowColumns[],
  sessions: ReadonlySet<string>,
  repeated: ReadonlySet<number>,
): readonly SharedMessage[] {
  const others: SharedMessage[] = [];
  for (const columns of parts) {
    const isWanted = columns.sessions.map((session) => sessions.has(session));
    for (let index = 0; index < rowCount(columns); index += 1) {
      const at = index * COLUMN.count;
      const session = columns.numbers[at + COLUMN.session] as number;
      const isMainThread = ((columns.numbers[at + COLUMN.marks] as number) & AGENT) === 0;
      if (isWanted[session] !== true || !isMainThread || repeated.has(hashAt(columns, index))) continue;
      const timeMs = columns.numbers[at + COLUMN.startMs] as number;
      others.push({
        sessionId: columns.sessions[session] as string,
        ordinal: orderAt(columns, index),
        id: `other ${others.length}`,
        isMainThread,
        usageKey: null,
        timestampMs: timeMs < 0 ? null : timeMs,
        isInherited: false,
      });
    }
  }
  return others;
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
  /** Total of the previous row; rows of one session are adjacent. */
  #last: Mutable<UsageTotal> | null = null;
  /** Reused for every row. */
  readonly #row: GrowingTokens & { webSearches: number; marks: number } = {
    ...NO_TOKENS,
    webSearches: 0,
    marks: 0,
  };

  constructor(book: PriceBook) {
    this.#book = book;
  }

  addRow(columns: RowColumns, index: number): void {
    const { numbers } = columns;
    const at = index * COLUMN.count;
    const row = this.#row;
    row.input = numbers[at + COLUMN.input] as number;
    row.output = numbers[at + COLUMN.output] as number;
    row.cacheRead = numbers[at + COLUMN.cacheRead] as number;
    row.cacheWrite5m = numbers[at + COLUMN.cacheWrite5m] as number;
    row.cacheWrite1h = numbers[at + COLUMN.cacheWrite1h] as number;
    row.webSearches = numbers[at + COLUMN.webSearches] as number;
    row.marks = numbers[at + COLUMN.marks] as number;
    const sessionId = columns.sessions[numbers[at + COLUMN.session] as number] as string;
    const model = columns.models[numbers[at + COLUMN.model] as number] as string;
    const startMs = numbers[at + COLUMN.startMs] as number;
    this.#add(this.#totalOf(startMs, model, sessionId, (row.marks & AGENT) !== 0), row);
  }

  addMessage(message: ApiMessage, owner: string | undefined): void {
    const { best } = message;
    const holders = holdersOf(message);
    const sessionId = owner ?? (holders[0] ?? best).sessionId;
    this.#add(this.#totalOf(startOf(holders), best.model, sessionId, isOfAgent(message)), best);
  }

  finish(): UsageTotals {
    const totals = [...this.#totals.values()];
    const unpriced = totals.filter(({ unpricedMessages }) => unpricedMessages > 0);
    const unknownModels = [...new Set(unpriced.map(({ model }) => model))].toSorted();
    return { totals, sum: sumOf(totals), unknownModels };
  }

  #totalOf(startMs: number, model: string, sessionId: string, isAgent: boolean): Mutable<UsageTotal> {
    const slot = startMs < 0 ? -1 : Math.floor(startMs / SLOT_MS);
    const last = this.#last;
    const isSameSlot = last !== null && last.slot === slot && last.isAgent === isAgent;
    if (isSameSlot && last.sessionId === sessionId && last.model === model) return last;
    const key = `${slot} ${isAgent ? 1 : 0} ${sessionId} ${model}`;
    let total = this.#totals.get(key);
    if (total === undefined) {
      total = { slot, day: slot < 0 ? '' : dayText(slot * SLOT_MS), model, sessionId, isAgent, ...EMPTY_SUM };
      this.#totals.set(key, total);
    }
    this.#last = total;
    return total;
  }

  #add(total: Mutable<UsageTotal>, row: PricedRow): void {
    total.messages += 1;
    total.webSearches += row.webSearches;
    addTokens(total, row);
    const priced = priceUsage(total.model, usageOf(row), total.day === '' ? null : total.day, this.#book);
    if (priced === null) total.unpricedMessages += 1;
    else total.costNanos = addSafely(total.costNanos, priced.costNanos);
  }
}

/** The earliest known time; copies carry the times of the original. */
function startOf(rows: readonly UsageRow[]): number {
  const known = rows.map(({ startMs }) => startMs).filter((startMs) => startMs >= 0);
  return known.length === 0 ? -1 : Math.min(...known);
}

type PricedRow = TokenCounts & { readonly webSearches: number; readonly marks: number };

function usageOf({ input, output, cacheRead, cacheWrite5m, cacheWrite1h, webSearches, marks }: PricedRow): Usage {
  return {
    input,
    output,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h,
    webSearches,
    webFetches: 0,
    thinkingTokens: null,
    serviceTier: (marks & BATCH) === 0 ? null : 'batch',
    speed: (marks & FAST) === 0 ? null : 'fast',
    inferenceGeo: (marks & US_ONLY) === 0 ? null : 'us',
  };
}

function sumOf(totals: Iterable<UsageSum>): UsageSum {
  const sum: Mutable<UsageSum> = { ...EMPTY_SUM };
  for (const total of totals) {
    for (const name of Object.keys(EMPTY_SUM) as (keyof UsageSum)[]) sum[name] = addSafely(sum[name], total[name]);
  }
  return sum;
}
