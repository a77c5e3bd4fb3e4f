import type { JsonObject, JsonValue } from '../domain/transcript.ts';
import { createRedactor, type Redactor } from './redact.ts';
import { redactCut } from './redact-cut.ts';

/** Replaces secrets in what is stored. Unlike redaction, it keeps home folders and has no time limit. */
export interface SecretMask {
  text(text: string): string;
  /** A text that fuel-code cut or capitalized, such as a title. */
  cutText(text: string): string;
  json<T extends JsonValue>(value: T): T;
  /** A line of a transcript; ids stay, because they link lines to each other. */
  record(record: JsonObject): JsonObject;
  /** Replacements so far, by kind. */
  readonly found: ReadonlyMap<string, number>;
}

/** The same text is masked in the same way each time, so sessions can be parsed again. Errors: bad_config. */
export function createSecretMask(patterns: readonly string[]): SecretMask {
  return countingMask(createRedactor({ homes: null, patterns, nowMs: () => 0 }));
}

function countingMask(redactor: Redactor): SecretMask {
  const found = new Map<string, number>();
  const take = <T>({ value, replaced }: { readonly value: T; readonly replaced: ReadonlyMap<string, number> }) => {
    for (const [kind, count] of replaced) found.set(kind, (found.get(kind) ?? 0) + count);
    return value;
  };
  const json = <T extends JsonValue>(value: T) => take(redactor.json(value)) as T;
  return {
    found,
    text: (text) => take(redactor.text(text)),
    cutText: (text) => redactCut(redactor, text),
    json,
    record: (record) => withIds(json(record), record) as JsonObject,
  };
}

/** Ids as clients and the API write them; a text of any other form may be a secret. */
const ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:msg|req|toolu|srvtoolu|call)_[\w-]{1,80})$/i;
const SIGNED: ReadonlySet<JsonValue> = new Set(['thinking', 'redacted_thinking']);

/** Puts back ids and signatures that look like secrets. */
function withIds(masked: JsonValue, original: JsonValue | undefined): JsonValue {
  if (masked === original || original === undefined) return masked;
  if (typeof masked === 'string') return typeof original === 'string' && ID.test(original) ? original : masked;
  if (typeof masked !== 'object' || masked === null || typeof original !== 'object' || original === null) return masked;
  if (Array.isArray(masked)) {
    const items = original as readonly JsonValue[];
    return masked.map((item: JsonValue, at) => withIds(item, items[at]));
  }
  const before = original as JsonObject;
  const entries = Object.entries(masked as JsonObject).map(([key, item]) => [key, withIds(item, before[key])] as const);
  const isSigned = SIGNED.has(before['type'] ?? null) && typeof before['signature'] === 'string';
  return { ...Object.fromEntries(entries), ...(isSigned ? { signature: before['signature'] } : {}) };
}
