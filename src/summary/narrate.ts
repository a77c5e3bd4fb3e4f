import type { Narrative, NarrativeSections, SummaryInput, Utterance } from '../domain/summary.ts';
import { describeErrors, describeFiles, describeHelpers } from './describe-work.ts';
import { describeTests, type TestStory, testStoryOf } from './describe-tests.ts';
import { answerGist, closingQuestion, gistOf, tellingGist } from './gist.ts';
import { groupCommands } from './command-groups.ts';
import { count, enumerate, quoted, sentence } from './phrases.ts';
import { cutWords } from './plain-text.ts';
import { findTestRuns, testRunnerOf } from './test-runs.ts';
import { promptsOf, titleOf } from './title.ts';
import { readInvocations } from './shell-command.ts';

/** Grows when the same rows would be told in other words. */
export const NARRATIVE_VERSION = 1;

/** People often tell the trouble first, and what they want in the next sentence. */
const MIN_ASKED_CHARS = 60;
const MAX_ASKED_CHARS = 200;
const MAX_ANSWER_CHARS = 280;
const MAX_ASKED = 20;
const SHOWN_COMMITS = 3;
const SHOWN_COMMANDS = 5;
const SHOWN_TODOS = 3;
const SHA_CHARS = 7;

/** Tells a session from its rows alone: the same rows, the same words. Where there is little, it says little. */
export function narrate(input: SummaryInput): Narrative {
  const tests = testStoryOf(findTestRuns(input.commands));
  const sections: NarrativeSections = {
    asked: askedOf(input),
    answered: answeredOf(input),
    files: describeFiles(input),
    commands: commandsOf(input),
    tests: describeTests(tests),
    commits: input.commits.map(({ sha, subject }) => {
      return [sha?.slice(0, SHA_CHARS), subject === null ? null : quoted(cutWords(subject, 100))]
        .filter(Boolean)
        .join(' ');
    }),
    helpers: describeHelpers(input),
    errors: describeErrors(input),
    open_ends: openEndsOf(input, tests),
  };
  return { title: titleOf(input), text: tell(input, sections, tests), sections };
}

function askedOf(input: SummaryInput): readonly string[] {
  const said = promptsOf(input)
    .map(({ text }) => gistOf(text, MAX_ASKED_CHARS, MIN_ASKED_CHARS))
    .filter(Boolean);
  if (said.length > 0) return said.slice(0, MAX_ASKED);
  const commands = input.opening.filter(({ by }) => by === 'command');
  return [...new Set(commands.map(({ text }) => gistOf(text, MAX_ASKED_CHARS)).filter(Boolean))].slice(0, MAX_ASKED);
}

const MIN_ANSWER_CHARS = 20;
const ANSWERS_LOOKED_AT = 3;

/** What the last answer that says something comes to. */
function answeredOf({ opening, closing }: SummaryInput): string | null {
  const answers = [...opening, ...closing].filter(({ by }) => by === 'model').slice(-ANSWERS_LOOKED_AT);
  const gists = answers.map(({ text }) => answerGist(text, MAX_ANSWER_CHARS)).toReversed();
  return gists.find((gist) => gist.length >= MIN_ANSWER_CHARS) ?? gists.find(Boolean) ?? null;
}

/** Commands beside tests, commits and pushes, which are told elsewhere. */
function commandsOf({ commands, commits, pushes }: SummaryInput): readonly string[] {
  const others = commands.filter(({ command }) => !readInvocations(command).some((one) => testRunnerOf(one) !== null));
  const told = [...(commits.length === 0 ? [] : ['git commit']), ...(pushes === 0 ? [] : ['git push'])];
  const groups = groupCommands(others).filter(({ label }) => !told.includes(label));
  return groups.map(({ label, runs }) => (runs === 1 ? label : `${label} (${runs} times)`));
}

function openEndsOf(input: SummaryInput, tests: TestStory): readonly string[] {
  const last = [...input.opening, ...input.closing].at(-1);
  const open = input.todos.filter(({ status }) => status !== 'completed' && status !== 'deleted');
  const todos = open.map(({ text }) => quoted(cutWords(text, 80)));
  return [
    ...(tests.last === 'failed' ? ['the tests failed at the end'] : []),
    ...(open.length === 0 ? [] : [`${count(open.length, 'to-do')} not done: ${enumerate(todos, SHOWN_TODOS)}`]),
    ...(last === undefined ? [] : lastWordOf(last, input)),
    ...(input.proposedPlans > 0 && last?.by === 'model' ? ['a plan waits for approval'] : []),
  ];
}

function lastWordOf(last: Utterance, { lifecycle, scope }: SummaryInput): readonly string[] {
  if (last.by === 'interruption') return ['it was interrupted'];
  if (last.by === 'error') return [`it ended with an error of the API: ${quoted(answerGist(last.text, 120))}`];
  if (last.by === 'person' && lifecycle !== 'capturing' && scope.agentIds === null)
    return ['the last prompt has no answer'];
  const question = last.by === 'model' ? closingQuestion(last) : null;
  return question === null ? [] : [`it ended with the question ${quoted(question)}`];
}

function tell(input: SummaryInput, sections: NarrativeSections, tests: TestStory): string {
  const { asked, answered, files, commands, commits, helpers, errors, open_ends } = sections;
  const changed = input.files.some(({ writes }) => writes > 0);
  const lines = [
    leadOf(input, sections, tests),
    ...(input.promptCount > 1 && asked.length > 1 ? [moreAsked(input, asked)] : []),
    ...(answered === null ? [] : [`The last answer: ${quoted(answered)}`]),
    ...(changed ? [`Changed ${enumerate(files, 4)}`] : []),
    ...(sections.tests.length === 0 ? [] : [`Tests: ${sections.tests.join('; ')}`]),
    ...(commits.length === 0 ? [] : [`${count(commits.length, 'commit')}: ${enumerate(commits, SHOWN_COMMITS)}`]),
    ...(commands.length === 0 ? [] : [`Ran ${enumerate(commands, SHOWN_COMMANDS)}`]),
    ...(input.helpers.length === 0 ? [] : [helpersOf(input, helpers)]),
    ...input.teams.map(({ name, members }) => `Team ${name}: ${enumerate(members, 5)}`),
    ...(errors.length === 0 ? [] : [`Errors: ${errors.join('; ')}`]),
    ...(open_ends.length === 0 ? [] : [`Open: ${open_ends.join('; ')}`]),
  ];
  return lines.map(sentence).join(' ');
}

function helpersOf(input: SummaryInput, described: readonly string[]): string {
  const many = count(input.helpers.length, 'sub-agent');
  if (described.length === 0) return `${many} worked along`;
  const among = described.length < input.helpers.length ? ', among them' : ':';
  return `${many}${among} ${enumerate(described, 4)}`;
}

/** The first sentence alone says what was asked and what came of it. */
function leadOf(input: SummaryInput, { asked }: NarrativeSections, tests: TestStory): string {
  const first = tellingGist(asked);
  const results = resultsOf(input, tests);
  if (input.promptCount === 0 && asked.length > 0 && !hasAnswer(input)) {
    return `Only commands of the client: ${enumerate(asked, 5)}`;
  }
  if (first === undefined && results.length === 0) return nothingAsked(input);
  const came =
    results.length === 0 ? (hasAnswer(input) ? 'answered' : 'no answer') : enumerate(results, results.length);
  return first === undefined ? came : `Asked ${quoted(first)}: ${came}`;
}

function hasAnswer({ opening, closing }: SummaryInput): boolean {
  return [...opening, ...closing].some(({ by }) => by === 'model');
}

function nothingAsked({ helpers, opening, closing }: SummaryInput): string {
  if (helpers.length > 0) return 'Only the work of sub-agents is in the files of this session';
  return opening.length + closing.length === 0 ? 'Nothing was said in this session' : 'Nobody asked for anything';
}

function resultsOf(input: SummaryInput, tests: TestStory): readonly string[] {
  const written = input.files.filter(({ writes }) => writes > 0);
  const added = written.reduce((sum, { linesAdded }) => sum + linesAdded, 0);
  const removed = written.reduce((sum, { linesRemoved }) => sum + linesRemoved, 0);
  const pulls = input.pullRequests.flatMap(({ number }) => (number === null ? [] : `#${number}`));
  return [
    ...(written.length === 0 ? [] : [`${count(written.length, 'file')} changed (+${added} −${removed})`]),
    ...(written.length + input.commits.length > 0 ? [] : lookedAt(input)),
    ...(tests.last === null ? [] : [`tests ${tests.last}`]),
    ...(input.commits.length === 0 ? [] : [count(input.commits.length, 'commit')]),
    ...(input.pushes === 0 ? [] : ['pushed']),
    ...(pulls.length === 0 ? [] : [`pull request ${enumerate(pulls, 3)}`]),
  ];
}

/** Where nothing was made, what was looked at is the work. */
function lookedAt(input: SummaryInput): readonly string[] {
  const used = (names: readonly string[]) =>
    input.tools.filter(({ name }) => names.includes(name)).reduce((sum, tool) => sum + tool.count, 0);
  const read = input.files.filter(({ reads }) => reads > 0).length;
  const looked = [
    ...(read === 0 ? [] : [`${count(read, 'file')} read`]),
    ...(used(['WebSearch', 'WebFetch']) === 0
      ? []
      : [`${count(used(['WebSearch', 'WebFetch']), 'look', 'looks')} into the web`]),
    ...(used(['Bash']) === 0 ? [] : [`${count(used(['Bash']), 'command')} run`]),
  ];
  return looked.length > 0 && hasAnswer(input) ? ['answered', ...looked] : looked;
}

function moreAsked({ promptCount }: SummaryInput, asked: readonly string[]): string {
  const last = quoted(asked.at(-1) ?? '');
  return promptCount === 2
    ? `Then asked ${last}`
    : `${count(promptCount - 1, 'more prompt')} followed, the last: ${last}`;
}
