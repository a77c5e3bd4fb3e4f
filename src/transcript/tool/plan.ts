import type { JsonObject } from '../../domain/transcript.ts';
import { asText } from '../read/json.ts';
import type { ToolOutcome } from './outcome.ts';

/** ExitPlanMode: {plan, filePath, isAgent}: there only when the plan was approved. */
export function readPlanResult(result: JsonObject, outcome: ToolOutcome): void {
  const filePath = asText(result['filePath']);
  if (filePath !== null) outcome.details['planFile'] = filePath;
  outcome.details['approved'] = true;
}
