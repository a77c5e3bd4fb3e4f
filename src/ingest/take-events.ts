import type { Event } from '../domain/event.ts';
import { insertEvents, linkEvents } from '../store/queries/events.ts';
import { saveDevice } from '../store/queries/devices.ts';
import type { IntakeDeps } from './intake.ts';
import { type EventResults, eventSchema, type UploadDevice } from '../api/upload-schema.ts';

type Result = EventResults['results'][number];

/** Stores the events of a device, each judged by itself. Those that are stored already are told to be. */
export async function takeEvents(
  { engine, clock }: IntakeDeps,
  device: UploadDevice,
  events: readonly unknown[],
): Promise<EventResults> {
  const now = clock.now().toISOString();
  await saveDevice(engine.kysely, device, now, 'remote');
  const results: Result[] = [];
  for (const given of events) {
    const read = eventSchema.safeParse(given);
    if (!read.success) {
      const [issue] = read.error.issues;
      const reason = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not valid'}`;
      results.push({ id: idOf(given), status: 'rejected', reason });
      continue;
    }
    const event: Event = { ...read.data, type: read.data.type as Event['type'], device_id: device.id };
    const inserted = await engine.transaction((tx) => insertEvents(tx, [event], now));
    results.push({ id: event.id, status: inserted === 1 ? 'accepted' : 'duplicate' });
  }
  await linkEvents(engine.kysely);
  return { results };
}

function idOf(given: unknown): string | null {
  const id = typeof given === 'object' && given !== null && 'id' in given ? given.id : null;
  return typeof id === 'string' ? id.slice(0, 64) : null;
}
