import { journalFields, toJournal } from './journal-note.ts';
import { isJsonObject } from './json.ts';
import type { JsonObject } from './transcript.ts';

/** Facts about a machine that transcripts do not contain; the journal keeps them for a rebuild. */
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

const WHAT = 'device_seen';

/** The facts as a journal record. */
export function deviceToJournal({ at, type, device }: DeviceFacts): JsonObject {
  const { id, name, hostname, os, arch } = device;
  return { ...toJournal({ at, what: WHAT }), type, device: { id, name, hostname, os, arch } };
}

/** Reads the facts from a journal record; null for any other record. */
export function deviceFromJournal(record: JsonObject): DeviceFacts | null {
  const { at, what, type, device } = journalFields(record);
  if (what !== WHAT || typeof at !== 'string' || !isJsonObject(device)) return null;
  const { id, name, hostname, os, arch } = device;
  const texts = [id, name, hostname, os, arch];
  if (!texts.every((text) => typeof text === 'string') || id === '') return null;
  const [ownId = '', ownName = '', ownHost = '', ownOs = '', ownArch = ''] = texts;
  return {
    at,
    type: type === 'remote' ? 'remote' : 'local',
    device: { id: ownId, name: ownName, hostname: ownHost, os: ownOs, arch: ownArch },
  };
}

/** A token for one device: a name to look it up by, and a secret of 256 bits that no server keeps. */
const DEVICE_TOKEN = /^dev_([0-9a-f]{16})_[0-9a-f]{64}$/;

export const DEVICE_TOKEN_ID = /^[0-9a-f]{16}$/;

/** The device token of a request; null for the server's own token, which may act for every device. */
export type Sender = { readonly tokenId: string; readonly name: string } | null;

/** The id in a device's token; null for the token of a server. */
export function deviceTokenId(token: string): string | null {
  return DEVICE_TOKEN.exec(token)?.[1] ?? null;
}

const SHORT_ID_CHARS = 10;

/** The start of a device id, which is a ULID: its time. */
export function shortDeviceId(id: string): string {
  return id.slice(0, SHORT_ID_CHARS);
}

/** The key of one browser: an id to look it up by, and a secret of 256 bits of which the server stores only the hash. */
const BROWSER_KEY = /^brw_([0-9a-f]{16})_[0-9a-f]{64}$/;

export const MAX_BROWSER_NAME_CHARS = 100;

/** The id in a browser's key; null for any other token. */
export function browserKeyId(key: string): string | null {
  return BROWSER_KEY.exec(key)?.[1] ?? null;
}
