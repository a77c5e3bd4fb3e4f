import type { SearchHit } from '../api/search.ts';
import { toFuelError } from '../domain/errors.ts';
import {
  inputFieldAt,
  type Place,
  type PlaceCall,
  type SearchIndex,
  type SearchNode,
  searchedText,
} from '../domain/search.ts';
import type { JsonValue } from '../domain/transcript.ts';
import { createJudge, type FoundPlace } from './match-places.ts';
import { firstMatch, snippetOf } from './snippet.ts';

/** Replaces the secrets of a whole text before a snippet is cut out of it. */
interface Redact {
  text(text: string): string;
  json(value: JsonValue): JsonValue;
}

/** How places are presented. */
export interface HitOptions {
  /** Keeps the line breaks of snippets. */
  readonly hasLines?: boolean;
  readonly redact?: Redact | undefined;
  /** The subject of a call in one line; without it, calls are left out. */
  readonly describe?: ((tool: string | null, input: JsonValue | null) => string) | undefined;
}

type Cut = (found: FoundPlace) => Pick<SearchHit, 'snippet' | 'highlights'>;

/** Places as hits, in the same order. */
export async function toHits(
  index: SearchIndex,
  node: SearchNode,
  places: readonly FoundPlace[],
  options: HitOptions,
): Promise<readonly SearchHit[]> {
  const cut = cutterOf(node, options);
  const calls = await readCalls(index, places, options);
  return places.map((found) => {
    const { place, stored } = found;
    const call = calls.get(place.id);
    return {
      kind: place.kind,
      message_id: stored.ordinal === null ? null : place.messageId,
      ordinal: stored.ordinal,
      block: stored.ordinal === null ? null : place.blockOrder,
      tool_name: stored.toolName,
      timestamp: stored.timestamp,
      ...cut(found),
      input_field: call === undefined ? null : fieldOf(found, call),
      call: call === undefined ? null : describeCall(call, options),
    };
  });
}

/**
 * A snippet of a redacted text is cut out after redacting: redacting the snippet itself would miss secrets that the cut
 * tore apart, such as half a token, or lines of a key without its first one.
 */
function cutterOf(node: SearchNode, { redact, hasLines = false }: HitOptions): Cut {
  if (redact === undefined) return ({ text, found }) => snippetOf(text, found, hasLines);
  const judge = createJudge(node);
  return (place) => {
    const safe = redactPlace(place, redact);
    return snippetOf(safe, judge.find(safe), hasLines);
  };
}

/** A password in the input of a tool is recognized by its name, which the searched text does not contain. */
function redactPlace({ text, stored: { json } }: FoundPlace, redact: Redact): string {
  if (json === null) return redact.text(text);
  const safe = redact.json(JSON.parse(json) as JsonValue);
  return redact.text(searchedText({ text: JSON.stringify(safe), isJson: true }));
}

/** The hits are the result; calls that take too long to read are omitted. */
async function readCalls(
  index: SearchIndex,
  places: readonly FoundPlace[],
  { describe, redact }: HitOptions,
): Promise<ReadonlyMap<number, PlaceCall>> {
  if (describe === undefined || redact !== undefined) return new Map();
  const isOfCall = ({ kind }: Place) => kind === 'input' || kind === 'output';
  try {
    return await index.readCalls(places.map(({ place }) => place).filter(isOfCall));
  } catch (error) {
    if (toFuelError(error).code === 'timeout') return new Map();
    throw error;
  }
}

function fieldOf({ place, found }: FoundPlace, { input }: PlaceCall): string | null {
  const isKnown = place.kind === 'input' && place.part === 0 && input !== null;
  return isKnown ? inputFieldAt(input, firstMatch(found).from) : null;
}

function describeCall({ name, input, status, exitCode }: PlaceCall, { describe }: HitOptions): SearchHit['call'] {
  return { subject: describe?.(name, input) ?? '', status, exit_code: exitCode };
}
