import { joinSaid, originOfParts, splitText, type TextPart } from '../../domain/text-origin.ts';
import type { JsonObject, JsonValue, MessageOrigin } from '../../domain/transcript.ts';
import { asList, asObject, asText } from '../read/json.ts';

/** First text of a content; '' if it contains only images. */
export function firstText(content: JsonValue | undefined): string {
  return textsOf(content)[0] ?? '';
}

function textsOf(content: JsonValue | undefined): readonly string[] {
  if (typeof content === 'string') return [content];
  return (asList(content) ?? []).flatMap((block) =>
    typeof block === 'string' ? [block] : (asText(asObject(block)?.['text']) ?? []),
  );
}

/** The speaker and the text of a content. */
export interface Spoken {
  readonly parts: readonly TextPart[];
  /** Origin of a content without words from a person; null if a person spoke or if there is no text. */
  readonly origin: MessageOrigin | null;
  /** The person's words; if there are none, the injected text that determined the origin. */
  readonly text: string;
  /** True if a person wrote something or attached an image. */
  readonly isPersonal: boolean;
}

export function readSpoken(content: JsonValue | undefined): Spoken {
  const parts = textsOf(content).flatMap(splitText);
  const said = joinSaid(parts);
  const hasMedia = (asList(content) ?? []).some((block) => MEDIA.has(asText(asObject(block)?.['type']) ?? ''));
  const origin = hasMedia ? null : originOfParts(parts);
  const text = origin === null ? said : (parts.find((part) => part.origin === origin)?.text ?? '');
  // An empty prompt is still a prompt.
  const isEmpty = textsOf(content).join('').trim() === '';
  return { parts, origin, text, isPersonal: hasMedia || isEmpty || said.trim() !== '' };
}

const MEDIA: ReadonlySet<string> = new Set(['image', 'document']);

const HEAD_CHARS = 512;
const TAIL_CHARS = 128;

/** Short key for finding the same prompt again without storing it: its length and a hash of both ends. */
export function promptKeyOf(text: string): string {
  const hash = hashOf(hashOf(0x811c9dc5, text.slice(0, HEAD_CHARS)), text.slice(-TAIL_CHARS));
  return `${text.length}:${(hash >>> 0).toString(36)}`;
}

function hashOf(seed: number, text: string): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** Values of `origin.kind`, `turnOrigin` and `promptSource` (newer clients) that mark injected messages. */
const STATED: ReadonlyMap<string, MessageOrigin> = new Map([
  ['task-notification', 'task_notification'],
  ['task_notification', 'task_notification'],
  ['coordinator', 'teammate'],
  ['teammate', 'teammate'],
  ['system', 'meta'],
]);

/** Origin of a user line that contains no tool result. */
export function originOfUserLine(record: JsonObject, spoken: Spoken, isAgentThread: boolean): MessageOrigin {
  if (record['isCompactSummary'] === true) return 'compact_summary';
  if (spoken.origin !== null) return spoken.origin;
  if (record['isMeta'] === true || record['isVisibleInTranscriptOnly'] === true) return 'meta';
  const stated =
    STATED.get(asText(asObject(record['origin'])?.['kind']) ?? '') ??
    STATED.get(asText(record['turnOrigin']) ?? '') ??
    STATED.get(asText(record['promptSource']) ?? '');
  if (stated !== undefined) return stated;
  if (isAgentThread) return 'agent_prompt';
  return spoken.isPersonal ? 'human' : 'meta';
}

/** True for messages that request something; text injected by the client is shown separately from their words. */
export function isAsked(origin: MessageOrigin): boolean {
  return origin === 'human' || origin === 'queued' || origin === 'agent_prompt';
}
