import type { TokenCounts } from '../../domain/usage.ts';
import { PRICE_ROWS } from './rows.ts';

/** One dollar per million tokens. */
export const NANOS_PER_TOKEN_OF_ONE_DOLLAR = 1_000;

/** Nano-dollars per token of each class. One dollar per million tokens is 1,000 nano-dollars per token. */
export type Rates = { readonly [Class in keyof TokenCounts]: number };

/**
 * A request whose total input (fresh, cache read and cache write) exceeds the limit is charged these rates throughout.
 */
export interface LongContext {
  readonly overInputTokens: number;
  readonly rates: Rates;
}

export interface PriceRow {
  /** Stored with a priced message: the model and, for a rate with a known start, its first day. */
  readonly id: string;
  /** The model's id first, then its other names. */
  readonly models: readonly string[];
  /** First and last UTC day of the rate, both inclusive; null means open-ended. */
  readonly from: string | null;
  readonly until: string | null;
  readonly rates: Rates;
  readonly longContext: LongContext | null;
  /** Factor on the rates of a request in fast mode. */
  readonly fastMultiplier: number;
  readonly source: PriceSourceId;
  readonly remark: string | null;
}

export const PRICE_SOURCES = {
  client: {
    date: '2026-11-15',
    about: 'measured with Claude Code 2.1.325',
  },
  lists: { date: '2026-07-01', about: 'public price lists, mid-2026' },
  user: { date: null, about: "the user's own price file" },
} as const satisfies Record<string, { date: string | null; about: string }>;

type PriceSourceId = keyof typeof PRICE_SOURCES;

/**
 * Multiplies every token class of a message. A fraction, so that amounts stay integers; `mark` goes into the rate's id.
 */
export interface Modifier {
  readonly mark: string;
  readonly num: number;
  readonly den: number;
}

/** `usage.service_tier` = batch, according to the price lists (the client never requests it). */
export const BATCH: Modifier = { mark: '+batch', num: 1, den: 2 };
/** `usage.inference_geo` = us. */
export const US_ONLY: Modifier = { mark: '+us', num: 11, den: 10 };
/** One cent each, without multipliers. Web fetches cost only their tokens. */
export const WEB_SEARCH_NANOS = 10_000_000;

export interface PriceBook {
  /** The day the newest fact in the book was checked. */
  readonly date: string;
  /** In order of precedence: of a model's rows that cover a day, the first one applies. */
  readonly rows: readonly PriceRow[];
  readonly rowsByName: ReadonlyMap<string, readonly PriceRow[]>;
}

export const PRICE_BOOK: PriceBook = makeBook('2026-11-15', PRICE_ROWS);

export function makeBook(date: string, rows: readonly PriceRow[]): PriceBook {
  const rowsByName = new Map<string, PriceRow[]>();
  for (const row of rows) {
    for (const name of row.models) {
      const known = rowsByName.get(name);
      if (known === undefined) rowsByName.set(name, [row]);
      else known.push(row);
    }
  }
  return { date, rows, rowsByName };
}

interface BookInfo {
  readonly date: string;
  readonly rowCount: number;
  readonly modelCount: number;
  readonly sources: readonly { readonly id: PriceSourceId; readonly date: string | null; readonly about: string }[];
}

/** Age of the book and the sources it uses. */
export function bookInfo(book: PriceBook = PRICE_BOOK): BookInfo {
  const used = new Set(book.rows.map((row) => row.source));
  return {
    date: book.date,
    rowCount: book.rows.length,
    modelCount: new Set(book.rows.map((row) => row.models[0])).size,
    sources: [...used].map((id) => ({ id, ...PRICE_SOURCES[id] })),
  };
}
