import { sql } from 'kysely';
import type { Event } from '../../domain/event.ts';
import type { JsonValue } from '../../domain/transcript.ts';
import { cutPage, decodePlace, isBeyond } from '../cursor.ts';
import type { Tx } from '../engine.ts';
import { cleanJson, cleanText, readJson } from '../text.ts';

/** Stores events that are not stored yet, and gives their number. Those of a session that is not known yet wait for it. */
export async function insertEvents(tx: Tx, events: readonly Event[], now: string): Promise<number> {
  if (events.length === 0) return 0;
  const result = await tx
    .insertInto('events')
    .values((eb) =>
      events.map((event) => ({
        id: event.id,
        type: cleanText(event.type),
        timestamp: event.timestamp,
        device_id: event.device_id,
        session_id: eb.selectFrom('sessions').select('sessions.id').where('sessions.id', '=', event.session_id),
        data: cleanJson({ ...event.data, session_id: event.session_id }),
        ingested_at: now,
      })),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0);
}

/** Gives events that came before their session's row to that session; without an id, to every session that has one. */
export async function linkEvents(tx: Tx, sessionId?: string): Promise<number> {
  const named = sql<string>`(events.data ->> 'session_id')`;
  const { numUpdatedRows } = await tx
    .updateTable('events')
    .set({ session_id: named })
    .where('session_id', 'is', null)
    .$if(sessionId !== undefined, (query) => query.where(named, '=', sessionId ?? ''))
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('sessions').select('sessions.id').where('sessions.id', '=', named)),
    )
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export interface StoredEvent extends Omit<Event, 'session_id'> {
  readonly session_id: string | null;
  readonly ingested_at: string;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  readonly next_cursor: string | null;
}

const ORDER = { at: sql.ref('timestamp'), id: sql.ref('id') };

/** What the hooks told of a session, in the order of their machine's clock, a page at a time. Errors: usage for a cursor that is not ours. */
export async function pageEvents(
  db: Tx,
  sessionId: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): Promise<EventPage> {
  const rows = await selectEvents(db, sessionId)
    .$if(cursor !== undefined, (select) => select.where(isBeyond(ORDER, decodePlace(cursor ?? ''), 'up')))
    .limit(limit + 1)
    .execute();
  const { page, next } = cutPage(rows.map(toEvent), limit, ({ timestamp, id }) => ({ at: timestamp, id }));
  return { events: page, next_cursor: next };
}

function selectEvents(db: Tx, sessionId: string) {
  return db
    .selectFrom('events')
    .select(['id', 'type', 'timestamp', 'device_id', 'session_id', 'data', 'ingested_at'])
    .where('session_id', '=', sessionId)
    .orderBy('timestamp')
    .orderBy('id');
}

function toEvent(row: Awaited<ReturnType<ReturnType<typeof selectEvents>['execute']>>[number]): StoredEvent {
  return {
    ...row,
    type: row.type as Event['type'],
    data: readJson<Readonly<Record<string, JsonValue>>>(row.data),
  };
}
