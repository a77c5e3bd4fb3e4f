import { createHash } from 'node:crypto';
import type { Get } from '../api/table.ts';
import type { Config } from '../config.ts';
import type { JsonValue } from '../domain/transcript.ts';
import { isUuid } from '../lib/ids.ts';
import type { Redactor } from '../redact/redact.ts';
import { redactCut } from '../redact/redact-cut.ts';
import { redactField } from '../share/page/redacted-queries.ts';
import { openRedactor } from './outbound.ts';

/** How secrets are hidden in the output of an interface. */
export interface Redaction {
  /** The same queries, with every text of their answers redacted. */
  get(get: Get): Get;
  /** Rows of answers with every text redacted. */
  rows<T extends object>(rows: T): T;
  /** The last check before a text is sent. */
  text(text: string): string;
  /** Rows that are sent, with their ids: `rows` and `get` keep these. */
  ids<T>(rows: T): T;
}

/** Errors: bad_config for a pattern that would match everything. */
export function openRedaction(config: Config): Redaction {
  return redactionOf(openRedactor(config));
}

export function redactionOf(redactor: Redactor): Redaction {
  return {
    get: (get) => redactGet(get, redactor),
    rows: <T extends object>(rows: T) => redactRows(rows as unknown as JsonValue, '', redactor) as unknown as T,
    text: (text) => redactor.text(text).value,
    ids: (rows) => hideIds(rows, '', redactor),
  };
}

/** For a person who asked for unredacted data. */
export const NO_REDACTION: Redaction = {
  get: (get) => get,
  rows: (rows) => rows,
  text: (text) => text,
  ids: (rows) => rows,
};

/**
 * Queries that truncate texts and can redact them first: truncation may split a secret so that it is no longer recognized.
 */
const CUTTING: ReadonlySet<string> = new Set(['/search', '/sessions/:id/markdown']);

type Call = (path: string, input?: { readonly query?: object }) => Promise<JsonValue>;

function redactGet(get: Get, redactor: Redactor): Get {
  const call: Call = async (path, input = {}) => {
    const asked = CUTTING.has(path) ? { ...input, query: { ...input.query, redact: true } } : input;
    return redactRows(await (get as unknown as Call)(path, asked), '', redactor);
  };
  return call as unknown as Get;
}

/**
 * Ids link rows to each other. Queries need them, so they are redacted last, when they are shown: a digest keeps two
 * ids with secrets apart.
 */
const IDS: ReadonlySet<string> = new Set(
  `id uuid parent_uuid session_id message_id tool_use_id tool_result_id agent_id spawned_agent_id spawning_tool_use_id
  turn_id parent_turn_id workspace_id device_id commit_sha next_cursor revision agents`.split(/\s+/),
);
function hideIds<T>(value: T, name: string, redactor: Redactor): T {
  if (typeof value === 'string') return IDS.has(name) ? (hideId(value, redactor) as T) : value;
  if (typeof value !== 'object' || value === null || FREE_JSON.has(name)) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => hideIds(item, name, redactor)) as T;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideIds(item, key, redactor)])) as T;
}

const DIGEST_CHARS = 8;

function hideId(id: string, redactor: Redactor): string {
  if (isUuid(id)) return id;
  const { value } = redactor.text(id);
  if (value === id) return id;
  return `${value}-${createHash('sha256').update(id).digest('hex').slice(0, DIGEST_CHARS)}`;
}

/** JSON from transcripts, in which names identify secret values. Column names must not be treated as such names. */
const FREE_JSON: ReadonlySet<string> = new Set(['tool_input', 'details', 'data', 'metadata']);
/** A list of lines, in which a key that spans lines is not recognized. The input of the call has the same change. */
const LEFT_OUT: ReadonlySet<string> = new Set(['patch']);

/** Texts that fuel-code derives from others. */
const CUT_TEXTS: ReadonlySet<string> = new Set(['title', 'session_title', 'summary']);

function redactRows(value: JsonValue, name: string, redactor: Redactor): JsonValue {
  if (typeof value === 'string') {
    if (CUT_TEXTS.has(name)) return redactCut(redactor, value);
    return IDS.has(name) ? value : redactField(redactor, value, new Map(), name);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (LEFT_OUT.has(name)) return null;
  if (FREE_JSON.has(name)) return redactField(redactor, value, new Map(), name);
  if (Array.isArray(value)) return value.map((item: JsonValue) => redactRows(item, name, redactor));
  return Object.fromEntries(
    Object.entries(value as Record<string, JsonValue>).map(([key, item]) => [key, redactRows(item, key, redactor)]),
  );
}
