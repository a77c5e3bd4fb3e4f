import { type FileWork, LAST_TEST_FAILED, type SummaryInput, type TestRunner } from '../domain/summary.ts';
import { count, cutWords, enumerate, quoted } from './plain-text.ts';
import { answerGist, closingQuestion } from './gist.ts';

const MAX_FILES = 50;
const SHELL_TOOLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell']);
const MAX_PATH_CHARS = 80;

/** Written files, most changed first, relative to the session's directory. */
export function describeFiles({ files, cwd }: SummaryInput): readonly string[] {
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

export function describeHelpers({ helpers }: SummaryInput): readonly string[] {
  const known = helpers.filter(({ name, type, description }) => name ?? type ?? description);
  return known.map(({ name, type, description, status }) => {
    const who = name ?? type ?? 'agent';
    const what = description ? ` ${quoted(cutWords(description, 60))}` : '';
    return `${who}${what}${status === null || status === 'completed' ? '' : ` (${status})`}`;
  });
}

/** Errors during the session: commands, tools, refusals, the API. */
export function describeErrors({ shell, tools, apiErrors }: SummaryInput): readonly string[] {
  const failed = tools.filter(({ name, status }) => status === 'error' && !SHELL_TOOLS.has(name));
  const names = [...new Set(failed.map(({ name }) => name))];
  const calls = failed.reduce((sum, tool) => sum + tool.count, 0);
  const refused = tools.filter(({ status }) => status === 'denied').reduce((sum, tool) => sum + tool.count, 0);
  return [
    ...(shell.failures === 0 ? [] : [`${count(shell.failures, 'command')} failed${culprits(shell.failed)}`]),
    ...(calls === 0 ? [] : [`${count(calls, 'other tool call')} failed (${enumerate(names, 3)})`]),
    ...(refused === 0 ? [] : [`${count(refused, 'tool call')} refused`]),
    ...apiErrors.map(({ what, count: n }) => `API error ${what || 'without a code'}${n === 1 ? '' : ` (${n} times)`}`),
  ];
}

function culprits(failed: SummaryInput['shell']['failed']): string {
  const names = failed.map(({ label, calls }) => (calls === 1 ? label : `${label} ${calls} times`));
  return names.length === 0 ? '' : ` (${enumerate(names, 3)})`;
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
export function openEndsOf(input: SummaryInput): readonly string[] {
  const open = input.todos.filter(({ status }) => status !== 'completed' && status !== 'deleted');
  const todos = open.map(({ text }) => quoted(cutWords(text, MAX_TODO_CHARS)));
  return [
    ...(input.shell.lastTest?.outcome === 'failed' ? [LAST_TEST_FAILED] : []),
    ...(open.length === 0 ? [] : [`${count(open.length, 'to-do')} not done: ${enumerate(todos, SHOWN_TODOS)}`]),
    ...lastWordOf(input),
    ...(input.plans.isWaiting ? ['a plan waits for approval'] : []),
  ];
}

function lastWordOf({ conversation, lifecycle, scope }: SummaryInput): readonly string[] {
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
