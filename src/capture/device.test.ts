import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type DeviceIdentity, loadDevice, readDevice } from './device.ts';

const at = (minute: number) => ({ now: () => new Date(Date.UTC(2026, 10, 15, 12, minute)), monotonicMs: () => 0 });

it('processes that start for the first time at the same moment agree on the id of the machine', () => {
  const home = mkdtempSync(join(tmpdir(), 'device-'));
  try {
    let other: DeviceIdentity | null = null;
    // The clock is read between looking for the file and writing it.
    const now = () => {
      other ??= loadDevice(home, at(1));
      return at(2).now();
    };
    const own = loadDevice(home, { ...at(2), now });
    expect(own).toEqual(other);
    expect(readDevice(home)).toEqual({ id: own.id, name: own.name });
    expect(readdirSync(home)).toEqual(['device.json']);
  } finally {
    rmSync(home, { recursive: true });
  }
});
