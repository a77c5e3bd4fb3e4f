import { joinSaid, originOfParts, splitText, type TextPart } from '../../domain/text-origin.ts';
import type { JsonObject, JsonValue, MessageOrigin } from '../../domain/transcript.ts';
import { asList, asObject, asText } from '../read/json.ts';

/** The first text of a content, '' for one that is only an image. */
export function firstText(content: JsonValue | undefined): string {
  return textsOf(content)[0] ?? '';
}

function textsOf(content: JsonValue | undefined): readonly string[] {
  if (typeof content === 'string') return [content];
  return (asList(content) ?? []).flatMap((block) =>
    typeof block === 'string' ? [block] : (asText(asObject(block)?.['text']) ?? []),
  );
}

/** Who speaks in a content, and what. */
export interface Spoken {
  readonly parts: readonly TextPart[];
  /** What it is when no person said anything in it; null when one did, or there is no text at all. */
  readonly origin: MessageOrigin | null;
  /** The person's words; where there are none, the injected text that the origin is taken from. */
  readonly text: string;
  /** A person said something or showed a picture. */
  readonly isPersonal: boolean;
}

export function readSpoken(content: JsonValue | undefined): Spoken {
  const parts = textsOf(content).flatMap(splitText);
  const said = joinSaid(parts);
  const hasMedia = (asList(content) ?? []).some((block) => MEDIA.has(asText(asObject(block)?.['type']) ?? ''));
  const origin = hasMedia ? null : originOfParts(parts);
  const text = origin === null ? said : (parts.find((part) => part.origin === origin)?.text ?? '');
  // A prompt that was sent empty is a prompt all the same.
  const isEmpty = textsOf(content).join('').trim() === '';
  return { parts, origin, text, isPersonal: hasMedia || isEmpty || said.trim() !== '' };
}

const MEDIA: ReadonlySet<string> = new Set(['image', 'document']);

const HEAD_CHARS = 512;
const TAIL_CHARS = 128;

/** Short stand-in for a prompt, to find the same text again without keeping it: its length, and a hash of both ends. */
export function promptKeyOf(text: string): string {
  const hash = hashOf(hashOf(0x811c9dc5, text.slice(0, HEAD_CHARS)), text.slice(-TAIL_CHARS));
  return `${text.length}:${(hash >>> 0).toString(36)}`;
}

function hashOf(seed: number, text: string): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** `origin.kind`, `turnOrigin` and `promptSource` of newer clients, where they name something injected. */
const STATED: ReadonlyMap<string, MessageOrigin> = new Map([
  ['task-notification', 'task_notification'],
  ['task_notification', 'task_notification'],
  ['coordinator', 'teammate'],
  ['teammate', 'teammate'],
  ['system', 'meta'],
]);

/** Who made a user line that holds no tool result. */
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

/** Messages in which somebody asks for something: what the client put into them is shown apart from the words. */
export function isAsked(origin: MessageOrigin): boolean {
  return origin === 'human' || origin === 'queued' || origin === 'agent_prompt';
}
