import { SHELL_TOOLS } from '../domain/shell-command.ts';
import {
  type FileWork,
  LAST_TEST_FAILED,
  type NarrativeInput,
  type TestRunner,
  type ToolTally,
} from '../domain/summary.ts';
import { FAILED, UNDERWAY } from '../domain/transcript-structure.ts';
import { answerGist, closingQuestion } from './gist.ts';
import { count, cutWords, enumerate, enumerateCounted, quoted } from './plain-text.ts';

const MAX_FILES = 50;
const MAX_PATH_CHARS = 80;

/** Written files, most changed first, relative to the session's directory. */
export function describeFiles({ files, cwd }: NarrativeInput): readonly string[] {
  return files
    .filter(({ writes }) => writes > 0)
    .toSorted((a, b) => linesOf(b) - linesOf(a) || (a.path < b.path ? -1 : 1))
    .slice(0, MAX_FILES)
    .map(
      (file) =>
        `${shortPath(file.path, cwd)}${linesOf(file) === 0 ? '' : ` (+${file.linesAdded} −${file.linesRemoved})`}`,
    );
}

const linesOf = ({ linesAdded, linesRemoved }: FileWork) => linesAdded + linesRemoved;

function shortPath(path: string, cwd: string | null): string {
  const isInside = cwd !== null && path.startsWith(cwd) && /[\\/]/.test(path.charAt(cwd.length));
  const inside = isInside ? path.slice(cwd.length + 1) : path;
  return inside.length <= MAX_PATH_CHARS ? inside : `…${inside.slice(-MAX_PATH_CHARS)}`;
}

export function describeHelpers({ helpers }: NarrativeInput): readonly string[] {
  const known = helpers.filter(({ name, type, description }) => name ?? type ?? description);
  return known.map(({ name, type, description, status }) => {
    const who = name ?? type ?? 'agent';
    const what = description ? ` ${quoted(cutWords(description, 60))}` : '';
    const isNamed = status !== null && status !== 'completed' && !UNDERWAY.has(status);
    return `${who}${what}${isNamed ? ` (${status})` : ''}`;
  });
}

/** Errors during the session: commands, tools, refusals, the API. */
export function describeErrors({ shell, tools, apiErrors }: NarrativeInput): readonly string[] {
  const errors = tools.filter(({ status }) => status === FAILED);
  // A shell call whose command the client did not start.
  const unstarted = totalOf(errors.filter(isShell)) - shell.failures;
  const failed = errors.filter((tool) => !isShell(tool) || unstarted > 0);
  const names = [...new Set(failed.map(({ name }) => name))];
  const calls = totalOf(failed.filter((tool) => !isShell(tool))) + Math.max(0, unstarted);
  const other = shell.failures === 0 ? '' : 'other ';
  const refused = totalOf(tools.filter(({ status }) => status === 'denied'));
  return [
    ...(shell.failures === 0 ? [] : [`${count(shell.failures, 'command')} failed${culprits(shell)}`]),
    ...(calls === 0 ? [] : [`${count(calls, `${other}tool call`)} failed (${enumerate(names, 3)})`]),
    ...(refused === 0 ? [] : [`${count(refused, 'tool call')} refused`]),
    ...apiErrors.map(({ what, count: n }) => `API error ${what || 'without a code'}${n === 1 ? '' : ` (${n} times)`}`),
  ];
}

function isShell({ name }: ToolTally): boolean {
  return SHELL_TOOLS.includes(name);
}

function totalOf(tools: readonly ToolTally[]): number {
  return tools.reduce((sum, tool) => sum + tool.count, 0);
}

const SHOWN_CULPRITS = 3;

/** The programs that failed most; the numbers add up to all failed commands. */
function culprits({ failed, failures }: NarrativeInput['shell']): string {
  const shown = failed.slice(0, SHOWN_CULPRITS);
  const names = shown.map(({ label, calls }) => (calls === 1 ? label : `${label} ${calls} times`));
  const rest = failures - shown.reduce((sum, { calls }) => sum + calls, 0);
  return names.length === 0 ? '' : ` (${enumerateCounted(names, names.length + rest)})`;
}

/** One phrase per runner: number of calls, passes and failures, and the outcome of the last call. */
export function describeTests(runners: readonly TestRunner[]): readonly string[] {
  return runners.map(({ label, calls, passed, failed, last }) => {
    const known = [
      ...(passed === 0 ? [] : [`${passed.toLocaleString('en-US')} passed`]),
      ...(failed === 0 ? [] : [`${failed.toLocaleString('en-US')} failed`]),
      ...(last.outcome === 'unknown' ? [] : [`the last ${last.outcome}${numbersOf(last)}`]),
    ];
    return `${label}: ${[count(calls, 'call'), ...known].join(', ')}`;
  });
}

function numbersOf({ outcome, passed, failed }: TestRunner['last']): string {
  if (outcome === 'failed') return failed ? ` (${failed.toLocaleString('en-US')} failed)` : '';
  return passed ? ` (${count(passed, 'test')})` : '';
}

const SHOWN_TODOS = 3;
const MAX_TODO_CHARS = 80;
const MAX_ERROR_CHARS = 120;

/** Unfinished work of the session. */
export function openEndsOf(input: NarrativeInput): readonly string[] {
  const open = input.todos.filter(({ status }) => status !== 'completed' && status !== 'deleted');
  const todos = open.map(({ text }) => quoted(cutWords(text, MAX_TODO_CHARS)));
  return [
    ...(input.shell.lastTest?.outcome === 'failed' ? [LAST_TEST_FAILED] : []),
    ...(open.length === 0 ? [] : [`${count(open.length, 'to-do')} not done: ${enumerate(todos, SHOWN_TODOS)}`]),
    ...lastWordOf(input),
    ...(input.plans.isWaiting ? ['a plan waits for approval'] : []),
  ];
}

function lastWordOf({ conversation, lifecycle, scope }: NarrativeInput): readonly string[] {
  const { last, isLastPromptAnswered, isOfAgents } = conversation;
  if (last === null) return [];
  if (last.by === 'interruption') return ['it was interrupted at the end'];
  if (last.by === 'error') return [`it ended with an API error: ${quoted(answerGist(last.text, MAX_ERROR_CHARS))}`];
  const isMain = scope.agentIds === null && !isOfAgents;
  if (last.by === 'person' && isMain && !isLastPromptAnswered && lifecycle !== 'capturing')
    return ['the last prompt has no answer'];
  const question = last.by === 'model' ? closingQuestion(last) : null;
  return question === null ? [] : [`it ended with the question ${quoted(question)}`];
}
