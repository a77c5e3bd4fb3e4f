import { sql } from 'kysely';
import type { PriceStamp } from '../../../domain/cost.ts';
import type { Engine, Tx } from '../../engine.ts';

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
export async function isPricedOtherwise(db: Tx, book: string): Promise<boolean> {
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
    for (const { id, rates, models } of await findPricedOtherwise(tx, stamp.id)) {
      if (rates !== stamp.ratesOf(models)) continue;
      await tx.updateTable('sessions').set({ price_book: stamp.id }).where('id', '=', id).execute();
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
