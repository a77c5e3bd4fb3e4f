import { amendedCommits, type CommitMade, newCommits, shortSha } from '../domain/commits.ts';
import { isSamePullRequest, type PullRequest } from '../domain/pull-request.ts';
import type { Narrative, NarrativeInput, NarrativeSections, Reply, Request } from '../domain/summary.ts';
import { describeErrors, describeFiles, describeHelpers, describeTests, openEndsOf } from './describe.ts';
import { answerGist, type Gist, gistOf, gistsOf, meaningfulGist } from './gist.ts';
import { count, cutWords, enumerate, enumerateCounted, quoted, sentence } from './plain-text.ts';
import { titleOf, workKindOf } from './title.ts';

/** Increase when the same rows produce different text. */
export const NARRATIVE_VERSION = 11;

/** People often describe the problem first and their request in the next sentence. */
const MIN_ASKED_CHARS = 60;
const MAX_ASKED_CHARS = 200;
const MAX_ANSWER_CHARS = 280;
const MAX_SUBJECT_CHARS = 100;
const MAX_DECISION_CHARS = 120;
const SHOWN_FILES = 4;
const SHOWN_COMMITS = 3;
const SHOWN_COMMANDS = 5;
const SHOWN_DECISIONS = 4;
const SHOWN_HIGHLIGHTS = 2;

/**
 * Describes a session from its rows alone: the same rows give the same text. Every sentence must be supported by the
 * transcript; unknown facts are left out. `test/support/oracle/` checks each sentence against the raw lines.
 */
export function narrate(input: NarrativeInput): Narrative {
  const sections: NarrativeSections = {
    asked: askedIn(input).map(({ text }) => text),
    answered: answeredOf(input),
    files: describeFiles(input),
    commands: input.shell.commands.map(({ label, calls }) => `${label} (${count(calls, 'call')})`),
    tests: describeTests(input.shell.tests),
    commits: input.shell.commits.map((made) => `${made.isAmend ? 'amended ' : ''}${describeCommit(made)}`),
    decisions: input.decisions.map(({ question, answer }) => {
      return `${quoted(cutWords(question, MAX_DECISION_CHARS))} → ${quoted(cutWords(answer, MAX_DECISION_CHARS))}`;
    }),
    highlights: input.highlights.map(({ text }) => text),
    helpers: describeHelpers(input),
    errors: describeErrors(input),
    open_ends: openEndsOf(input),
  };
  return { title: titleOf(input), text: writeText(input, sections), workKind: workKindOf(input), sections };
}

function askedIn({ conversation }: NarrativeInput): readonly Gist[] {
  return gistsOf(conversation.requests, MAX_ASKED_CHARS, MIN_ASKED_CHARS);
}

/** The last answer, however short. */
function answeredOf({ conversation: { lastAnswer } }: NarrativeInput): string | null {
  return lastAnswer === null ? null : answerGist(lastAnswer.text, MAX_ANSWER_CHARS) || null;
}

function describeCommit({ sha, subject }: CommitMade): string {
  if (sha === null) return 'one without output';
  return [shortSha(sha), ...(subject === null ? [] : [quoted(cutWords(subject, MAX_SUBJECT_CHARS))])].join(' ');
}

/** Request and result first; every other fact has a line of its own. */
function writeText(input: NarrativeInput, sections: NarrativeSections): string {
  const { answered, decisions, highlights, tests, errors, open_ends } = sections;
  const lines = [
    [leadOf(input), ...promptsOf(input)].map(sentence).join(' '),
    ...(answered === null ? [] : [`The last answer: ${quoted(answered)}`]),
    ...(decisions.length === 0 ? [] : [`Decisions: ${enumerateWith('; ', decisions, SHOWN_DECISIONS)}`]),
    ...plansOf(input),
    ...(highlights.length === 0 ? [] : [`Reasoning: ${highlights.slice(0, SHOWN_HIGHLIGHTS).map(quoted).join(' / ')}`]),
    ...filesOf(input, sections),
    ...(tests.length === 0 ? [] : [`Tests: ${tests.join('; ')}`]),
    ...commitsOf(input),
    ...(sections.commands.length === 0 ? [] : [`Commands: ${enumerate(sections.commands, SHOWN_COMMANDS)}`]),
    ...(input.helpers.length === 0 ? [] : [helpersOf(input, sections.helpers)]),
    ...input.teams.map(({ name, members }) => `Team ${name}: ${enumerate(members, 5)}`),
    ...(errors.length === 0 ? [] : [`Errors: ${errors.join('; ')}`]),
    ...(open_ends.length === 0 ? [] : [`Open: ${open_ends.join('; ')}`]),
  ];
  return lines.map(sentence).join('\n');
}

function enumerateWith(separator: string, items: readonly string[], max: number): string {
  const rest = items.length - max;
  return [...items.slice(0, max), ...(rest > 0 ? [`${rest} more`] : [])].join(separator);
}

function filesOf({ fileTotals }: NarrativeInput, { files }: NarrativeSections): readonly string[] {
  return fileTotals.written === 0
    ? []
    : [`Edited ${enumerateCounted(files.slice(0, SHOWN_FILES), fileTotals.written)}`];
}

function plansOf({ plans: { approved, rejected } }: NarrativeInput): readonly string[] {
  const verdicts = [
    ...(approved === 0 ? [] : [`${approved} approved`]),
    ...(rejected === 0 ? [] : [`${rejected} rejected`]),
  ];
  return verdicts.length === 0 ? [] : [`Plans: ${verdicts.join(', ')}`];
}

function commitsOf({ shell: { commits, unknownCommits } }: NarrativeInput): readonly string[] {
  const list = (name: string, some: readonly CommitMade[]) =>
    some.length === 0 ? [] : [`${count(some.length, name)}: ${enumerate(some.map(describeCommit), SHOWN_COMMITS)}`];
  return [
    ...list('commit', newCommits(commits)),
    ...list('amended commit', amendedCommits(commits)),
    ...(unknownCommits === 0 ? [] : [`${count(unknownCommits, 'call')} of git commit without a known result`]),
  ];
}

function helpersOf({ helpers }: NarrativeInput, described: readonly string[]): string {
  const many = count(helpers.length, 'sub-agent');
  if (described.length === 0) return many;
  const among = described.length < helpers.length ? ', among them' : ':';
  return `${many}${among} ${enumerate(described, 4)}`;
}

/** The first sentence states the request and the result. */
function leadOf(input: NarrativeInput): string {
  const first = meaningfulGist(askedIn(input));
  const results = resultsOf(input);
  if (first === undefined && results.length === 0) return nothingAsked(input);
  const outcome = results.length === 0 ? replyTo(input) : enumerate(results, results.length);
  return first === undefined ? outcome : `${introduce(first, input)}: ${outcome}`;
}

function introduce({ kind, text }: Gist, { conversation }: NarrativeInput): string {
  const who = conversation.isOfAgents ? 'A sub-agent was asked' : 'Asked';
  if (kind === 'plan') return `${who} to implement the plan ${quoted(text)}`;
  return kind === 'task' ? `Scheduled task ${quoted(text)}` : `${who} ${quoted(text)}`;
}

/** The reply to the request that the first sentence quotes; earlier ones may be greetings. */
function replyTo(input: NarrativeInput): Reply {
  const quoted = meaningfulGist(askedIn(input))?.text;
  const isQuoted = ({ text }: Request) => gistOf(text, MAX_ASKED_CHARS, MIN_ASKED_CHARS).text === quoted;
  const replies = input.conversation.requests.filter(isQuoted).map(({ reply }) => reply);
  if (input.conversation.lastAnswer === null) return replies.find((reply) => reply === 'interrupted') ?? 'no answer';
  return replies.find((reply) => reply === 'answered') ?? replies[0] ?? 'no answer';
}

function nothingAsked({ conversation, helpers }: NarrativeInput): string {
  const { clientCommands, shellInputs, messages, prompts } = conversation;
  if (messages === 0 && helpers.length > 0) return 'Only sub-agents worked in this session';
  if (prompts > 0) return prompts === 1 ? 'The prompt contains no text' : 'The prompts contain no text';
  if (shellInputs.length > 0) return `Only commands: ${enumerate([...shellInputs, ...clientCommands], 5)}`;
  if (clientCommands.length > 0) return `Only client commands: ${enumerate(clientCommands, 5)}`;
  return conversation.lastAnswer === null ? 'No prompts and no answers' : 'No prompts in this session';
}

function resultsOf(input: NarrativeInput): readonly string[] {
  const { fileTotals, shell } = input;
  const { written, linesAdded, linesRemoved } = fileTotals;
  const commits = newCommits(shell.commits).length;
  const pullRequests = describePullRequests(input);
  const test = shell.lastTest?.outcome;
  return [
    ...(written === 0 ? [] : [`${count(written, 'file')} edited (+${linesAdded} −${linesRemoved})`]),
    ...(written + commits > 0 ? [] : readingOf(input)),
    ...(test === 'passed' || test === 'failed' ? [`the last test run ${test}`] : []),
    ...(commits === 0 ? [] : [count(commits, 'commit')]),
    ...(shell.pushes === 0 ? [] : ['pushed']),
    ...pullRequests.slice(0, 3),
    ...(pullRequests.length > 3 ? [count(pullRequests.length - 3, 'more pull request')] : []),
  ];
}

/** Created ones first. The client also links a pull request that the branch had before. */
function describePullRequests({ pullRequests, shell }: NarrativeInput): readonly string[] {
  const created = shell.pullRequests;
  const linked = pullRequests.filter((one) => !created.some((other) => isSamePullRequest(one, other)));
  const repositories = new Set([...created, ...linked].flatMap(({ repository }) => repository ?? []));
  const describe = (verb: string, some: readonly PullRequest[]) =>
    some.flatMap(({ number, repository }) => {
      // `#7`, or `ada/shop#7` when there are several repositories.
      return number === null
        ? []
        : [`pull request ${repositories.size > 1 ? (repository ?? '') : ''}#${number} ${verb}`];
    });
  return [...describe('created', created), ...describe('linked', linked)];
}

/** Statuses of tool calls that ran: not refused, not stopped, and with a result. */
const DONE: ReadonlySet<string> = new Set(['ok', 'error', 'background']);
const WEB_TOOLS: ReadonlySet<string> = new Set(['WebSearch', 'WebFetch']);

/** If nothing was created, reading was the work. */
function readingOf(input: NarrativeInput): readonly string[] {
  const web = input.tools.filter(({ name, status }) => WEB_TOOLS.has(name) && DONE.has(status));
  const lookups = web.reduce((sum, tool) => sum + tool.count, 0);
  const done = [
    ...(input.fileTotals.read === 0 ? [] : [`${count(input.fileTotals.read, 'file')} read`]),
    ...(lookups === 0 ? [] : [count(lookups, 'web lookup')]),
    ...(input.shell.runs === 0 ? [] : [`${count(input.shell.runs, 'command')} run`]),
  ];
  const reply = replyTo(input);
  return done.length > 0 && reply !== 'no answer' ? [reply, ...done] : done;
}

/** Number of prompts, and the last one. */
function promptsOf({ conversation }: NarrativeInput): readonly string[] {
  const { prompts, requests, lastPrompt, isOfAgents } = conversation;
  if (isOfAgents || lastPrompt === null) return [];
  const isOfCommand = requests.length > 0 && requests[0]?.by === 'command';
  if (prompts < (isOfCommand ? 1 : 2)) return [];
  const { text } = gistOf(lastPrompt.text, MAX_ASKED_CHARS, MIN_ASKED_CHARS);
  const many = isOfCommand ? `Also ${count(prompts, 'prompt')}` : `${count(prompts, 'prompt')} in all`;
  const which = prompts === 1 ? '' : ', the last';
  return [text === '' ? `${many}${which} without text` : `${many}${which}: ${quoted(text)}`];
}
