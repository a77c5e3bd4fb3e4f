import { linkSync, rmSync } from 'node:fs';
import { arch, hostname, platform } from 'node:os';
import { join } from 'node:path';
import { errnoOf, FuelError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { ulid } from '../lib/ids.ts';
import { readTextFile, writePrivateFile } from '../lib/private-file.ts';

const MAX_NAME_CHARS = 128;

export interface DeviceIdentity {
  readonly id: string;
  readonly name: string;
  readonly hostname: string;
  readonly os: string;
  readonly arch: string;
}

type Name = Pick<DeviceIdentity, 'id' | 'name'>;

const pathIn = (home: string) => join(home, 'device.json');

/** The stored id and name of this machine; null before the first start. Errors: bad_config for a broken device.json. */
export function readDevice(home: string): Name | null {
  const path = pathIn(home);
  const text = readTextFile(path);
  return text === null ? null : parseDevice(path, text);
}

/**
 * Loads the identity of this machine, creating and storing it on first use unless the folder is read-only. Errors:
 * bad_config for a broken device.json.
 */
export function loadDevice(home: string, clock: Clock, folder: 'writable' | 'read-only' = 'writable'): DeviceIdentity {
  const fresh = () => ({ id: ulid(clock.now()), name: hostname() || 'this-machine' });
  const { id, name } = readDevice(home) ?? (folder === 'writable' ? storeDevice(home, fresh()) : fresh());
  return { id, name, hostname: hostname(), os: platform(), arch: arch() };
}

/** Of several processes that start for the first time, one decides: link(2) fails if the file exists. */
function storeDevice(home: string, device: Name): Name {
  const temporary = `${pathIn(home)}.${device.id}`;
  writePrivateFile(temporary, `${JSON.stringify(device, null, 2)}\n`);
  try {
    linkSync(temporary, pathIn(home));
    return device;
  } catch (error) {
    const known = errnoOf(error) === 'EEXIST' ? readDevice(home) : null;
    if (known === null) throw error;
    return known;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function parseDevice(path: string, text: string): Name {
  try {
    const { id, name } = JSON.parse(text) as { id: unknown; name: unknown };
    if (isName(id) && isName(name)) return { id, name };
  } catch {
    // Handled below: every kind of broken file gets the same message.
  }
  throw new FuelError('bad_config', `${path} does not contain this machine's id and name.`, {
    hint: 'Restore the file from a backup. If you delete it, this machine is registered as a new device.',
  });
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_NAME_CHARS && !value.includes('\0');
}
