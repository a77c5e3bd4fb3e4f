import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Engine } from '../engine.ts';
import type { Database } from '../rows.ts';

const TEXT_COLUMNS = ['content_text', 'thinking_text', 'result_text', 'tool_input::text'];

/** The text of a block; `block` is the alias of its table and a dot. */
export function textOf(block: string): string {
  return `coalesce(${TEXT_COLUMNS.map((column) => block + column).join(', ')})`;
}

/** An index that a first import drops while its table is empty, and builds when the table is filled. */
interface PostponedIndex {
  readonly name: string;
  readonly table: string;
  readonly create: string;
  /** Without this extension the index is not expected. */
  readonly extension: string | null;
}

const TRIGRAM_INDEX = 'content_blocks_trigrams';
const WORD_INDEX = 'search_index_words';

/** Where the extension cannot be created, searches work without it and check patterns text by text. */
export const TRIGRAMS = `DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX IF NOT EXISTS ${TRIGRAM_INDEX} ON content_blocks USING GIN (lower(${textOf('')} COLLATE "C") gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
  RAISE NOTICE 'searches for patterns do without an index: %', SQLERRM;
END $$`;

export const CREATE_WORD_INDEX = `CREATE INDEX IF NOT EXISTS ${WORD_INDEX} ON search_index USING GIN (words)`;

const TRIGRAMS_OF_TEXTS: PostponedIndex = {
  name: TRIGRAM_INDEX,
  table: 'content_blocks',
  create: TRIGRAMS,
  extension: 'pg_trgm',
};
const WORDS: PostponedIndex = { name: WORD_INDEX, table: 'search_index', create: CREATE_WORD_INDEX, extension: null };

/** The lock comes first: two processes that read the table before they lock it would wait for each other. */
const dropWhileEmpty = ({ name, table }: PostponedIndex) => `DO $$ BEGIN
  PERFORM set_config('lock_timeout', '1s', true);
  LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE;
  IF NOT EXISTS (SELECT FROM ${table}) THEN DROP INDEX IF EXISTS ${name}; END IF;
EXCEPTION WHEN insufficient_privilege OR lock_not_available THEN
  RAISE NOTICE 'the index ${name} is kept up to date during the import: %', SQLERRM;
END $$`;

/** An arbitrary constant, the same in every version. */
const BUILD_LOCK = 4_875_630_116;
const CANCEL_EVERY_MS = 50;
/** While the build waits, everything that writes texts waits behind it. */
const MAX_LOCK_WAIT = '10s';
/** 28 instead of 41 s with the usual 64 MB, in one run each on a busy machine. */
const BUILD_MEMORY = '256MB';
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * The trigram index over the block texts, for patterns, and the index of words. Keeping them up to date during a first
 * import takes three times as long as building them afterwards. Nothing records that they were dropped: any import that
 * finds one missing builds it.
 */
export function createTextIndex(
  kysely: Kysely<Database>,
): Pick<Engine, 'supportsTextIndex' | 'hasTextIndex' | 'postponeTextIndexes' | 'buildTextIndex' | 'buildWordIndex'> {
  const build = async (index: PostponedIndex, signal: AbortSignal) => {
    if (signal.aborted || !(await isMissing(kysely, index))) return;
    try {
      await kysely.transaction().execute((tx) => buildUntil(signal, kysely, tx, index));
    } catch (error) {
      if (!signal.aborted && (error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
    }
  };
  return {
    supportsTextIndex: true,
    hasTextIndex: () => hasTextIndex(kysely),
    postponeTextIndexes: async () => {
      for (const index of [TRIGRAMS_OF_TEXTS, WORDS]) {
        const { rows } = await sql`SELECT 1 WHERE EXISTS (SELECT FROM ${sql.table(index.table)})
          OR to_regclass(${index.name}) IS NULL`.execute(kysely);
        if (rows.length === 0) await sql.raw(dropWhileEmpty(index)).execute(kysely);
      }
    },
    buildTextIndex: (signal) => build(TRIGRAMS_OF_TEXTS, signal),
    buildWordIndex: (signal) => build(WORDS, signal),
  };
}

export async function hasTextIndex(kysely: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT to_regclass(${TRIGRAM_INDEX}) IS NOT NULL AS found`.execute(kysely);
  return rows[0]?.found === true;
}

async function isMissing(kysely: Kysely<Database>, { name, extension }: PostponedIndex): Promise<boolean> {
  const { rows } = await sql`SELECT 1 WHERE to_regclass(${name}) IS NULL
    AND (${extension}::text IS NULL OR EXISTS (SELECT FROM pg_extension WHERE extname = ${extension}))`.execute(kysely);
  return rows.length > 0;
}

/**
 * F16: a long build is canceled when the process is asked to stop. F2: it is left to the next import while a hanging process
 * locks the table.
 */
async function buildUntil(
  signal: AbortSignal,
  kysely: Kysely<Database>,
  tx: Transaction<Database>,
  { create }: PostponedIndex,
): Promise<void> {
  const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid,
    set_config('statement_timeout', '0', true), set_config('lock_timeout', ${MAX_LOCK_WAIT}, true),
    set_config('maintenance_work_mem', greatest(pg_size_bytes(current_setting('maintenance_work_mem')),
      pg_size_bytes(${BUILD_MEMORY})) / 1024 || 'kB', true)`.execute(tx);
  const build = { isRunning: true };
  const cancel = async () => {
    for (; build.isRunning; await sleep(CANCEL_EVERY_MS)) {
      await sql`SELECT pg_cancel_backend(${rows[0]?.pid}::int)`.execute(kysely);
    }
  };
  let canceled: Promise<void> = Promise.resolve();
  const onAbort = () => {
    canceled = cancel();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    await sql`SELECT pg_advisory_xact_lock(${sql.lit(BUILD_LOCK)})`.execute(tx);
    await sql.raw(create).execute(tx);
  } finally {
    build.isRunning = false;
    signal.removeEventListener('abort', onAbort);
    await canceled;
  }
}
