import { isClientCommand, slashCommandIn } from '../domain/client-tags.ts';
import type { NarrativeInput, WorkKind } from '../domain/summary.ts';
import { gistOf, gistsOf, headingOf, meaningfulGist } from './gist.ts';
import { cutWords, plainLines } from './plain-text.ts';

const MAX_TITLE_CHARS = 100;
const MAX_GIST_CHARS = 200;

/** The client's own title, otherwise the person's first request, otherwise whatever is available. */
export function titleOf(input: NarrativeInput): string {
  const title = givenTitle(input.clientTitle) ?? requestTitle(input) ?? taskTitle(input) ?? titleWithoutPrompt(input);
  return cutWords(title, MAX_TITLE_CHARS);
}

/** Some clients used commands and machine messages as titles. */
function givenTitle(title: string | null): string | undefined {
  const given = title === null ? undefined : plainLines(title)[0];
  const isCommand = given !== undefined && /^\/[\w:-]+$/.test(given) && isClientCommand({ name: given, args: '' });
  return given === undefined || isCommand || /^\s*[{<]/.test(title ?? '') ? undefined : given;
}

function requestTitle({ scope, conversation }: NarrativeInput): string | undefined {
  if (scope.description) return headingOf(scope.description);
  const gist = meaningfulGist(gistsOf(conversation.requests, MAX_GIST_CHARS));
  if (gist === undefined) return undefined;
  if (gist.kind === 'task') return `Scheduled task ${gist.text}`;
  return gist.kind === 'prose' ? headingOf(gist.text) : gist.text;
}

/** A teammate gets its task from its lead, not from a person. */
function taskTitle({ task }: NarrativeInput): string | undefined {
  const { text } = gistOf(task ?? '', MAX_GIST_CHARS);
  return text === '' ? undefined : headingOf(text);
}

function titleWithoutPrompt({ conversation, helpers, tools, scope }: NarrativeInput): string {
  if (conversation.prompts > 0) return attachedTitle(conversation.attached);
  const [typed] = conversation.shellInputs;
  if (typed !== undefined) return typed;
  const described = helpers.find(({ description }) => description)?.description;
  if (described) return headingOf(described);
  const isOfAgent = scope.agentIds !== null || (helpers.length > 0 && conversation.messages === 0);
  if (isOfAgent) return 'Work of a sub-agent';
  return tools.length + conversation.messages > 0 ? 'Session without a prompt' : 'Empty session';
}

/** `Image without text`, `2 images and a document without text` */
function attachedTitle({ images, documents }: NarrativeInput['conversation']['attached']): string {
  const kinds = [
    ...(images === 0 ? [] : [images === 1 ? 'image' : `${images} images`]),
    ...(documents === 0 ? [] : [documents === 1 ? 'document' : `${documents} documents`]),
  ];
  const what = `${kinds.join(' and ')} without text`.trim();
  return kinds.length === 0 ? 'Prompt without text' : what.charAt(0).toUpperCase() + what.slice(1);
}

/** Conventional commit types that name a kind of work. */
const OF_COMMIT: Readonly<Record<string, WorkKind>> = {
  fix: 'debugging',
  feat: 'feature',
  refactor: 'refactoring',
  test: 'tests',
  docs: 'docs',
};
const COMMIT_TYPE = /^(\w+)(?:\([^)]{0,60}\))?!?: /;

const DOC_FILE = /\.(?:mdx?|rst|adoc|txt)$|(?:^|[\\/])docs?[\\/]/i;
const TEST_FILE =
  /(?:^|[\\/])(?:tests?|__tests__|spec|e2e)[\\/]|(?:^|[\\/])test_[^\\/]+$|[._-](?:test|spec|tests)\.\w+$/i;
const PLAN_FILE = /[\\/]\.claude[\\/]plans[\\/]/;
const REVIEW_COMMANDS = /^\/(?:[\w-]+:)?(?:(?:security-|code-|pr-)?review(?:-pr|-code)?|pr-comments|ultrareview)$/;

const ASKS_FOR: readonly (readonly [WorkKind, RegExp])[] = [
  [
    'debugging',
    /^(?:fix|debug|diagnose|troubleshoot|find out why)\b|^why (?:does|do|is|are|did)\b.*\b(?:fail|crash|break|hang|wrong)|\bbugs?\b.*\bfix\b/i,
  ],
  ['refactoring', /^(?:refactor(?:ing)?|restructure|rename|extract|deduplicate|clean up|simplify)\b/i],
  [
    'tests',
    /^(?:add|write|extend|update|create) (?:(?:some|more|unit|integration|browser|e2e|new|the|a|these|missing) )*tests?\b/i,
  ],
  ['feature', /^(?:add|implement|create|build|introduce|support)\b/i],
];

/**
 * The kind of work, from facts alone: changed files, commit types, commands and the words of the request. Null unless
 * they agree, since a wrong label is worse than none.
 */
export function workKindOf(input: NarrativeInput): WorkKind | null {
  const changed = input.files.filter(({ writes }) => writes > 0).map(({ path }) => path);
  const work = changed.filter((path) => !PLAN_FILE.test(path));
  if (input.conversation.requests.length === 0) return null;
  if (work.length === 0 && input.shell.commits.length === 0) return kindWithoutChanges(input);
  return ofFiles(work) ?? ofChanges(input);
}

function kindWithoutChanges({ plans, conversation, fileTotals, tools }: NarrativeInput): WorkKind | null {
  const [first] = conversation.requests;
  const command = first === undefined ? null : slashCommandIn(first.text);
  const isReview =
    command === null ? /^(?:review|audit)\b/i.test(requestText(conversation)) : REVIEW_COMMANDS.test(command.name);
  const web = tools.some(({ name, status }) => /^Web(?:Search|Fetch)$/.test(name) && status === 'ok');
  if (isReview && (fileTotals.read > 0 || tools.some(({ status }) => status === 'ok'))) return 'review';
  if (plans.approved + plans.rejected > 0 || plans.isWaiting) return 'planning';
  return (web || fileTotals.read > 0) && conversation.lastAnswer !== null && isQuestion(conversation)
    ? 'research'
    : null;
}

const QUESTION =
  /\?$|^(?:search|research|investigate|explore|explain|find out|look (?:up|into|at|for)|what|why|how|where|which|when|who|is|are|does|do|can)\b/i;

function isQuestion(conversation: NarrativeInput['conversation']): boolean {
  return QUESTION.test(requestText(conversation));
}

/** The request without polite phrases. */
function requestText({ requests }: NarrativeInput['conversation']): string {
  const gist = meaningfulGist(gistsOf(requests, 300));
  return gist === undefined ? '' : headingOf(gist.text);
}

function ofFiles(paths: readonly string[]): WorkKind | null {
  if (paths.length === 0) return null;
  if (paths.every((path) => TEST_FILE.test(path))) return 'tests';
  return paths.every((path) => DOC_FILE.test(path)) ? 'docs' : null;
}

function ofChanges(input: NarrativeInput): WorkKind | null {
  const committed = kindOfCommits(input);
  const asked = ASKS_FOR.find(([, pattern]) => pattern.test(requestText(input.conversation)))?.[0] ?? null;
  if (committed === null) return asked;
  return asked === null || asked === committed ? committed : null;
}

/** The one type that all commits share. */
function kindOfCommits({ shell: { commits } }: NarrativeInput): WorkKind | null {
  const types = new Set(commits.map(({ subject }) => COMMIT_TYPE.exec(subject ?? '')?.[1]?.toLowerCase() ?? ''));
  const [type] = types;
  return types.size === 1 && type !== undefined ? (OF_COMMIT[type] ?? null) : null;
}
