import type { JsonObject } from '../../domain/transcript.ts';
import { asCount, asNumber, asText } from '../read/json.ts';
import type { ToolOutcome } from './outcome.ts';

const MS_PER_SECOND = 1000;

/** WebFetch: {bytes, code, codeText, durationMs, result, url}. */
export function readFetchResult(result: JsonObject, outcome: ToolOutcome): void {
  outcome.durationMs = asNumber(result['durationMs']);
  const [status, bytes, url] = [asCount(result['code']), asCount(result['bytes']), asText(result['url'])];
  if (status !== null) outcome.details['httpStatus'] = status;
  if (bytes !== null) outcome.details['bytes'] = bytes;
  if (url !== null) outcome.details['url'] = url;
}

/** WebSearch: {durationSeconds, query, results}. */
export function readSearchTheWebResult(result: JsonObject, outcome: ToolOutcome): void {
  const seconds = asNumber(result['durationSeconds']);
  outcome.durationMs = seconds === null ? null : Math.round(seconds * MS_PER_SECOND);
  const query = asText(result['query']);
  if (query !== null) outcome.details['query'] = query;
}
