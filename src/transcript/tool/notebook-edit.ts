import type { JsonObject } from '../../domain/transcript.ts';
import { asText } from '../read/json.ts';
import type { ToolOutcome } from './outcome.ts';
import { countLines } from './patch.ts';

/** NotebookEdit: {notebook_path, new_source, edit_mode replace|insert|delete, …}; the old cell is not there to compare. */
export function readNotebookResult(result: JsonObject, outcome: ToolOutcome): void {
  const path = asText(result['notebook_path']) ?? asText(result['filePath']);
  if (path === null) return;
  const source = asText(result['new_source']) ?? '';
  const linesAdded = result['edit_mode'] === 'delete' ? 0 : countLines(source);
  outcome.files.push({ path, action: 'edit', linesAdded, linesRemoved: 0 });
}
