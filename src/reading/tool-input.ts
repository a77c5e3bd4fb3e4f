import type { JsonValue } from '../domain/transcript.ts';
import { diffEdits, type Edit, formatChange } from './diff.ts';
import { firstLine } from './format.ts';

const MAX_SUMMARY_CHARS = 300;

/** The field of a tool's input that says most, by tool; for others the first text in the input. */
const TELLING_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Bash', ['command']],
  ['Read', ['file_path']],
  ['Write', ['file_path']],
  ['Edit', ['file_path']],
  ['MultiEdit', ['file_path']],
  ['NotebookEdit', ['notebook_path']],
  ['Glob', ['pattern']],
  ['Grep', ['pattern']],
  ['LS', ['path']],
  ['Agent', ['description', 'prompt']],
  ['Task', ['description', 'prompt']],
  ['WebFetch', ['url']],
  ['WebSearch', ['query']],
  ['Skill', ['skill', 'command']],
  ['TaskCreate', ['subject']],
  ['ExitPlanMode', ['plan']],
]);

export function inputField(input: JsonValue | null, name: string): string | null {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return null;
  const value = (input as { readonly [key: string]: JsonValue })[name];
  return typeof value === 'string' ? value : null;
}

/** One line that says what a call does; files of the session's folder without the folder. */
export function summariseInput(toolName: string | null, input: JsonValue | null, cwd: string | null): string {
  for (const name of TELLING_FIELDS.get(toolName ?? '') ?? []) {
    const text = inputField(input, name);
    if (text !== null && text.trim() !== '') return firstLine(withoutFolder(text, cwd), MAX_SUMMARY_CHARS);
  }
  return firstLine(withoutFolder(firstText(input) ?? '', cwd), MAX_SUMMARY_CHARS);
}

function withoutFolder(text: string, cwd: string | null): string {
  return cwd !== null && cwd.length > 1 && text.startsWith(`${cwd}/`) ? text.slice(cwd.length + 1) : text;
}

function firstText(input: JsonValue | null): string | null {
  if (input === null || typeof input !== 'object') return input === null ? null : String(input);
  for (const value of Object.values(input)) {
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  const keys = Array.isArray(input) ? [] : Object.keys(input);
  return keys.length === 0 ? null : keys.join(', ');
}

/** `mcp__server__tool` → `server · tool`. */
export function showToolName(name: string | null): string {
  const match = /^mcp__(.+?)__(.+)$/.exec(name ?? '');
  return match === null ? (name ?? 'unknown tool') : `${match[1]} · ${match[2]}`;
}

/** Changes that a call asked for: a new text of a file, or one or more replacements in it. */
export function editsOf(input: JsonValue | null): readonly Edit[] {
  const path = inputField(input, 'file_path');
  const content = inputField(input, 'content');
  if (path !== null && content !== null) return [{ before: '', after: content }];
  const list = (input as { readonly edits?: JsonValue } | null)?.edits;
  const parts = Array.isArray(list) ? (list as readonly JsonValue[]) : [input];
  return parts.flatMap((part) => {
    const before = inputField(part, 'old_string');
    const after = inputField(part, 'new_string');
    return before === null || after === null ? [] : [{ before, after }];
  });
}

/** `+4 −7`; null where a call changes nothing. */
export function sizeOfChange(input: JsonValue | null): string | null {
  const edits = editsOf(input);
  return edits.length === 0 ? null : formatChange(diffEdits(edits));
}
