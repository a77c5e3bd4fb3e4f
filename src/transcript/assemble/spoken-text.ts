import type { JsonValue } from '../../domain/transcript.ts';
import { asList, asObject, asText } from '../read/json.ts';

/** Tags that editors and the client put before a person's words, in the same text or as a block of its own. */
const PUT_BEFORE = ['system-reminder', 'ide_opened_file', 'ide_selection', 'ide_diagnostics'];

/** The first text of a content, '' for one that is only an image. */
export function firstText(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  for (const block of asList(content) ?? []) {
    const text = asText(asObject(block)?.['text']);
    if (text !== null) return text;
  }
  return '';
}

/** What the person said: the first text that is left when the client's own tags are taken off; else the first text. */
export function spokenText(content: JsonValue | undefined): string {
  const first = firstText(content);
  if (first.charCodeAt(0) !== 0x3c) return first;
  const texts = typeof content === 'string' ? [content] : (asList(content) ?? []);
  for (const part of texts) {
    const said = withoutTags(typeof part === 'string' ? part : (asText(asObject(part)?.['text']) ?? ''));
    if (said.trim() !== '') return said;
  }
  return first;
}

function withoutTags(text: string): string {
  let rest = text;
  for (;;) {
    const tag = PUT_BEFORE.find((name) => rest.startsWith(`<${name}>`));
    if (tag === undefined) return rest;
    const end = rest.indexOf(`</${tag}>`);
    if (end < 0) return '';
    rest = rest.slice(end + tag.length + 3).trimStart();
  }
}
