import type { JsonObject } from '../../domain/transcript.ts';
import { asText } from '../read/json.ts';
import type { ToolOutcome } from './outcome.ts';
import { countPatch } from './patch.ts';

/** Edit, MultiEdit: {filePath, oldString, newString, originalFile, structuredPatch, userModified, …}. */
export function readEditResult(result: JsonObject, outcome: ToolOutcome): void {
  const path = asText(result['filePath']);
  if (path === null) return;
  const counted = countPatch(result['structuredPatch']) ?? { linesAdded: 0, linesRemoved: 0 };
  outcome.files.push({ path, action: 'edit', ...counted });
  if (result['userModified'] === true) outcome.details['userModified'] = true;
}
