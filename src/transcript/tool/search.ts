import type { JsonObject } from '../../domain/transcript.ts';
import { asCount, asNumber } from '../read/json.ts';
import type { ToolOutcome } from './outcome.ts';

/** Glob, Grep, LS: {filenames, numFiles, numLines, numMatches, durationMs, truncated}. */
export function readSearchResult(result: JsonObject, outcome: ToolOutcome): void {
  outcome.durationMs = asNumber(result['durationMs']);
  for (const key of ['numFiles', 'numLines', 'numMatches']) {
    const count = asCount(result[key]);
    if (count !== null) outcome.details[key] = count;
  }
  if (result['truncated'] === true) outcome.details['truncated'] = true;
}
