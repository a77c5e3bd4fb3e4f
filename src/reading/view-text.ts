import type { Entry } from './entry.ts';
import type { Todo, TodoChange } from './todo-changes.ts';
import { type ToolCall, viewOf } from './tool-call.ts';
import { editsOf, type Question, type TaskView, type ToolView } from './tool-view.ts';

const CHECKBOXES: ReadonlyMap<string, string> = new Map([
  ['completed', '☑'],
  ['in_progress', '◐'],
]);

/** A view as plain text, empty if there is nothing to show. Diffs are drawn line by line instead. */
export function viewText(view: ToolView): string {
  switch (view.kind) {
    case 'command':
      return view.command;
    case 'background':
      return view.task;
    case 'diff':
      return '';
    case 'file':
      return view.path + lineRange(view.firstLine, view.lineCount);
    case 'listing':
      return view.path;
    case 'search':
      return joined([view.pattern, view.path], ' in ');
    case 'todos':
      return view.todos.map(todoLine).join('\n');
    case 'tasks':
      return view.tasks.map(({ id, text, status }) => `${checkbox(status)} #${id} ${text}`).join('\n');
    case 'task':
      return joined([taskLine(view), view.description], '\n\n');
    case 'skill':
      return joined([view.name, view.args], ' ');
    case 'message':
      return joined([`To ${view.to}`, view.summary, view.text], '\n\n');
    case 'web-search':
      return view.target;
    case 'fields':
      return view.fields.map(({ name, value }) => `${name}: ${value}`).join('\n');
    case 'questions':
      return view.questions.map(questionText).join('\n\n');
    case 'plan':
      return view.plan;
    case 'agent':
      return view.prompt;
    case 'web':
      return joined([view.target, view.prompt], '\n\n');
    case 'generic':
      return view.input === null ? '' : JSON.stringify(view.input, null, 2);
    default:
      return view satisfies never;
  }
}

export function checkbox(status: string): string {
  return CHECKBOXES.get(status) ?? '☐';
}

/** `☑ Write the tests (done)`: the word says that this call changed it. */
function todoLine({ text, status, change }: Todo): string {
  return joined([change === 'removed' ? REMOVED : checkbox(status), text, changeWord(change)], ' ');
}

const REMOVED = '✗';

function changeWord(change: TodoChange | null): string | null {
  return change === null ? null : `(${change})`;
}

function taskLine({ id, text, status, owner, change }: TaskView): string {
  const name = text ?? status?.replaceAll('_', ' ') ?? null;
  return joined(
    [
      change === 'removed' ? REMOVED : checkbox(status ?? ''),
      id === null ? null : `#${id}`,
      name,
      owner === null ? null : `for ${owner}`,
      changeWord(change),
    ],
    ' ',
  );
}

function joined(parts: readonly (string | null)[], separator: string): string {
  return parts.filter((part) => part !== null && part !== '').join(separator);
}

function lineRange(first: number | null, count: number | null): string {
  if (first === null && count === null) return '';
  const from = first ?? 1;
  return count === null ? `, from line ${from}` : `, lines ${from}–${from + count - 1}`;
}

function questionText({ question, options, otherAnswer, notes }: Question): string {
  const lines = options.map(({ label, isChosen }) => `${isChosen ? '◉' : '○'} ${label}`);
  const added = [otherAnswer === null ? '' : `◉ ${otherAnswer}`, notes ?? ''].filter((line) => line !== '');
  return [question, ...lines, ...added].join('\n');
}

/** The text that an entry shows when it is open: what a search in the page finds. */
export function entryText(entry: Entry): string {
  switch (entry.kind) {
    case 'prompt':
      return [entry.text, ...entry.injected.map(({ text }) => text)].join('\n\n');
    case 'tool':
      return toolText(entry.call);
    case 'result':
      return entry.result.text;
    case 'context':
      return entry.items.map(({ text }) => text).join('\n\n');
    case 'media':
    case 'empty':
      return '';
    default:
      return entry.text;
  }
}

function toolText(call: ToolCall): string {
  const view = viewOf(call);
  const edits = view.kind === 'diff' ? editsOf(call.input) : [];
  const changes = edits.flatMap(({ before, after }) => [before, after]);
  const path = view.kind === 'diff' ? (view.path ?? '') : '';
  return [path, viewText(view), ...changes, call.result?.text ?? ''].filter((part) => part !== '').join('\n\n');
}

/** How often a text contains another one; upper and lower case are the same. */
export function countHits(text: string, wanted: string): number {
  const [all, needle] = [text.toLowerCase(), wanted.toLowerCase()];
  if (needle === '') return 0;
  let count = 0;
  for (let at = all.indexOf(needle); at >= 0; at = all.indexOf(needle, at + needle.length)) count += 1;
  return count;
}
