import type { JsonObject } from './transcript.ts';

/** What no transcript says about a machine; the journal keeps it, so that a rebuild knows it again. */
export interface DeviceFacts {
  readonly at: string;
  readonly type: 'local' | 'remote';
  readonly device: {
    readonly id: string;
    readonly name: string;
    readonly hostname: string;
    readonly os: string;
    readonly arch: string;
  };
}

const FORMAT = 1;
const WHAT = 'device_seen';

/** A note as a line of the journal. */
export function deviceToJournal({ at, type, device }: DeviceFacts): JsonObject {
  const { id, name, hostname, os, arch } = device;
  return { format: FORMAT, at, what: WHAT, type, device: { id, name, hostname, os, arch } };
}

/** The note that a line of the journal holds; null for any other line. */
export function deviceFromJournal({ format, at, what, type, device }: JsonObject): DeviceFacts | null {
  if (format !== FORMAT || what !== WHAT || typeof at !== 'string') return null;
  if (typeof device !== 'object' || device === null || Array.isArray(device)) return null;
  const { id, name, hostname, os, arch } = device as JsonObject;
  const texts = [id, name, hostname, os, arch];
  if (!texts.every((text) => typeof text === 'string') || id === '') return null;
  const [ownId = '', ownName = '', ownHost = '', ownOs = '', ownArch = ''] = texts;
  return {
    at,
    type: type === 'remote' ? 'remote' : 'local',
    device: { id: ownId, name: ownName, hostname: ownHost, os: ownOs, arch: ownArch },
  };
}
