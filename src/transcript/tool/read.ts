import type { JsonObject } from '../../domain/transcript.ts';
import { asCount, asObject, asText } from '../read/json.ts';
import type { ToolOutcome } from './outcome.ts';

/** Read: {type text|image|pdf|notebook|file_unchanged, file{filePath, numLines, startLine, totalLines}}. */
export function readReadResult(result: JsonObject, outcome: ToolOutcome): void {
  const file = asObject(result['file']);
  const path = asText(file?.['filePath']) ?? asText(result['filePath']);
  if (path !== null) outcome.files.push({ path, action: 'read', linesAdded: 0, linesRemoved: 0 });
  const lines = asCount(file?.['numLines']);
  if (lines !== null) outcome.details['lines'] = lines;
}
