import { PARSED_KINDS, TRANSCRIPT_KINDS } from '../capture/file-kinds.ts';
import type { Clock } from '../domain/ports.ts';
import { createIntake, type Intake } from '../ingest/intake.ts';
import type { App } from './open-app.ts';

export type { Intake } from '../ingest/intake.ts';

/** Accepts what other devices ship. `onWork` is called at once when there is something to process. */
export function openIntake({ store, blobs, journal, device }: App, clock: Clock, onWork: () => void): Intake {
  const kinds = { transcript: TRANSCRIPT_KINDS, parsed: PARSED_KINDS };
  return createIntake({ engine: store.engine, blobs, journal, device, clock, kinds }, onWork);
}
