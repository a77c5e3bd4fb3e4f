import type { JsonObject, JsonValue } from '../domain/transcript.ts';
import type { Edit } from './diff.ts';
import type { ToolCall } from './tool-call.ts';

/** The request of a call, in the form that suits its tool. */
export type ToolView =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'diff'; readonly path: string | null; readonly edits: readonly Edit[] }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly firstLine: number | null;
      readonly lineCount: number | null;
    }
  | { readonly kind: 'todos'; readonly todos: readonly Todo[] }
  | { readonly kind: 'questions'; readonly questions: readonly Question[] }
  | { readonly kind: 'plan'; readonly plan: string }
  | { readonly kind: 'agent'; readonly type: string | null; readonly prompt: string }
  | { readonly kind: 'web'; readonly target: string; readonly prompt: string | null }
  | { readonly kind: 'generic'; readonly input: JsonValue | null };

interface Todo {
  readonly text: string;
  readonly status: string;
}

interface Question {
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly isChosen: boolean }[];
  /** An answer that is not one of the options. */
  readonly otherAnswer: string | null;
}

type Viewed = Pick<ToolCall, 'toolName' | 'input' | 'result'>;

export function toolView(call: Viewed): ToolView {
  const { toolName, input } = call;
  return viewByName(call) ?? (toolName === null ? null : viewByInput(input)) ?? { kind: 'generic', input };
}

function viewByName({ toolName, input, result }: Viewed): ToolView | null {
  const text = (name: string) => inputField(input, name);
  switch (toolName) {
    case 'Read':
    case 'NotebookRead':
      return fileView(input);
    case 'TodoWrite':
      return todosView(input);
    case 'AskUserQuestion':
      return questionsView(input, result?.text ?? '');
    case 'WebFetch':
    case 'WebSearch': {
      const target = text('url') ?? text('query');
      return target === null ? null : { kind: 'web', target, prompt: text('prompt') };
    }
    default:
      return null;
  }
}

/** MCP tools and new tools of the client use the same field names. */
function viewByInput(input: JsonValue | null): ToolView | null {
  const edits = editsOf(input);
  if (edits.length > 0) return { kind: 'diff', path: inputField(input, 'file_path'), edits };
  const command = inputField(input, 'command');
  if (command !== null) return { kind: 'command', command };
  const plan = inputField(input, 'plan');
  if (plan !== null) return { kind: 'plan', plan };
  const prompt = inputField(input, 'prompt');
  return prompt === null ? null : { kind: 'agent', type: inputField(input, 'subagent_type'), prompt };
}

export function inputField(input: JsonValue | null | undefined, name: string): string | null {
  const value = asObject(input)?.[name];
  return typeof value === 'string' ? value : null;
}

function asObject(value: JsonValue | null | undefined): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function asNumber(value: JsonValue | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

/** The changes requested by a call: the new text of a file, or one or more replacements in it. */
export function editsOf(input: JsonValue | null): readonly Edit[] {
  const content = inputField(input, 'content');
  if (inputField(input, 'file_path') !== null && content !== null) return [{ before: '', after: content }];
  const list = asObject(input)?.['edits'];
  const parts = Array.isArray(list) ? asList(list) : [input];
  return parts.flatMap((part) => {
    const before = inputField(part, 'old_string');
    const after = inputField(part, 'new_string');
    return before === null || after === null ? [] : [{ before, after }];
  });
}

function fileView(input: JsonValue | null): ToolView | null {
  const path = inputField(input, 'file_path') ?? inputField(input, 'notebook_path');
  const { offset, limit } = asObject(input) ?? {};
  return path === null ? null : { kind: 'file', path, firstLine: asNumber(offset), lineCount: asNumber(limit) };
}

function todosView(input: JsonValue | null): ToolView | null {
  const todos = asList(asObject(input)?.['todos']).flatMap((todo) => {
    const text = inputField(todo, 'content');
    return text === null ? [] : [{ text, status: inputField(todo, 'status') ?? 'pending' }];
  });
  return todos.length === 0 ? null : { kind: 'todos', todos };
}

function questionsView(input: JsonValue | null, resultText: string): ToolView | null {
  const questions = asList(asObject(input)?.['questions']).flatMap((each) => {
    const question = inputField(each, 'question');
    return question === null ? [] : [questionView(question, each, answerIn(resultText, question))];
  });
  return questions.length === 0 ? null : { kind: 'questions', questions };
}

function questionView(question: string, input: JsonValue, answer: string | null): Question {
  const labels = asList(asObject(input)?.['options']).flatMap((option) => inputField(option, 'label') ?? []);
  const chosen = answer === null ? [] : labels.includes(answer) ? [answer] : answer.split(', ');
  const isOther = answer !== null && answer !== '' && !chosen.some((label) => labels.includes(label));
  return {
    question,
    options: labels.map((label) => ({ label, isChosen: chosen.includes(label) })),
    otherAnswer: isOther ? answer : null,
  };
}

/** `"Which colour?"="Blue"` in the text of a result. */
function answerIn(text: string, question: string): string | null {
  const opening = `"${question}"="`;
  const at = text.indexOf(opening);
  if (at < 0) return null;
  const rest = text.slice(at + opening.length);
  const end = rest.indexOf('"');
  return end < 0 ? rest : rest.slice(0, end);
}

const CHECKBOXES: ReadonlyMap<string, string> = new Map([
  ['completed', '☑'],
  ['in_progress', '◐'],
]);

/** A view as plain text, empty if there is nothing to show. Diffs are drawn line by line instead. */
export function viewText(view: ToolView): string {
  switch (view.kind) {
    case 'command':
      return view.command;
    case 'diff':
      return '';
    case 'file':
      return view.path + lineRange(view.firstLine, view.lineCount);
    case 'todos':
      return view.todos.map(({ text, status }) => `${CHECKBOXES.get(status) ?? '☐'} ${text}`).join('\n');
    case 'questions':
      return view.questions.map(questionText).join('\n\n');
    case 'plan':
      return view.plan;
    case 'agent':
      return view.prompt;
    case 'web':
      return [view.target, view.prompt].filter((part) => part !== null).join('\n\n');
    case 'generic':
      return view.input === null ? '' : JSON.stringify(view.input, null, 2);
    default:
      return view satisfies never;
  }
}

function lineRange(first: number | null, count: number | null): string {
  if (first === null && count === null) return '';
  const from = first ?? 1;
  return count === null ? `, from line ${from}` : `, lines ${from}–${from + count - 1}`;
}

function questionText({ question, options, otherAnswer }: Question): string {
  const lines = options.map(({ label, isChosen }) => `${isChosen ? '◉' : '○'} ${label}`);
  return [question, ...lines, ...(otherAnswer === null ? [] : [`◉ ${otherAnswer}`])].join('\n');
}
