import { isClientCommand } from '../domain/slash-command.ts';
import type { SummaryInput } from '../domain/summary.ts';
import { gistOf, headingOf, tellingGist } from './gist.ts';
import { cutWords, plainLines } from './plain-text.ts';

export const MAX_TITLE_CHARS = 100;
const MAX_GIST_CHARS = 200;

/** The client's own title, otherwise the person's first request, otherwise whatever is available. */
export function titleOf(input: SummaryInput): string {
  const title = givenTitle(input.clientTitle) ?? requestTitle(input) ?? taskTitle(input) ?? titleWithoutPrompt(input);
  return cutWords(title, MAX_TITLE_CHARS);
}

/** Some clients used commands and machine messages as titles. */
function givenTitle(title: string | null): string | undefined {
  const given = title === null ? undefined : plainLines(title)[0];
  const isCommand = given !== undefined && /^\/[\w:-]+$/.test(given) && isClientCommand({ name: given, args: '' });
  return given === undefined || isCommand || /^\s*[{<]/.test(title ?? '') ? undefined : given;
}

function requestTitle({ scope, conversation }: SummaryInput): string | undefined {
  if (scope.description) return headingOf(scope.description);
  const gists = conversation.requests
    .map(({ text }) => gistOf(text, MAX_GIST_CHARS))
    .filter(({ kind, text }) => text !== '' && kind !== 'json');
  const gist = tellingGist(gists);
  if (gist === undefined) return undefined;
  if (gist.kind === 'task') return `Scheduled task ${gist.text}`;
  return gist.kind === 'words' ? headingOf(gist.text) : gist.text;
}

/** A teammate gets its task from its lead, not from a person. */
function taskTitle({ task }: SummaryInput): string | undefined {
  const { text } = gistOf(task ?? '', MAX_GIST_CHARS);
  return text === '' ? undefined : headingOf(text);
}

function titleWithoutPrompt({ conversation, helpers, tools, scope }: SummaryInput): string {
  const described = helpers.find(({ description }) => description)?.description;
  if (described) return headingOf(described);
  if (helpers.length > 0 || scope.agentIds !== null) return 'Work of a sub-agent';
  return tools.length + conversation.messages > 0 ? 'Session without a prompt' : 'Empty session';
}
