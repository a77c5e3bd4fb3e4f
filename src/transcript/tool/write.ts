import type { JsonObject } from '../../domain/transcript.ts';
import { asText } from '../read/json.ts';
import type { ToolOutcome } from './outcome.ts';
import { countPatch } from './patch.ts';

/** Write: {type create|update, filePath, content, structuredPatch}. A new file has no patch: its lines come from the input. */
export function readWriteResult(result: JsonObject, outcome: ToolOutcome): void {
  const path = asText(result['filePath']);
  if (path === null) return;
  const isNew = result['type'] === 'create';
  const counted = countPatch(result['structuredPatch']);
  if (counted === null && isNew) return;
  outcome.files.push({ path, action: isNew ? 'create' : 'edit', ...(counted ?? { linesAdded: 0, linesRemoved: 0 }) });
}
