import type { Event, Rejection, SpoolEntry } from '../../domain/event.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { eventId } from './event-id.ts';
import { hookName, typeOfHook } from './hook-types.ts';
import { type HookPayload, readPayload } from './read-payload.ts';

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
  const name = hookName.safeParse(read.fields.hook_event_name);
  if (!name.success) return { reason: 'no_event_name', detail: 'hook_event_name is missing or invalid.' };
  const { type, schema } = typeOfHook(name.data, read.fields.tool_name);
  const known = schema.safeParse(read.fields);
  if (!known.success) {
    const [issue] = known.error.issues;
    return { reason: 'bad_payload', detail: `${name.data}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}` };
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
