import type { JsonValue } from './transcript.ts';

/** What a hook or a script reported. Events are hints: the state of a session always follows from its files. */
const EVENT_TYPES = [
  'session.start',
  'session.end',
  'session.compact',
  'subagent.start',
  'subagent.stop',
  'team.create',
  'team.message',
  'skill.invoke',
  'worktree.create',
  'worktree.remove',
] as const;

/** Other hooks, for example of a newer client, are kept under their own name. Scripts choose their own types. */
export type EventType = (typeof EVENT_TYPES)[number] | `hook.${string}` | (string & {});

/** The first words of types that only hooks report. */
const HOOK_FAMILIES: ReadonlySet<string> = new Set([...EVENT_TYPES.map(familyOf), 'hook']);

function familyOf(type: string): string {
  return type.split('.')[0]?.toLowerCase() ?? '';
}

/** Returns true for the type of an event that a script has recorded with `fuel-code emit`. */
export function isScriptType(type: string): boolean {
  return !HOOK_FAMILIES.has(familyOf(type));
}

export const EVENT_TYPE_PATTERN = /^[A-Za-z][\w.-]{0,127}$/;
/** The data of an event that a script records, as JSON. An entry of the spool holds twice as much. */
export const MAX_EVENT_DATA_BYTES = 32 * 1024;
/** The session of an event without one. */
export const NO_SESSION = '';

export interface Event {
  /** A ULID derived from the spool entry, so a repeated report is the same event. */
  readonly id: string;
  readonly type: EventType;
  /** When the hook fired, by the clock of its machine. */
  readonly timestamp: string;
  readonly device_id: string;
  /** As the hook reported it; the session may still be unknown. `NO_SESSION` for an event without a session. */
  readonly session_id: string;
  /** Of an event that a script recorded without a session. */
  readonly workspace?: { readonly canonical_id: string; readonly display_name: string } | undefined;
  readonly data: Readonly<Record<string, JsonValue>>;
}

/**
 * Why a session ended, as the client reports it (`clear`, `resume`, `logout`, `bypass_permissions_disabled`, `other`, or
 * a reason of a newer client), except that `prompt_input_exit` is called `exit`. Invalid reasons are `other`.
 */
export function endReason(reason: unknown): string {
  if (typeof reason !== 'string' || !/^[a-z][a-z0-9_-]{0,63}$/.test(reason)) return 'other';
  return reason === 'prompt_input_exit' ? 'exit' : reason;
}

/** Why an entry of the spool can never become an event. */
export type RejectReason = 'empty' | 'not_json' | 'not_an_object' | 'no_event_name' | 'bad_payload';

export interface Rejection {
  readonly reason: RejectReason;
  /** The exact problem, for a person. */
  readonly detail: string;
}

/** The payload of `fuel-code hooks test`: draining the spool skips it, since the test waits for it. */
export const TEST_EVENT_NAME = 'FuelCodeTest';

/** The field of a spool entry that holds an event of a script; hook payloads do not have it. */
export const SCRIPT_EVENT_FIELD = 'fuel_code_event';

/** One call of a hook or one event of a script, waiting in the spool. */
export interface SpoolEntry {
  readonly id: string;
  /** Milliseconds since 1970 at which the hook stored it. */
  readonly atMs: number;
  readonly sizeBytes: number;
}

/** Access to the spool for a process that drains it. Several may run at once, and each may crash at any point. */
export interface SpoolReader {
  /** Oldest first. */
  entries(): readonly SpoolEntry[];
  /** Null when another process was faster. */
  read(entry: SpoolEntry): Uint8Array | null;
  /** The entry's effects are stored. */
  done(entry: SpoolEntry): void;
  /** The entry goes to the dead letters. */
  reject(entry: SpoolEntry, rejection: Rejection): void;
}
