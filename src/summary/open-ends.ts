import type { SummaryInput } from '../domain/summary.ts';
import { answerGist, closingQuestion } from './gist.ts';
import { count, enumerate, quoted } from './phrases.ts';
import { cutWords } from './plain-text.ts';

const SHOWN_TODOS = 3;
const MAX_TODO_CHARS = 80;
const MAX_ERROR_CHARS = 120;

/** Unfinished work of the session. */
export function openEndsOf(input: SummaryInput): readonly string[] {
  const open = input.todos.filter(({ status }) => status !== 'completed' && status !== 'deleted');
  const todos = open.map(({ text }) => quoted(cutWords(text, MAX_TODO_CHARS)));
  return [
    ...(input.shell.lastTest?.outcome === 'failed' ? ['the last test run failed'] : []),
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
