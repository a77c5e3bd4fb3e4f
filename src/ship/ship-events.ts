import type { Event } from '../domain/event.ts';
import { MAX_EVENTS } from '../api/upload-schema.ts';
import { findEventsToShip, markEventShipped } from '../store/queries/shipping.ts';
import type { Halt, ShipDeps } from './ship.ts';

/** The server takes bodies of up to a megabyte; an event alone is at most 64 KB. */
const MAX_BATCH_CHARS = 500_000;

/** Sends the events that the server lacks; each has its own answer. */
export async function shipEvents(deps: ShipDeps, tally: { events: number; refused: number }): Promise<Halt | null> {
  const route = { server: deps.server.url, deviceId: deps.device.id };
  for (let isAlone = false; !deps.signal.aborted; ) {
    const found = await findEventsToShip(deps.engine.kysely, route, isAlone ? 1 : MAX_EVENTS);
    const batch = cut(found);
    if (batch.length === 0) return null;
    const reply = await deps.client.sendEvents(deviceOf(deps), batch.map(toWire));
    if (reply.kind === 'busy' || reply.kind === 'locked') return reply;
    if (reply.kind === 'ok') {
      const byId = new Map(reply.body.results.map((result) => [result.id, result]));
      for (const { id } of batch) await settle(deps, tally, id, refusalOf(byId.get(id)));
      isAlone = false;
    } else if (batch.length > 1) {
      // One of them spoils the batch: find it.
      isAlone = true;
    } else {
      const [event] = batch;
      if (event) await settle(deps, tally, event.id, 'reason' in reply ? reply.reason : reply.kind);
    }
  }
  return null;
}

function refusalOf(result: { readonly status: string; readonly reason?: string | undefined } | undefined) {
  if (result === undefined) return 'The server did not say what became of it.';
  return result.status === 'rejected' ? (result.reason ?? 'The server rejected it.') : null;
}

async function settle(
  { engine, server }: ShipDeps,
  tally: { events: number; refused: number },
  id: string,
  refusal: string | null,
): Promise<void> {
  await markEventShipped(engine.kysely, server.url, id, refusal);
  if (refusal === null) tally.events++;
  else tally.refused++;
}

function deviceOf({ device: { id, name, hostname, os, arch } }: ShipDeps) {
  return { id, name, hostname, os, arch };
}

function toWire({ id, type, timestamp, session_id, data }: Event): object {
  return { id, type, timestamp, session_id, data };
}

function cut(events: readonly Event[]): readonly Event[] {
  let chars = 0;
  const end = events.findIndex((event, at) => {
    chars += JSON.stringify(event.data).length;
    return at > 0 && chars > MAX_BATCH_CHARS;
  });
  return end === -1 ? events : events.slice(0, end);
}
