import { deviceToJournal } from '../domain/device-facts.ts';
import type { ArchiveJournal } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { type Device, saveDevice } from '../store/queries/devices/devices.ts';

/** Keeps what a device says about itself, in the store and, when it is new, in the journal. */
export async function noteDevice(
  { engine, journal }: { readonly engine: Engine; readonly journal: ArchiveJournal },
  device: Device,
  at: string,
  type: 'local' | 'remote' = 'local',
): Promise<void> {
  const isNews = await saveDevice(engine.kysely, device, at, type);
  if (isNews) await journal.append(deviceToJournal({ at, type, device }));
}
