import type { TokenCounts, Usage } from '../../domain/usage.ts';
import { PRICE_BOOK, type PriceBook } from '../price/book.ts';
import { priceUsage } from '../price/price-usage.ts';
import { type ApiMessage, apiMessagesOf, isOfAgent } from './api-messages.ts';
import { dayNumber, dayText } from './iso-time.ts';
import { holdersOf, ownersOf } from './owners.ts';
import { BATCH, FAST, US_ONLY, type UsageRow } from './usage-rows.ts';

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

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Every API message counted once over all files, priced, and added up. */
export function usageTotals(rows: Iterable<UsageRow>, book: PriceBook = PRICE_BOOK): UsageTotals {
  const messages = apiMessagesOf(rows);
  const owners = ownersOf(messages);
  const totals = new Map<string, Mutable<UsageTotal>>();
  const days = new Map<number, string>();
  const unknownModels = new Set<string>();
  for (const message of messages) {
    const total = totalFor(totals, days, message, owners.get(message));
    const cost = priceUsage(total.model, usageOf(message.best), total.day === '' ? null : total.day, book);
    if (cost === null) unknownModels.add(total.model);
    addMessage(total, message.best, cost?.costNanos ?? null);
  }
  return { totals: [...totals.values()], sum: sumOf(totals.values()), unknownModels: [...unknownModels].toSorted() };
}

function totalFor(
  totals: Map<string, Mutable<UsageTotal>>,
  days: Map<number, string>,
  message: ApiMessage,
  owner: string | undefined,
): Mutable<UsageTotal> {
  const { best } = message;
  const sessionId = owner ?? sessionOf(message);
  const isAgent = isOfAgent(message);
  const day = dayNumber(best.timeMs);
  const key = `${day} ${isAgent ? 1 : 0} ${sessionId} ${best.model}`;
  const known = totals.get(key);
  if (known !== undefined) return known;
  const text = days.get(day) ?? dayText(best.timeMs);
  days.set(day, text);
  const total = { day: text, model: best.model, sessionId, isAgent, ...EMPTY_SUM };
  totals.set(key, total);
  return total;
}

function sessionOf(message: ApiMessage): string {
  return message.rows.length === 1 ? message.best.sessionId : (holdersOf(message)[0]?.sessionId ?? '');
}

const EMPTY_SUM: UsageSum = {
  messages: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  webSearches: 0,
  costNanos: 0,
  unpricedMessages: 0,
};

function addMessage(total: Mutable<UsageSum>, row: UsageRow, costNanos: number | null): void {
  total.messages += 1;
  total.input += row.input;
  total.output += row.output;
  total.cacheRead += row.cacheRead;
  total.cacheWrite5m += row.cacheWrite5m;
  total.cacheWrite1h += row.cacheWrite1h;
  total.webSearches += row.webSearches;
  if (costNanos === null) total.unpricedMessages += 1;
  else total.costNanos += costNanos;
}

function sumOf(totals: Iterable<UsageSum>): UsageSum {
  const sum: Mutable<UsageSum> = { ...EMPTY_SUM };
  for (const total of totals) {
    for (const name of Object.keys(EMPTY_SUM) as (keyof UsageSum)[]) sum[name] += total[name];
  }
  return sum;
}

function usageOf(row: UsageRow): Usage {
  return {
    input: row.input,
    output: row.output,
    cacheRead: row.cacheRead,
    cacheWrite5m: row.cacheWrite5m,
    cacheWrite1h: row.cacheWrite1h,
    webSearches: row.webSearches,
    webFetches: 0,
    thinkingTokens: null,
    serviceTier: (row.marks & BATCH) === 0 ? null : 'batch',
    speed: (row.marks & FAST) === 0 ? null : 'fast',
    inferenceGeo: (row.marks & US_ONLY) === 0 ? null : 'us',
  };
}
