import { type ExpressionBuilder, sql } from 'kysely';
import type { PriceStamp, UsageCell } from '../../../domain/cost.ts';
import { NO_SLOT } from '../../../domain/usage.ts';
import type { Engine, Tx } from '../../engine.ts';
import type { Database } from '../../rows.ts';
import { inParts, ofCurrentRevision } from '../../sql.ts';

/**
 * Decides which price book is in force. A device puts its own first when that has changed; so devices with different
 * prices do not reprice the sessions of one store back and forth, and an older fuel-code does not override a newer one.
 */
export async function isBookInForce(db: Tx, deviceId: string, stamp: PriceStamp): Promise<boolean> {
  const books = await db.selectFrom('price_books').selectAll().orderBy('seq', 'desc').execute();
  const [current] = books;
  if (current === undefined || current.book === stamp.id) return true;
  const own = books.find(({ device_id }) => device_id === deviceId);
  return own?.book !== stamp.id && stamp.date >= current.book_date;
}

/** Returns true when any session was priced with another book. */
export async function isPricedByAnotherBook(db: Tx, book: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM sessions WHERE ${isOfOtherBook(book)} LIMIT 1`.execute(db);
  return rows.length > 0;
}

/** The totals of an archived session never change. */
function isOfOtherBook(book: string) {
  return sql<boolean>`price_book <> ${book} AND lifecycle <> 'archived' AND revision > 0`;
}

/** Puts the device's book in force, and marks sessions whose rates are the same in it as priced by it. */
export async function enforceBook(engine: Engine, deviceId: string, stamp: PriceStamp): Promise<void> {
  await engine.transaction(async (tx) => {
    const { top } = await tx
      .selectFrom('price_books')
      .select(({ fn }) => fn.max('seq').as('top'))
      .executeTakeFirstOrThrow();
    const values = { book: stamp.id, book_date: stamp.date, seq: (top ?? 0) + 1 };
    await tx
      .insertInto('price_books')
      .values({ device_id: deviceId, ...values })
      .onConflict((conflict) =>
        conflict.column('device_id').doUpdateSet(values).where('price_books.book', '<>', stamp.id),
      )
      .execute();
    const others = await findPricedOtherwise(tx, stamp.id);
    const same = others.filter(({ rates, models }) => rates === stamp.ratesOf(models)).map(({ id }) => id);
    for (const some of inParts(same)) {
      await tx.updateTable('sessions').set({ price_book: stamp.id }).where('id', 'in', some).execute();
    }
  });
}

interface PricedOtherwise {
  readonly id: string;
  readonly rates: string;
  readonly models: readonly string[];
}

async function findPricedOtherwise(tx: Tx, book: string): Promise<readonly PricedOtherwise[]> {
  const { rows } = await sql<{ id: string; price_rates: string; model: string | null }>`
    SELECT DISTINCT s.id, s.price_rates, m.model
    FROM sessions s
    LEFT JOIN transcript_messages m ON m.session_id = s.id AND m.revision = s.revision AND m.usage_key IS NOT NULL
    WHERE s.id IN (SELECT id FROM sessions WHERE ${isOfOtherBook(book)})`.execute(tx);
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, own]) => ({
    id,
    rates: own[0]?.price_rates ?? '',
    models: own.flatMap(({ model }) => (model === null ? [] : [model])),
  }));
}

/** How far the rollups are behind the archive, and how much of that can be computed from the transcripts on disk. */
interface RollupState {
  /** Bytes of sessions that wait to be parsed, for the first time or again. */
  readonly waitingBytes: number;
  /** Sessions whose messages are in the rollups only. */
  readonly archivedSessions: number;
}

export async function readRollupState(
  db: Tx,
  versions: { readonly parserVersion: number; readonly priceBook: string | undefined },
): Promise<RollupState> {
  const waiting = await db
    .selectFrom('sessions as s')
    .innerJoin('source_files as f', 'f.session_id', 's.id')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('f.seen_size'), sql.lit(0)).as('bytes'))
    .where((eb) => isBehind(eb, versions))
    .executeTakeFirstOrThrow();
  const { archived } = await db
    .selectFrom('sessions')
    .select(({ fn }) => fn.count<number>('archived_at').as('archived'))
    .executeTakeFirstOrThrow();
  return { waitingBytes: waiting.bytes, archivedSessions: archived };
}

type Sessions = Database & { s: Database['sessions'] };

/** Failed sessions are retried by the import; they would fail here again. */
function isBehind(
  { and, or, eb, ref }: ExpressionBuilder<Sessions, 's'>,
  { parserVersion, priceBook }: Parameters<typeof readRollupState>[1],
) {
  const isOutdated = [
    eb('s.parser_version', '<', parserVersion),
    ...(priceBook === undefined ? [] : [eb('s.price_book', '<>', priceBook)]),
  ];
  return and([
    eb('s.captured_version', '>', 0),
    eb('s.parse_status', '<>', 'failed'),
    or([
      eb('s.captured_version', '>', ref('s.parsed_version')),
      // The rollups of an archived session never change.
      and([or(isOutdated), eb('s.lifecycle', '<>', 'archived')]),
    ]),
  ]);
}

/** Usage of API messages that `isElsewhere` does not know, one cell each. */
export async function loadCellsBeyond(
  db: Tx,
  isElsewhere: (id: string, requestId: string | null) => boolean,
): Promise<readonly UsageCell[]> {
  const rows = await db
    .selectFrom('transcript_messages as m')
    .innerJoin('sessions as s', ofCurrentRevision('m'))
    .select(['m.session_id', 'm.time_slot', 'm.model', 'm.git_branch', 'm.agent_id', 'm.api_message_id'])
    .select(['m.request_id', 'm.uuid', 'm.tokens_in', 'm.tokens_out', 'm.cache_read', 'm.cache_write'])
    .select(['m.cache_write_1h', 'm.cost_nanos'])
    .where('m.counted', '=', sql.lit(true))
    .execute();
  return rows
    .filter((row) => !isElsewhere(row.api_message_id ?? row.request_id ?? row.uuid ?? '', row.request_id))
    .map((row) => ({
      sessionId: row.session_id,
      slot: row.time_slot === NO_SLOT ? null : row.time_slot,
      model: row.model ?? '',
      branch: row.git_branch ?? '',
      isSubagent: row.agent_id !== null,
      messages: 1,
      unpricedMessages: row.cost_nanos === null ? 1 : 0,
      tokensIn: row.tokens_in ?? 0,
      tokensOut: row.tokens_out ?? 0,
      cacheRead: row.cache_read ?? 0,
      cacheWrite: row.cache_write ?? 0,
      cacheWrite1h: row.cache_write_1h ?? 0,
      costNanos: row.cost_nanos ?? 0,
    }));
}
