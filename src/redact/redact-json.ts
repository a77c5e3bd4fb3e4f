import type { JsonObject, JsonValue } from '../domain/transcript.ts';
import { replaceSpans, type Span } from './detect.ts';
import { classifyName, secretKind } from './names.ts';
import { isStandIn } from './values.ts';

/** The operations applied to the strings of a JSON value. */
export interface JsonRun {
  readonly text: (text: string) => string;
  readonly spans: (text: string) => readonly Span[];
  /** Counts a match and returns its replacement. */
  readonly replace: (kind: string) => string;
}

const MAX_DEPTH = 200;
const TOO_DEEP = '[removed: nested too deeply to check for secrets]';

/** Redacts a JSON value. `name` is its name where a key or a sibling provides one. */
export function redactJson(value: JsonValue, run: JsonRun, name: string | null = null, depth = 0): JsonValue {
  if (typeof value === 'string') return redactNamed(value, run, name);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) return redactList(value, run, name, depth);
  return redactObject(value as JsonObject, run, name, depth);
}

const MAX_NAME_CHARS = 100;
const MAX_SPOKEN_WORDS = 6;

/** In JSON a value is a literal, and its name is often the only clue. */
function redactNamed(value: string, run: JsonRun, name: string | null): string {
  if (name === null || name.length > MAX_NAME_CHARS || /\s/.test(name) || value.length > 4_000) return run.text(value);
  const isProse =
    value.split(/\s+/, MAX_SPOKEN_WORDS + 1).length > MAX_SPOKEN_WORDS || /\bpass(?:word|phrase)\b/i.test(value);
  if (/\s/.test(value.trim()) && isProse) return run.text(value);
  const text = run.text(value);
  // A secret recognized by its format keeps the kind of that format.
  if (text !== value) return text;
  const kind = secretKind(name, value.trim(), 'literal');
  return kind === null ? value : run.replace(kind);
}

const NAME_KEYS = new Set(
  'name key variable var env header field param setting option id k label selector element placeholder'.split(' '),
);
/** What a browser is asked to type into: `{"element": "Password field", "text": "x"}`. */
const PASSWORD_FIELD = /\bpass(?:word|code|phrase)(?: (?:field|input|box|text ?box))?$/i;
const VALUE_KEYS = new Set('value val content default defaultvalue default_value newvalue new_value v text'.split(' '));

function redactObject(value: JsonObject, run: JsonRun, name: string | null, depth: number): JsonValue {
  const entries = Object.entries(value);
  const named = entries.find(
    ([key, item]) => NAME_KEYS.has(key.toLowerCase()) && typeof item === 'string' && nameIn(item) !== null,
  );
  const valueName = named === undefined ? name : nameIn(named[1] as string);
  const isSecretKind = value['kind'] === 'Secret';
  return Object.fromEntries(
    entries.map(([key, item]) => {
      if (isPicture(value, key)) return [key, item];
      if (isSecretKind && /^(?:data|stringData)$/.test(key)) return [key, redactAll(item, run)];
      const itemName = VALUE_KEYS.has(key.toLowerCase()) ? (valueName ?? key) : key;
      return [run.text(key), redactJson(item, run, itemName, depth + 1)];
    }),
  );
}

function nameIn(text: string): string | null {
  if (text.length <= MAX_NAME_CHARS && PASSWORD_FIELD.test(text)) return 'password';
  return classifyName(text) === null ? null : text;
}

/** The bytes of images and documents are left alone; a document may also be a text. */
function isPicture(value: JsonObject, key: string): boolean {
  const { type, media_type } = value;
  if (key !== 'data' || typeof value[key] !== 'string' || type === 'text') return false;
  return type === 'base64' || typeof media_type === 'string';
}

/** Redacts all values of a Kubernetes secret, whatever their names. */
function redactAll(value: JsonValue, run: JsonRun): JsonValue {
  if (typeof value === 'string') return value === '' || isStandIn(value) ? value : run.replace('assigned-secret');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [run.text(key), redactAll(item, run)]));
}

const MAX_WORDS = 200;
const MAX_COMMAND_CHARS = 20_000;

/** An array of strings may be a command, in which an option names the next item, or the lines of a text. */
function redactList(list: readonly JsonValue[], run: JsonRun, name: string | null, depth: number): JsonValue {
  const command = asCommand(list);
  if (command !== null) return redactJoined(command, ' ', run, name);
  if (name === 'lines' && list.every((item) => typeof item === 'string')) return redactJoined(list, '\n', run, name);
  return list.map((item) => redactJson(item, run, name, depth + 1));
}

/** Redacts the parts of a text, also secrets that span several of them. */
function redactJoined(words: readonly string[], joint: string, run: JsonRun, name: string | null): JsonValue {
  const spans = run.spans(words.join(joint));
  let from = 0;
  return words.map((word) => {
    const [start, end] = [from, from + word.length];
    from = end + 1;
    const own = spans
      .filter((span) => span.start < end && span.end > start)
      .map((span) => ({
        ...span,
        // The first character of a line of a diff says whether it was added or removed.
        start: span.start < start && joint === '\n' ? Math.min(1, word.length) : Math.max(0, span.start - start),
        end: Math.min(word.length, span.end - start),
      }));
    return own.length === 0 ? redactNamed(word, run, name) : run.text(replaceSpans(word, own, run.replace));
  });
}

function asCommand(list: readonly JsonValue[]): readonly string[] | null {
  if (list.length < 2 || list.length > MAX_WORDS) return null;
  const words = list.filter((item) => typeof item === 'string');
  if (words.length < list.length || !words.some((word) => /^-{1,2}\w/.test(word))) return null;
  return words.reduce((sum, word) => sum + word.length + 1, 0) <= MAX_COMMAND_CHARS ? words : null;
}
