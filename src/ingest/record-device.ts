import { deviceToJournal } from '../domain/device.ts';
import type { ArchiveJournal } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { type Device, saveDevice } from '../store/queries/devices/devices.ts';

/** Stores a device's description in the database and, when it changed, in the journal. */
export async function recordDevice(
  { engine, journal }: { readonly engine: Engine; readonly journal: ArchiveJournal },
  device: Device,
  at: string,
  type: 'local' | 'remote' = 'local',
): Promise<void> {
  const hasChanged = await saveDevice(engine.kysely, device, at, type);
  if (hasChanged) await journal.append(deviceToJournal({ at, type, device }));
}
