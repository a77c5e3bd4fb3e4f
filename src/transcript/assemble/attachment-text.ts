import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { asList, asObject, asText, isDeeperThan, MAX_JSON_DEPTH } from '../read/json.ts';

/** Fields that name the attachment or repeat the command of a hook: facts, not text. */
const NO_TEXT: ReadonlySet<string> = new Set(['type', 'command', 'rendered', 'digests', 'timestamp', 'source_uuid']);

/**
 * What an attachment says, as text to read: its texts as they are, lists line by line, anything else as JSON. Fields in
 * `facts` are left out. Empty when there is nothing to read.
 */
export function attachmentText(attachment: JsonObject, facts: ReadonlySet<string>): string {
  const texts = Object.entries(attachment).flatMap(([key, value]) => {
    const text = NO_TEXT.has(key) || facts.has(key) ? '' : readable(value);
    return text.trim() === '' ? [] : [[key, text] as const];
  });
  if (texts.length === 1) return texts[0]?.[1] ?? '';
  return texts.map(([key, text]) => (text.includes('\n') ? `${key}:\n${text}` : `${key}: ${text}`)).join('\n');
}

function readable(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null || value === false) return '';
  if (typeof value !== 'object') return String(value);
  const list = asList(value);
  if (list !== null && list.every((item) => typeof item === 'string')) return list.join('\n');
  const inner = innerText(value);
  if (inner !== null) return inner;
  const isEmpty = list === null ? Object.keys(value).length === 0 : list.length === 0;
  return isEmpty || isDeeperThan(value, MAX_JSON_DEPTH) ? '' : JSON.stringify(value, null, 2);
}

/** The text inside a file, a rules file or a content block. */
function innerText(value: JsonValue): string | null {
  const object = asObject(value);
  if (object === null) return null;
  return asText(object['text']) ?? asText(object['content']) ?? asText(asObject(object['file'])?.['content']);
}
