import type { Rejection } from '../../domain/event.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';

export interface HookPayload {
  readonly fields: JsonObject;
  /** The payload exceeded the spool's limit or the client died while writing it; only the first fields are present. */
  readonly isCut: boolean;
}

/** Parses a spool entry to the hook's payload, or explains why it is invalid. */
export function readPayload(bytes: Uint8Array): HookPayload | Rejection {
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return { reason: 'empty', detail: 'It contains only white space.' };
  const whole = parse(text);
  if (whole !== undefined) return asPayload(whole, false);
  const beginning = parse(wholeMembers(text));
  if (beginning !== undefined) return asPayload(beginning, true);
  return { reason: 'not_json', detail: `It starts with ${JSON.stringify(text.slice(0, 60))}.` };
}

function asPayload(value: JsonValue, isCut: boolean): HookPayload | Rejection {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { fields: value as JsonObject, isCut };
  }
  return { reason: 'not_an_object', detail: `It is ${Array.isArray(value) ? 'a list' : String(value).slice(0, 60)}.` };
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // The caller decides what an unparsable text means.
    return undefined;
  }
}

/** Cuts an incomplete JSON object after its last complete member. Claude Code writes the ids first. */
function wholeMembers(text: string): string {
  let depth = 0;
  let isInString = false;
  let end = -1;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isInString) {
      if (char === '\\') at++;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    else if (char === ',' && depth === 1) end = at;
  }
  return end < 0 || !text.trimStart().startsWith('{') ? '' : `${text.slice(0, end)}}`;
}
