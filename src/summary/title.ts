import type { SummaryInput, Utterance } from '../domain/summary.ts';
import { gistOf, headingOf, tellingGist } from './gist.ts';
import { cutWords, plainLines } from './plain-text.ts';

export const MAX_TITLE_CHARS = 100;
const MAX_GIST_CHARS = 200;

/** Prompts of the beginning, in order, as far as they ask for something. */
export function promptsOf({ opening, closing }: SummaryInput): readonly Utterance[] {
  return [...opening, ...closing].filter(({ by }) => by === 'person');
}

/** The client's own title, else what the first prompt that says something asks for, else what there is. */
export function titleOf(input: SummaryInput): string {
  const given = input.clientTitle === null ? undefined : plainLines(input.clientTitle)[0];
  if (given) return cutWords(given, MAX_TITLE_CHARS);
  const gists = promptsOf(input)
    .map(({ text }) => gistOf(text, MAX_GIST_CHARS))
    .filter(Boolean);
  const gist = tellingGist(gists);
  if (input.scope.description) return cutWords(headingOf(input.scope.description), MAX_TITLE_CHARS);
  if (gist) return cutWords(headingOf(gist), MAX_TITLE_CHARS);
  return cutWords(titleWithoutPrompt(input), MAX_TITLE_CHARS);
}

function titleWithoutPrompt({ opening, helpers, tools, scope }: SummaryInput): string {
  const command = opening.find(({ by }) => by === 'command');
  if (command) return gistOf(command.text, MAX_GIST_CHARS) || 'A command of the client';
  const described = helpers.find(({ description }) => description)?.description;
  if (described) return headingOf(described);
  if (helpers.length > 0 || scope.agentIds !== null) return 'Work of a sub-agent';
  return tools.length + opening.length > 0 ? 'Session without a prompt' : 'Empty session';
}
