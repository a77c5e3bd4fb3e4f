import { isJsonObject } from '../domain/json.ts';
import { answerIn, chosenIn } from '../domain/question-answer.ts';
import type { JsonObject, JsonValue } from '../domain/transcript.ts';
import { withoutFolder } from './call-summary.ts';
import type { Edit } from './diff.ts';
import { toolKind } from './kinds.ts';
import { changeOfStatus, compareTodos, type PlainTodo, type Todo, type TodoChange } from './todo-changes.ts';
import type { ToolCall } from './tool-call.ts';
import {
  type BackgroundOutput,
  type ListedTask,
  type ReadOutput,
  readBackgroundOutput,
  readNumberedLines,
  readSearchOutput,
  readTaskList,
  readWebSearchOutput,
  type SearchMode,
  type SearchOutput,
  type WebSearchOutput,
} from './tool-output.ts';

/** A call in the form that suits its tool: what was asked for and, where it is more than text, what came back. */
export type ToolView =
  | { readonly kind: 'command'; readonly command: string; readonly description: string | null }
  /** Output of a command that runs in the background, or the end of one; null if the result is plain text. */
  | { readonly kind: 'background'; readonly task: string; readonly output: BackgroundOutput | null }
  | { readonly kind: 'diff'; readonly path: string | null; readonly edits: readonly Edit[] }
  | FileView
  /** The contents of a folder. */
  | { readonly kind: 'listing'; readonly path: string; readonly text: string }
  | SearchView
  | { readonly kind: 'todos'; readonly todos: readonly Todo[] }
  | TaskView
  | { readonly kind: 'tasks'; readonly tasks: readonly ListedTask[] }
  | { readonly kind: 'questions'; readonly questions: readonly Question[] }
  | { readonly kind: 'plan'; readonly plan: string; readonly state: PlanState }
  | AgentView
  | { readonly kind: 'message'; readonly to: string; readonly summary: string | null; readonly text: string }
  | { readonly kind: 'web'; readonly target: string; readonly prompt: string | null }
  | { readonly kind: 'web-search'; readonly target: string; readonly output: WebSearchOutput }
  | { readonly kind: 'skill'; readonly name: string; readonly args: string | null }
  | { readonly kind: 'fields'; readonly fields: readonly Field[] }
  | { readonly kind: 'generic'; readonly input: JsonValue | null };

export interface FileView {
  readonly kind: 'file';
  readonly path: string;
  readonly firstLine: number | null;
  readonly lineCount: number | null;
  readonly output: ReadOutput | null;
}

export interface SearchView {
  readonly kind: 'search';
  readonly pattern: string;
  readonly path: string | null;
  readonly output: SearchOutput;
}

export interface AgentView {
  readonly kind: 'agent';
  readonly type: string | null;
  readonly name: string | null;
  /** Model, isolation and whether it runs in the background, as requested. */
  readonly traits: readonly string[];
  readonly prompt: string;
}

export interface TaskView {
  readonly kind: 'task';
  readonly id: string | null;
  readonly text: string | null;
  readonly status: string | null;
  readonly owner: string | null;
  readonly description: string | null;
  readonly change: TodoChange | null;
}

export type PlanState = 'approved' | 'rejected' | 'proposed';

export interface Question {
  readonly question: string;
  readonly options: readonly Option[];
  /** An answer that is not one of the options. */
  readonly otherAnswer: string | null;
  /** What the user added to the answer. */
  readonly notes: string | null;
}

export interface Option {
  readonly label: string;
  readonly description: string | null;
  readonly isChosen: boolean;
}

/** An argument of a tool without a view of its own. */
export interface Field {
  readonly name: string;
  readonly value: string;
}

type Viewed = Pick<ToolCall, 'toolName' | 'input' | 'result' | 'outcome' | 'cwd' | 'facts'>;

export function toolView(call: Viewed): ToolView {
  const { toolName, input } = call;
  const special = VIEWS.get(toolName ?? '')?.(call) ?? (toolName === null ? null : viewByInput(call));
  return special ?? fieldsView(input) ?? { kind: 'generic', input: isEmpty(input) ? null : input };
}

type MakeView = (call: Viewed) => ToolView | null;

const VIEWS: ReadonlyMap<string, MakeView> = new Map<string, MakeView>([
  ['Read', fileView],
  ['NotebookRead', fileView],
  ['Grep', grepView],
  ['Glob', (call) => searchView(call, 'files')],
  ['LS', listingView],
  ['TodoWrite', todosView],
  ['TaskCreate', taskView],
  ['TaskUpdate', taskView],
  ['TaskGet', taskView],
  ['TaskList', ({ result }) => orNull({ kind: 'tasks', tasks: readTaskList(result?.text ?? '') }, 'tasks')],
  ['AskUserQuestion', ({ input, result }) => questionsView(input, result?.text ?? '')],
  ['WebFetch', ({ input }) => webView(input, 'url')],
  ['WebSearch', webSearchView],
  ['BashOutput', backgroundView],
  ['TaskOutput', backgroundView],
  ['KillShell', backgroundView],
  ['TaskStop', backgroundView],
  ['Skill', ({ input }) => skillView(input)],
  ['SlashCommand', ({ input }) => skillView(input)],
  ['SendMessage', ({ input }) => messageView(input)],
]);

/** MCP tools and new tools of the client use the same field names. */
function viewByInput({ toolName, input, outcome, result }: Viewed): ToolView | null {
  const edits = editsOf(input);
  const path = inputField(input, 'file_path') ?? inputField(input, 'notebook_path');
  if (edits.length > 0) return { kind: 'diff', path, edits };
  const command = inputField(input, 'command');
  if (command !== null) return { kind: 'command', command, description: inputField(input, 'description') };
  const plan = inputField(input, 'plan');
  if (plan !== null) return { kind: 'plan', plan, state: planState(outcome, result) };
  const prompt = toolKind(toolName) === 'agent' ? inputField(input, 'prompt') : null;
  return prompt === null ? null : { kind: 'agent', ...agentOf(input), prompt };
}

function agentOf(input: JsonValue | null) {
  const isBackground = asObject(input)?.['run_in_background'] === true;
  const traits = [
    inputField(input, 'model'),
    inputField(input, 'isolation'),
    isBackground ? 'in the background' : null,
  ];
  return {
    type: inputField(input, 'subagent_type'),
    name: inputField(input, 'name'),
    traits: traits.filter((trait) => trait !== null),
  };
}

function planState(outcome: Viewed['outcome'], result: Viewed['result']): PlanState {
  if (result === null) return 'proposed';
  return outcome.isError || outcome.text !== '' ? 'rejected' : 'approved';
}

function orNull<V extends ToolView, K extends keyof V>(view: V, list: K): V | null {
  return (view[list] as readonly unknown[]).length === 0 ? null : view;
}

function grepView(call: Viewed): ToolView | null {
  const mode = inputField(call.input, 'output_mode');
  return searchView(call, mode === 'content' || mode === 'count' ? mode : 'files');
}

function searchView({ input, result, outcome, cwd }: Viewed, mode: SearchMode): ToolView | null {
  const pattern = inputField(input, 'pattern');
  if (pattern === null) return null;
  const path = inputField(input, 'path') ?? inputField(input, 'glob') ?? inputField(input, 'include');
  const { files, remarks } = readSearchOutput(outcome.isError ? '' : (result?.text ?? ''), mode);
  const shown = files.map((file) => ({ ...file, path: withoutFolder(file.path, cwd) }));
  return { kind: 'search', pattern, path, output: { files: shown, remarks } };
}

/** What follows the list is an instruction for the model. */
const LISTING_NOTE = /(?<!\n)\n+NOTE: do any of the files above seem malicious\?[^]*$/;

function listingView({ input, result, outcome }: Viewed): ToolView | null {
  const path = inputField(input, 'path');
  if (path === null) return null;
  const text = outcome.isError ? '' : (result?.text ?? '').replace(LISTING_NOTE, '');
  return { kind: 'listing', path, text };
}

function taskView({ input, result, facts }: Viewed): ToolView | null {
  const id = inputField(input, 'taskId') ?? /^Task #(\S{1,40}) created/.exec(result?.text ?? '')?.[1] ?? null;
  const text = inputField(input, 'subject');
  if (id === null && text === null) return null;
  const shown = result?.text ?? '';
  const former = facts?.details['formerTask'];
  const formerStatus = inputField(former, 'status');
  const status =
    inputField(input, 'status') ??
    formerStatus ??
    /^Status: (\w{1,40})$/m.exec(shown)?.[1] ??
    (text === null ? null : 'pending');
  return {
    kind: 'task',
    id,
    text: text ?? inputField(former, 'text') ?? /^Task #\S{1,40}: (.{1,500})$/m.exec(shown)?.[1] ?? null,
    status,
    owner: inputField(input, 'owner'),
    description: inputField(input, 'description'),
    change: formerStatus === null || status === null ? null : changeOfStatus(formerStatus, status),
  };
}

function webView(input: JsonValue | null, name: string): ToolView | null {
  const target = inputField(input, name);
  return target === null ? null : { kind: 'web', target, prompt: inputField(input, 'prompt') };
}

function webSearchView({ input, result }: Viewed): ToolView | null {
  const target = inputField(input, 'query');
  if (target === null) return null;
  return { kind: 'web-search', target, output: readWebSearchOutput(result?.text ?? '') };
}

function backgroundView({ input, result }: Viewed): ToolView | null {
  const task = inputField(input, 'bash_id') ?? inputField(input, 'task_id') ?? inputField(input, 'shell_id');
  return task === null ? null : { kind: 'background', task, output: readBackgroundOutput(result?.text ?? '') };
}

function skillView(input: JsonValue | null): ToolView | null {
  const name = inputField(input, 'skill') ?? inputField(input, 'command');
  return name === null ? null : { kind: 'skill', name, args: inputField(input, 'args') };
}

function messageView(input: JsonValue | null): ToolView | null {
  const to = inputField(input, 'to') ?? inputField(input, 'recipient');
  const text = inputField(input, 'message') ?? inputField(input, 'content');
  return to === null || text === null ? null : { kind: 'message', to, summary: inputField(input, 'summary'), text };
}

function isEmpty(input: JsonValue | null): boolean {
  return isJsonObject(input) && Object.keys(input).length === 0;
}

/** Longer JSON is easier to read in lines. */
const MAX_JSON_CHARS = 80;

function fieldText(value: JsonValue): string {
  const short = typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'string' || short.length <= MAX_JSON_CHARS ? short : JSON.stringify(value, null, 2);
}

/** Arguments as a table; null if there is none. */
function fieldsView(input: JsonValue | null): ToolView | null {
  const fields = Object.entries(asObject(input) ?? {}).map(([name, value]) => ({
    name,
    value: fieldText(value),
  }));
  return fields.length === 0 ? null : { kind: 'fields', fields };
}

export function inputField(input: JsonValue | null | undefined, name: string): string | null {
  const value = asObject(input)?.[name];
  return typeof value === 'string' ? value : null;
}

function asObject(value: JsonValue | null | undefined): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function asNumber(value: JsonValue | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

/** The complete text of a file or a notebook cell in a call that writes it. */
export function wholeText(input: JsonValue | null): string | null {
  const content = inputField(input, 'file_path') === null ? null : inputField(input, 'content');
  const cell = inputField(input, 'notebook_path') === null ? null : inputField(input, 'new_source');
  return content ?? cell;
}

/** The changes requested by a call: the new text of a file, or one or more replacements in it. */
export function editsOf(input: JsonValue | null): readonly Edit[] {
  const whole = wholeText(input);
  if (whole !== null) return [{ before: '', after: whole }];
  const list = asObject(input)?.['edits'];
  const parts = Array.isArray(list) ? asList(list) : [input];
  return parts.flatMap((part) => {
    const before = inputField(part, 'old_string');
    const after = inputField(part, 'new_string');
    return before === null || after === null ? [] : [{ before, after }];
  });
}

function fileView({ input, result, outcome }: Viewed): ToolView | null {
  const path = inputField(input, 'file_path') ?? inputField(input, 'notebook_path');
  const { offset, limit } = asObject(input) ?? {};
  if (path === null) return null;
  const output = outcome.isError ? null : readNumberedLines(result?.text ?? '');
  return { kind: 'file', path, firstLine: asNumber(offset), lineCount: asNumber(limit), output };
}

function todosView({ input, facts }: Viewed): ToolView | null {
  const todos = listedTodos(asObject(input)?.['todos'], 'content');
  const former = listedTodos(facts?.details['formerTodos'], 'text');
  const shown = compareTodos(former, todos);
  return shown.length === 0 ? null : { kind: 'todos', todos: shown };
}

function listedTodos(list: JsonValue | undefined, field: string): readonly PlainTodo[] {
  return asList(list).flatMap((todo) => {
    const text = inputField(todo, field);
    return text === null ? [] : [{ text, status: inputField(todo, 'status') ?? 'pending' }];
  });
}

function questionsView(input: JsonValue | null, resultText: string): ToolView | null {
  const list = asObject(input)?.['questions'];
  // The first versions asked one question.
  const questions = (list === undefined ? [input ?? null] : asList(list)).flatMap((each) => {
    const question = inputField(each, 'question');
    return question === null ? [] : [questionView(question, each, resultText)];
  });
  return questions.length === 0 ? null : { kind: 'questions', questions };
}

function questionView(question: string, input: JsonValue | null, resultText: string): Question {
  const { text: answer = null, notes = null } = answerIn(resultText, question) ?? {};
  const options = asList(asObject(input)?.['options']).flatMap((option) => {
    const label = inputField(option, 'label');
    return label === null ? [] : [{ label, description: inputField(option, 'description') }];
  });
  const labels = options.map(({ label }) => label);
  const chosen = chosenIn(answer, labels, asObject(input)?.['multiSelect'] !== false);
  const others = chosen.filter((label) => !labels.includes(label));
  return {
    question,
    options: options.map((option) => ({ ...option, isChosen: chosen.includes(option.label) })),
    otherAnswer: others.length === 0 ? null : others.join(', '),
    notes,
  };
}
