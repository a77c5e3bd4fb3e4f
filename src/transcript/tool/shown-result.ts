import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { asCount, asList, asObject, asText } from '../read/json.ts';

/** Longer patches and error outputs are left out; the archive has them. */
const MAX_CHARS = 64 * 1024;

/** Parts of a structured result that its text lacks: the patch of an edit, and the error output of a command. */
export function shownParts(structured: JsonValue | undefined): JsonObject {
  const result = asObject(structured);
  if (result === null) return {};
  const patch = readPatch(result['structuredPatch']);
  const stderr = asText(result['stderr'])?.trim() ?? '';
  return {
    ...(patch.length > 0 && { patch }),
    ...(stderr !== '' && stderr.length <= MAX_CHARS && { stderr }),
  };
}

function readPatch(value: JsonValue | undefined): readonly JsonObject[] {
  const hunks = (asList(value) ?? []).flatMap((each) => readHunk(asObject(each)));
  const chars = hunks.reduce((sum, { lines }) => sum + lines.reduce((all, line) => all + line.length + 1, 0), 0);
  return chars <= MAX_CHARS ? hunks : [];
}

function readHunk(hunk: JsonObject | null) {
  const lines = (asList(hunk?.['lines']) ?? []).filter((line) => typeof line === 'string');
  if (hunk === null || lines.length === 0) return [];
  return [{ oldStart: asCount(hunk['oldStart']) ?? 0, newStart: asCount(hunk['newStart']) ?? 0, lines }];
}
