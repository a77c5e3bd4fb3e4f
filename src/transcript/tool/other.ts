import type { JsonObject } from '../../domain/transcript.ts';
import { asNumber, asText } from '../read/json.ts';
import type { ToolOutcome } from './outcome.ts';

/** Small texts of any result that are worth showing beside the call. */
const SHOWN = [
  'commandName',
  'taskId',
  'status',
  'query',
  'runId',
  'workflowName',
  'url',
  'resumedAgentId',
  'team_name',
];
const MAX_SHOWN_CHARS = 256;

/** Any other result: duration and the few common names. */
export function readOtherResult(result: JsonObject, outcome: ToolOutcome): void {
  outcome.durationMs = asNumber(result['durationMs']);
  for (const key of SHOWN) {
    const text = asText(result[key]);
    if (text !== null && text.length <= MAX_SHOWN_CHARS) outcome.details[key] = text;
  }
}
