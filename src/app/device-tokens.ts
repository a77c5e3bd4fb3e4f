import type { Clock } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { findDeviceToken, markTokenUsed, type StoredToken } from '../store/queries/devices/device-tokens.ts';

/** What the door asks of the tokens of devices. */
export interface DeviceTokens {
  find(id: string): Promise<StoredToken | null>;
  /** It was used just now; written down about once a minute. */
  markUsed(id: string): Promise<void>;
}

const USE_NOTED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export function createDeviceTokens({ kysely }: Engine, clock: Clock): DeviceTokens {
  const notedMs = new Map<string, number>();
  return {
    find: (id) => findDeviceToken(kysely, id),
    markUsed: async (id) => {
      const now = clock.now();
      if (now.getTime() - (notedMs.get(id) ?? 0) < USE_NOTED_MS) return;
      if (notedMs.size >= MAX_REMEMBERED) notedMs.clear();
      notedMs.set(id, now.getTime());
      await markTokenUsed(kysely, id, now.toISOString());
    },
  };
}
