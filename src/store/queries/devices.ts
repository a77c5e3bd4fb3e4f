import type { Tx } from '../engine.ts';

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly hostname: string;
  readonly os: string;
  readonly arch: string;
}

/** Makes sure that the device has its row, with the name it has today. A remote one ships; its disk is never at hand. */
export async function saveDevice(
  db: Tx,
  device: Device,
  now: string,
  type: 'local' | 'remote' = 'local',
): Promise<void> {
  await db
    .insertInto('devices')
    .values({ ...device, type, first_seen_at: now, last_seen_at: now })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ name: device.name, hostname: device.hostname, last_seen_at: now }),
    )
    .execute();
}

/** Whose session it is, and where it belongs. Null when nobody knows it. */
export async function loadSessionOwner(
  db: Tx,
  sessionId: string,
): Promise<{ readonly deviceId: string; readonly workspaceId: string } | null> {
  const row = await db
    .selectFrom('sessions')
    .select(['device_id as deviceId', 'workspace_id as workspaceId'])
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return row ?? null;
}
