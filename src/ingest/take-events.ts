import type { Event } from '../domain/event.ts';
import { insertEvents, linkEvents } from '../store/queries/events.ts';
import type { IntakeDeps } from './intake.ts';
import { type IngestResults, eventSchema, type UploadDevice } from '../api/upload-schema.ts';
import { mayAddTo } from './sender.ts';
import { noteDevice } from './note-device.ts';
import { readEach, type Result } from './read-each.ts';

/** Stores the events of a device, each judged by itself. Those that are stored already are told to be. */
export async function takeEvents(
  deps: IntakeDeps,
  device: UploadDevice,
  given: readonly unknown[],
): Promise<IngestResults> {
  const { engine, clock } = deps;
  const now = clock.now().toISOString();
  await noteDevice(deps, device, now, 'remote');
  const results: Result[] = [];
  for (const read of readEach(eventSchema, given)) {
    if ('rejection' in read) {
      results.push(read.rejection);
      continue;
    }
    if (!(await mayAddTo(deps, device.id, read.item.session_id))) {
      results.push({ id: read.item.id, status: 'rejected', reason: 'The session belongs to another device.' });
      continue;
    }
    const event: Event = { ...read.item, type: read.item.type as Event['type'], device_id: device.id };
    const inserted = await engine.transaction((tx) => insertEvents(tx, [event], now));
    results.push({ id: event.id, status: inserted === 1 ? 'accepted' : 'duplicate' });
  }
  await linkEvents(engine.kysely);
  return { results };
}
