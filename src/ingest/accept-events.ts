import type { Event } from '../domain/event.ts';
import { insertEvents, linkEvents } from '../store/queries/events/events.ts';
import type { IntakeDeps } from './intake.ts';
import { type IngestResults, eventSchema, type UploadDevice } from '../api/ingest.ts';
import { canAddTo } from './sender.ts';
import { recordDevice } from './record-device.ts';
import { readEach, type Result } from './read-each.ts';
import { journalEvents } from './events/journal-events.ts';

/**
 * Stores the events of a device, validating each on its own. Events that are already stored are reported as duplicates.
 */
export async function acceptEvents(
  deps: IntakeDeps,
  device: UploadDevice,
  given: readonly unknown[],
): Promise<IngestResults> {
  const { engine, clock } = deps;
  const now = clock.now().toISOString();
  await recordDevice(deps, device, now, 'remote');
  const validated = await validateEach(deps, device, given);
  const events = validated.filter((one) => 'type' in one);
  await journalEvents(deps, { at: now, events, workspaces: [] });
  const results: Result[] = [];
  for (const one of validated) {
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

async function validateEach(
  deps: IntakeDeps,
  device: UploadDevice,
  given: readonly unknown[],
): Promise<readonly (Event | Result)[]> {
  const validated: (Event | Result)[] = [];
  for (const read of readEach(eventSchema, given)) {
    if ('rejection' in read) validated.push(read.rejection);
    else if (await canAddTo(deps, device.id, read.item.session_id)) {
      validated.push({ ...read.item, type: read.item.type as Event['type'], device_id: device.id });
    } else {
      validated.push({ id: read.item.id, status: 'rejected', reason: 'The session belongs to another device.' });
    }
  }
  return validated;
}
