import type { Event } from '../domain/event.ts';
import { insertEvents, linkEvents } from '../store/queries/events/events.ts';
import type { IntakeDeps } from './intake.ts';
import { type IngestResults, eventSchema, type UploadDevice } from '../api/upload-schema.ts';
import { mayAddTo } from './sender.ts';
import { noteDevice } from './note-device.ts';
import { readEach, type Result } from './read-each.ts';
import { journalEvents } from './events/journal-events.ts';

/**
 * Stores the events of a device, validating each on its own. Events that are already stored are reported as duplicates.
 */
export async function takeEvents(
  deps: IntakeDeps,
  device: UploadDevice,
  given: readonly unknown[],
): Promise<IngestResults> {
  const { engine, clock } = deps;
  const now = clock.now().toISOString();
  await noteDevice(deps, device, now, 'remote');
  const judged = await judgeEach(deps, device, given);
  const events = judged.filter((one) => 'type' in one);
  await journalEvents(deps, { at: now, events, places: [] });
  const results: Result[] = [];
  for (const one of judged) {
    if ('status' in one) {
      results.push(one);
      continue;
    }
    const inserted = await engine.transaction((tx) => insertEvents(tx, [one], now));
    results.push({ id: one.id, status: inserted === 1 ? 'accepted' : 'duplicate' });
  }
  await linkEvents(engine.kysely);
  return { results };
}

async function judgeEach(
  deps: IntakeDeps,
  device: UploadDevice,
  given: readonly unknown[],
): Promise<readonly (Event | Result)[]> {
  const judged: (Event | Result)[] = [];
  for (const read of readEach(eventSchema, given)) {
    if ('rejection' in read) judged.push(read.rejection);
    else if (await mayAddTo(deps, device.id, read.item.session_id)) {
      judged.push({ ...read.item, type: read.item.type as Event['type'], device_id: device.id });
    } else {
      judged.push({ id: read.item.id, status: 'rejected', reason: 'The session belongs to another device.' });
    }
  }
  return judged;
}
