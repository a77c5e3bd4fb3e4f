import type { JsonValue } from '../domain/transcript.ts';
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

export interface DiffLine {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

/** The two texts of an edit as removed and added lines; equal lines at both ends are context, a few of them shown. */
export function diffLines(before: string, after: string, contextLines = 2): DiffLine[] {
  const old = before.split('\n');
  const fresh = after.split('\n');
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const lines = (texts: readonly string[], sign: DiffLine['sign']) => texts.map((text) => ({ sign, text }));
  return [
    ...lines(old.slice(Math.max(0, head - contextLines), head), ' '),
    ...lines(old.slice(head, old.length - tail), '-'),
    ...lines(fresh.slice(head, fresh.length - tail), '+'),
    ...lines(old.slice(old.length - tail, old.length - tail + contextLines), ' '),
  ];
}

/** The changes that an editing tool was asked for. */
export function editsOf(input: JsonValue | null): { readonly before: string; readonly after: string }[] {
  const list = (input as { readonly edits?: JsonValue } | null)?.edits;
  const parts = Array.isArray(list) ? (list as readonly JsonValue[]) : [input];
  return parts.flatMap((part) => {
    const before = inputField(part, 'old_string');
    const after = inputField(part, 'new_string');
    return before === null || after === null ? [] : [{ before, after }];
  });
}

/** `+4 −7` for a change. */
export function sizeOfChange(input: JsonValue | null): string | null {
  const lines = editsOf(input).flatMap(({ before, after }) => diffLines(before, after));
  if (lines.length === 0) return null;
  const count = (sign: string) => lines.filter((line) => line.sign === sign).length;
  return `+${count('+')} −${count('-')}`;
}
