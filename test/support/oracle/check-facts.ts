import { fault } from './judge.ts';
import type { RawSession } from './raw-session.ts';
import { type NarrativeParts, numberIn } from './read-narrative.ts';

/** Sub-agents, pull requests, to-dos and API errors, counted in the raw lines and compared exactly. */
export function checkFacts(parts: NarrativeParts, results: readonly string[], raw: RawSession): readonly string[] {
  return [
    ...checkHelpers(parts.helpers, raw),
    ...checkPullRequests(results, raw),
    ...checkTodos(parts.open, raw),
    ...checkApiErrors(parts.errors, raw),
  ];
}

function checkHelpers(sentence: string | undefined, { agentIds }: RawSession): readonly string[] {
  const told = sentence === undefined ? 0 : numberIn(sentence);
  return fault(told === agentIds.size, `${sentence}, really ${agentIds.size} sub-agents`);
}

function checkPullRequests(results: readonly string[], { pullRequests }: RawSession): readonly string[] {
  const named = results.flatMap((result) => /^pull request #(\d+)$/.exec(result)?.[1] ?? []).map(Number);
  const more = numberIn(results.find((result) => result.includes('more pull request')) ?? '0');
  return [
    ...fault(
      named.every((number) => pullRequests.includes(number)),
      `pull requests ${named.join(', ')}, really ${pullRequests.join(', ')}`,
    ),
    ...fault(named.length + more === pullRequests.length, `${named.length + more} of ${pullRequests.length} are told`),
  ];
}

/** The last list that was written in the main conversation is the one that counts. */
function checkTodos(sentence: string | undefined, { calls }: RawSession): readonly string[] {
  const last = calls.findLast(
    ({ name, isMain, result }) => name === 'TodoWrite' && isMain && result?.isError === false,
  );
  const todos = (last?.input['todos'] ?? []) as readonly { readonly status?: string }[];
  const open = todos.filter(({ status }) => status !== 'completed').length;
  const told = numberIn(/([\d,]+) to-dos? not done/.exec(sentence ?? '')?.[1] ?? '0');
  return fault(told === open, `${sentence}, really ${open} to-dos are open`);
}

function checkApiErrors(sentence: string | undefined, { apiErrors }: RawSession): readonly string[] {
  const kinds = [...(sentence ?? '').matchAll(/API error [^;]*?(?: \(([\d,]+) times\))?(?=;|$)/g)];
  const told = kinds.reduce((sum, [, times]) => sum + (times === undefined ? 1 : numberIn(times)), 0);
  return fault(told === apiErrors, `${sentence}, really ${apiErrors} API errors`);
}
