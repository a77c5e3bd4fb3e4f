import type { JsonObject } from '../../domain/transcript.ts';
import { isFilledText } from './json.ts';

/** The API request of an assistant line. Some gateways leave ids empty. */
export function requestIdOf(record: JsonObject): string | null {
  const { requestId } = record;
  return isFilledText(requestId) ? requestId : null;
}

/** What the lines of an API message share: its id; without one, its request. Null if the line is a message by itself. */
export function apiIdOf(record: JsonObject, message: JsonObject | null): string | null {
  const id = message?.['id'];
  return isFilledText(id) ? id : requestIdOf(record);
}
