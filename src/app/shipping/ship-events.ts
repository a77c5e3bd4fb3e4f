import type { Event } from '../../domain/event.ts';
import { MAX_EVENTS } from '../../api/ingest.ts';
import { findEventsToShip, markEventShipped } from '../../store/queries/shipping/shipping.ts';
import { shipBatches } from './ship-batches.ts';
import type { Halt, ShipDeps, Tally } from './ship.ts';

/** Sends the events that the server lacks, oldest first. */
export function shipEvents({ engine, client, server, device, signal }: ShipDeps, tally: Tally): Promise<Halt | null> {
  const route = { server: server.url, deviceId: device.id };
  const outbox = {
    find: (limit: number) => findEventsToShip(engine.kysely, route, limit),
    send: (batch: readonly Event[]) => client.sendEvents(device, batch.map(toWire)),
    settle: async ({ id }: Event, refusal: string | null) => {
      await markEventShipped(engine.kysely, server.url, id, refusal);
      if (refusal === null) tally.events++;
      else tally.refused++;
    },
  };
  return shipBatches(outbox, { limit: MAX_EVENTS, signal });
}

function toWire({ id, type, timestamp, session_id, data }: Event): object {
  return { id, type, timestamp, session_id, data };
}
