import type { ArchiveJournal } from '../../domain/ports.ts';
import type { Engine } from '../../store/engine.ts';
import { findStoredEvents } from '../../store/queries/events/events.ts';
import { eventsRecord, type AcceptedEvents } from '../../archive/journal/event-record.ts';

interface Deps {
  readonly engine: Engine;
  readonly journal: ArchiveJournal;
}

/**
 * Writes new events to the journal before they are stored: the database must never hold more than can be rebuilt. A
 * crash between the two repeats a line, which is harmless because replays deduplicate by event id.
 */
export async function journalEvents(
  { engine, journal }: Deps,
  { at, events, workspaces }: AcceptedEvents,
): Promise<void> {
  const ids = events.map(({ id }) => id);
  const stored = await findStoredEvents(engine.kysely, ids);
  const fresh = events.filter(({ id }) => !stored.has(id));
  if (fresh.length === 0) return;
  await journal.append(eventsRecord({ at, events: fresh, workspaces }));
  await journal.flush();
}
