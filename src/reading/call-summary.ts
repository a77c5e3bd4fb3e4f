import { isJsonObject } from '../domain/json.ts';
import type { JsonObject, JsonValue } from '../domain/transcript.ts';
import { firstLine } from './format.ts';

/** The subject of a call in one line. */

const MAX_SUMMARY_CHARS = 300;

/** The input fields that describe a call best, by tool; other tools use a usual one or the first text in the input. */
const KEY_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
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
  ['Monitor', ['description', 'command']],
  ['SendMessage', ['summary', 'message', 'content']],
  ['ScheduleWakeup', ['reason']],
  ['CronCreate', ['cron', 'prompt']],
]);

/** Fields of tools that are not listed, of MCP servers above all, that say more than an id or an owner before them. */
const USUAL_FIELDS = ['title', 'subject', 'query', 'url', 'file_path', 'path'] as const;

type Summarize = (input: JsonObject, cwd: string | null) => string;

/** Tools whose subject is not one text of the input. */
const SUMMARIES: ReadonlyMap<string, Summarize> = new Map<string, Summarize>([
  ['Bash', (input, cwd) => commandSummary(textIn(input, 'command'), cwd)],
  ['TodoWrite', ({ todos }) => todoSummary(objectsIn(todos))],
  ['AskUserQuestion', ({ questions }) => textIn(objectsIn(questions)[0], 'question')],
  ['TaskUpdate', taskSummary],
  ['ExitPlanMode', ({ plan }) => (typeof plan === 'string' ? plan.trimStart().replace(/^#{1,6}\s+/, '') : '')],
  [
    'Workflow',
    ({ script }) => /\bname:\s*['"`]([^'"`\n]{1,200})/.exec(typeof script === 'string' ? script : '')?.[1] ?? '',
  ],
]);

export function summarizeInput(toolName: string | null, input: JsonValue | null, cwd: string | null): string {
  const shown = (text: string) => firstLine(withoutFolder(text, cwd), MAX_SUMMARY_CHARS);
  const object = objectsIn([input ?? null])[0] ?? {};
  const summary = SUMMARIES.get(toolName ?? '')?.(object, cwd) ?? '';
  if (summary !== '') return shown(summary);
  for (const name of KEY_FIELDS.get(toolName ?? '') ?? USUAL_FIELDS) {
    const text = textIn(object, name);
    if (text.trim() !== '') return shown(text);
  }
  return shown(firstText(input) ?? '');
}

/** A path inside the folder, relative to it. */
export function withoutFolder(text: string, cwd: string | null): string {
  if (text === cwd) return '.';
  const isInside = cwd !== null && cwd.length > 1 && text.startsWith(cwd) && /[/\\]/.test(text.charAt(cwd.length));
  return isInside ? text.slice(cwd.length + 1) : text;
}

const READ_COMMAND_CHARS = 4_000;
const CHANGE = /^cd [^;&|]+$/;
/** Lines that do nothing by themselves: a variable, an option of the shell. */
const SETTING = /^(?:set -\S+(?: \w+)?|(?:export )?\w+=(?:"[^"]*"|'[^']*'|[^\s;&|]*))$/;

/** The first line of a command that does something, and a change of the folder before it. */
function commandSummary(command: string, cwd: string | null): string {
  const text = command.slice(0, READ_COMMAND_CHARS).replaceAll(/\\\n\s*/g, '');
  const lines = text.split('\n').map((line) => line.trim());
  const doing = lines.filter((line) => line !== '' && !SETTING.test(line));
  const first = doing.findIndex((line) => !CHANGE.test(line));
  const shown = doing.slice(0, first < 0 ? doing.length : first + 1).join('; ');
  return shown === '' ? text : withoutChangeTo(cwd, shown);
}

/** Most commands begin with a change to the folder of the session, which says nothing. */
function withoutChangeTo(cwd: string | null, command: string): string {
  if (cwd === null) return command;
  const change = [`cd ${cwd}`, `cd "${cwd}"`, `cd '${cwd}'`].find((text) => command.startsWith(text)) ?? '';
  const rest = /^\s*(?:&&|;)\s*(.+)$/s.exec(command.slice(change.length))?.[1];
  return change === '' || rest === undefined ? command : rest;
}

/** `2 of 5 done · Write the tests`. */
function todoSummary(todos: readonly JsonObject[]): string {
  if (todos.length === 0) return 'empty';
  const done = todos.filter(({ status }) => status === 'completed').length;
  const current = textIn(
    todos.find(({ status }) => status === 'in_progress'),
    'content',
  );
  return `${done} of ${todos.length} done${current === '' ? '' : ` · ${current}`}`;
}

/** `#3 in progress`. */
function taskSummary(input: JsonObject): string {
  const [id, status, owner] = ['taskId', 'status', 'owner'].map((name) => textIn(input, name));
  const parts = [`#${id}`, status?.replaceAll('_', ' '), textIn(input, 'subject'), owner === '' ? '' : `for ${owner}`];
  return id === '' ? '' : parts.filter((part) => part !== '').join(' ');
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  const list = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  return list.filter(isJsonObject);
}

function textIn(input: JsonObject | undefined, name: string): string {
  const value = input?.[name];
  return typeof value === 'string' ? value : '';
}

function firstText(input: JsonValue | null): string | null {
  if (input === null || typeof input !== 'object') return input === null ? null : String(input);
  for (const value of Object.values(input)) {
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  const keys = Array.isArray(input) ? [] : Object.keys(input);
  return keys.length === 0 ? null : keys.join(', ');
}
