import { arch, hostname, platform } from 'node:os';
import { join } from 'node:path';
import { FuelError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { readTextFile, writePrivateFile } from '../lib/private-file.ts';
import { ulid } from '../lib/ids.ts';

const MAX_NAME_CHARS = 128;

export interface DeviceIdentity {
  readonly id: string;
  readonly name: string;
  readonly hostname: string;
  readonly os: string;
  readonly arch: string;
}

type Name = Pick<DeviceIdentity, 'id' | 'name'>;

/** The stored id and name of this machine; null before the first start. Errors: bad_config for a broken device.json. */
export function readDevice(home: string): Name | null {
  const path = join(home, 'device.json');
  const text = readTextFile(path);
  return text === null ? null : parseDevice(path, text);
}

/**
 * Loads the identity of this machine, creating and storing it on first use unless the folder is read-only. Errors:
 * bad_config for a broken device.json.
 */
export function loadDevice(home: string, clock: Clock, folder: 'writable' | 'read-only' = 'writable'): DeviceIdentity {
  const known = readDevice(home);
  const { id, name } = known ?? { id: ulid(clock.now()), name: hostname() || 'this-machine' };
  if (known === null && folder === 'writable')
    writePrivateFile(join(home, 'device.json'), `${JSON.stringify({ id, name }, null, 2)}\n`);
  return { id, name, hostname: hostname(), os: platform(), arch: arch() };
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
