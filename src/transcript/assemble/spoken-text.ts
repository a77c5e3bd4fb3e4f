import { joinSaid, originOfParts, splitText, type TextPart } from '../../domain/text-origin.ts';
import type { JsonValue, MessageOrigin } from '../../domain/transcript.ts';
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
