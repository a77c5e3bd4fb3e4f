import type { MessageRow } from '../../api/transcript.ts';

/** Messages are kept in chunks of this many positions. */
export const CHUNK_ORDINALS = 10;
/** Requests are for one chunk or, if several of its chunks are wanted, for a page. */
export const PAGE_ORDINALS = 50;
const CHUNKS_PER_PAGE = PAGE_ORDINALS / CHUNK_ORDINALS;
/** About 24 pages. */
const MAX_CHUNKS = 120;
const MAX_REQUESTS = 4;

export type FetchMessages = (query: {
  readonly after: number;
  readonly limit: number;
}) => Promise<readonly MessageRow[]>;

interface Range {
  readonly first: number;
  readonly chunks: number;
}

/** The messages around what is in view; everything else is fetched again when it is looked at. */
export class Content {
  readonly #fetch: FetchMessages;
  readonly #chunks = new Map<number, ReadonlyMap<number, MessageRow>>();
  /** Chunks that are shown as they are until they have been fetched again. */
  readonly #stale = new Set<number>();
  readonly #pending = new Set<number>();
  readonly #listeners = new Set<() => void>();
  #wanted: ReadonlySet<number> = new Set();
  #requests = 0;
  #version = 0;
  #error: Error | null = null;

  constructor(fetch: FetchMessages) {
    this.#fetch = fetch;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Changes with the content. */
  readonly version = (): number => this.#version;

  get error(): Error | null {
    return this.#error;
  }

  /** Undefined while it is not loaded. */
  message(ordinal: number): MessageRow | undefined {
    return this.#chunks.get(chunkOf(ordinal))?.get(ordinal);
  }

  /** Whether these are loaded. */
  has(ordinals: Iterable<number>): boolean {
    for (const ordinal of ordinals) if (!this.#chunks.has(chunkOf(ordinal))) return false;
    return true;
  }

  /** Fetches the messages that are missing of these, and nothing else; earlier requests that were not sent yet are dropped. */
  want(ordinals: Iterable<number>): void {
    this.#wanted = new Set(Array.from(ordinals, chunkOf));
    for (const chunk of this.#wanted) touch(this.#chunks, chunk);
    this.#loadMore();
  }

  /** New and changed messages of a running session. */
  readonly put = (messages: readonly MessageRow[]): void => {
    for (const [chunk, fresh] of Map.groupBy(messages, ({ ordinal }) => chunkOf(ordinal))) {
      const known = this.#chunks.get(chunk);
      if (known !== undefined) this.#chunks.set(chunk, new Map([...known, ...byOrdinal(fresh)]));
    }
    this.#notify();
  };

  /** The session has grown: what was incomplete is fetched again. */
  grow(): void {
    for (const [chunk, messages] of this.#chunks) if (messages.size < CHUNK_ORDINALS) this.#stale.add(chunk);
    this.#loadMore();
  }

  #loadMore(): void {
    const isMissing = (chunk: number) =>
      (!this.#chunks.has(chunk) || this.#stale.has(chunk)) && !this.#pending.has(chunk);
    for (const range of rangesOf([...this.#wanted].filter(isMissing))) {
      if (this.#requests >= MAX_REQUESTS) return;
      void this.#load(range);
    }
  }

  async #load(range: Range): Promise<void> {
    const numbers = chunksIn(range);
    for (const chunk of numbers) this.#pending.add(chunk);
    this.#requests += 1;
    try {
      const after = range.first * CHUNK_ORDINALS - 1;
      this.#take(numbers, await this.#fetch({ after, limit: range.chunks * CHUNK_ORDINALS }));
      this.#error = null;
    } catch (cause) {
      this.#error = cause instanceof Error ? cause : new Error(String(cause));
    }
    for (const chunk of numbers) this.#pending.delete(chunk);
    this.#requests -= 1;
    this.#notify();
    if (this.#error === null) this.#loadMore();
  }

  #take(numbers: readonly number[], messages: readonly MessageRow[]): void {
    const byChunk = Map.groupBy(messages, ({ ordinal }) => chunkOf(ordinal));
    for (const chunk of numbers) {
      this.#chunks.set(chunk, byOrdinal(byChunk.get(chunk) ?? []));
      this.#stale.delete(chunk);
    }
    this.#trim();
  }

  /** Drops the chunks that were not looked at for the longest time. */
  #trim(): void {
    const max = Math.max(MAX_CHUNKS, this.#wanted.size * 2);
    for (const chunk of this.#chunks.keys()) {
      if (this.#chunks.size <= max) return;
      if (!this.#wanted.has(chunk)) this.#chunks.delete(chunk);
    }
  }

  #notify(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}

function chunkOf(ordinal: number): number {
  return Math.floor(ordinal / CHUNK_ORDINALS);
}

function byOrdinal(messages: readonly MessageRow[]): ReadonlyMap<number, MessageRow> {
  return new Map(messages.map((message) => [message.ordinal, message]));
}

/** Moves an entry to the end of the map, as the last one used. */
function touch<V>(map: Map<number, V>, key: number): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

function chunksIn({ first, chunks }: Range): readonly number[] {
  return Array.from({ length: chunks }, (_, at) => first + at);
}

/** A page if more than one of its chunks is missing, otherwise the chunk alone. */
function rangesOf(missing: readonly number[]): readonly Range[] {
  const pages = Map.groupBy(missing, (chunk) => Math.floor(chunk / CHUNKS_PER_PAGE));
  return [...pages].map(([page, [first = 0, ...others]]) =>
    others.length === 0 ? { first, chunks: 1 } : { first: page * CHUNKS_PER_PAGE, chunks: CHUNKS_PER_PAGE },
  );
}
