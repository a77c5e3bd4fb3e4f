import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { eventSchema, readEventItem } from '../../api/ingest.ts';
import { type Event, type Rejection, SCRIPT_EVENT_FIELD, type SpoolEntry } from '../../domain/event.ts';
import { isJsonObject, parseJson } from '../../domain/json.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { ulid } from '../../lib/ids.ts';
import { hookName, typeOfHook } from './hook-types.ts';

/** Conversation text. It is in the transcript; an event only stores its length. */
const CONTENT_FIELDS: ReadonlySet<string> = new Set([
  'last_assistant_message',
  'compact_summary',
  'custom_instructions',
  'prompt',
  'tool_input',
  'tool_response',
  'tool_calls',
]);

/** Converts a spool entry to an event, or explains why that is impossible. */
export function toEvent(entry: SpoolEntry, payload: Uint8Array, deviceId: string): Event | Rejection {
  const read = readPayload(payload);
  if ('reason' in read) return read;
  if (Object.hasOwn(read.fields, SCRIPT_EVENT_FIELD)) return readScriptEvent(read.fields[SCRIPT_EVENT_FIELD], deviceId);
  const name = hookName.safeParse(read.fields.hook_event_name);
  if (!name.success) return { reason: 'no_event_name', detail: 'hook_event_name is missing or invalid.' };
  const { type, schema } = typeOfHook(name.data, read.fields.tool_name);
  const known = schema.safeParse(read.fields);
  if (!known.success) {
    return { reason: 'bad_payload', detail: `${name.data}: ${complaint(known.error, read.fields)}` };
  }
  return {
    id: eventId({ deviceId, entryId: entry.id, atMs: entry.atMs, payload }),
    type,
    timestamp: new Date(entry.atMs).toISOString(),
    device_id: deviceId,
    session_id: known.data.session_id,
    data: dataOf(read, known.data),
  };
}

/** An event of `fuel-code emit`, which has an id of its own. */
function readScriptEvent(value: unknown, deviceId: string): Event | Rejection {
  const read = eventSchema.safeParse(value);
  if (read.success) return { ...readEventItem(read.data), device_id: deviceId };
  return { reason: 'bad_payload', detail: complaint(read.error, value) };
}

/** The first problem in plain words: `session_id is missing.` */
function complaint({ issues }: z.ZodError, value: unknown): string {
  const path = issues[0]?.path ?? [];
  const found = path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | null)?.[key], value);
  return `${path.join('.') || 'the event'} is ${found === undefined ? 'missing' : 'invalid'}.`;
}

function dataOf({ fields, isCut }: HookPayload, known: object): JsonObject {
  const given = Object.entries(fields).map(([key, value]): [string, JsonValue] =>
    CONTENT_FIELDS.has(key) ? [`${key}_chars`, lengthOf(value)] : [key, value],
  );
  const added = Object.entries(known).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  return Object.fromEntries([...given, ...added, ...(isCut ? [['_cut', true] as const] : [])]);
}

function lengthOf(value: JsonValue): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length;
}

/** A deterministic ULID: the same entry of the same machine always gets the same id. */
function eventId(parts: {
  readonly deviceId: string;
  readonly entryId: string;
  readonly atMs: number;
  readonly payload: Uint8Array;
}): string {
  const name = JSON.stringify([parts.deviceId, parts.entryId]);
  return ulid(new Date(parts.atMs), createHash('sha256').update(name).update(parts.payload).digest());
}

interface HookPayload {
  readonly fields: JsonObject;
  /** The payload exceeded the spool's limit or the client crashed while writing it; only the first fields are present. */
  readonly isCut: boolean;
}

/** Parses a spool entry to the hook's payload, or explains why it is invalid. */
function readPayload(bytes: Uint8Array): HookPayload | Rejection {
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return { reason: 'empty', detail: 'It contains only white space.' };
  const whole = parseJson(text);
  if (whole !== undefined) return asPayload(whole, false);
  const beginning = parseJson(wholeMembers(text));
  if (beginning !== undefined) return asPayload(beginning, true);
  return { reason: 'not_json', detail: `It starts with ${JSON.stringify(text.slice(0, 60))}.` };
}

function asPayload(value: JsonValue, isCut: boolean): HookPayload | Rejection {
  if (isJsonObject(value)) return { fields: value, isCut };
  return {
    reason: 'not_an_object',
    detail: `It is ${Array.isArray(value) ? 'a list' : JSON.stringify(value).slice(0, 60)}.`,
  };
}

/** Cuts an incomplete JSON object after its last complete member. Claude Code writes the ids first. */
function wholeMembers(text: string): string {
  let depth = 0;
  let isInString = false;
  let end = -1;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isInString) {
      if (char === '\\') at++;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    else if (char === ',' && depth === 1) end = at;
  }
  return end < 0 || !text.trimStart().startsWith('{') ? '' : `${text.slice(0, end)}}`;
}
