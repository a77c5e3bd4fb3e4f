import type { DocumentPage, DocumentRow, Plan, Question, Skill, Todo, Worktree } from '../api/structure.ts';
import { shortSha } from '../domain/commits.ts';
import { MAX_PAGE_ROWS } from '../domain/requests.ts';
import { visibleLine } from '../lib/terminal-text.ts';
import { formatTime } from '../reading/format.ts';
import { readAllParts } from '../reading/parts.ts';
import { statusText } from '../reading/tool-call.ts';
import type { CommandOption, ParsedArguments } from './command.ts';
import { printLine, printPages, wrapLines } from './output.ts';
import { allPages, type Source } from './source.ts';
import { type Column, renderTable } from './table.ts';
import { paint, stateStyle, type Terminal } from './terminal.ts';
import { pullRequestText, replacedMark } from './timeline.ts';
import { safeLines } from './transcript/view.ts';

/** Lists within a session, each an option of `fuel-code session`. */

type ListName = 'plans' | 'todos' | 'skills' | 'questions' | 'worktrees';

export const SESSION_LIST_OPTIONS = {
  plans: { type: 'boolean', about: 'Show plans.' },
  todos: { type: 'boolean', about: 'Show to-do lists and tasks in their final state.' },
  skills: { type: 'boolean', about: 'Show skills used.' },
  questions: { type: 'boolean', about: 'Show questions the model asked, with the answers.' },
  worktrees: { type: 'boolean', about: 'Show git worktrees used.' },
} as const satisfies Readonly<Record<ListName, CommandOption>>;

const LIST_NAMES = Object.keys(SESSION_LIST_OPTIONS) as readonly ListName[];

/** The list selected by the flags, or null. */
export function wantedList(flags: ReadonlySet<string>): ListName | null {
  return LIST_NAMES.find((name) => flags.has(name)) ?? null;
}

export async function showList(
  terminal: Terminal,
  source: Source,
  sessionId: string,
  { name, args }: { readonly name: ListName; readonly args: ParsedArguments },
): Promise<void> {
  const read = readAllParts(source.get, `/sessions/:id/${name}`, sessionId) as Promise<readonly object[]>;
  const rows = await printPages(terminal, args, one(read), { name });
  if (rows === null) return;
  if (rows.length === 0) return printLine(terminal, NOTHING[name]);
  RENDERERS[name](terminal, rows as never);
}

/** A list that is read at once. */
async function* one<T>(rows: Promise<T>): AsyncGenerator<T> {
  yield await rows;
}

const NOTHING: Readonly<Record<ListName, string>> = {
  plans: 'No plans in this session.',
  todos: 'No to-do lists or tasks in this session.',
  skills: 'No skills were used in this session.',
  questions: 'No questions were asked in this session.',
  worktrees: 'No worktrees were used in this session.',
};

interface Rows {
  readonly plans: Plan;
  readonly todos: Todo;
  readonly skills: Skill;
  readonly questions: Question;
  readonly worktrees: Worktree;
}

type Renderer<T extends ListName> = (terminal: Terminal, rows: readonly Rows[T][]) => void;

const RENDERERS: { readonly [T in ListName]: Renderer<T> } = {
  plans: renderPlans,
  todos: (terminal, rows) => terminal.out(renderTable(terminal, TODO_COLUMNS, rows)),
  skills: (terminal, rows) => terminal.out(renderTable(terminal, SKILL_COLUMNS, rows)),
  questions: renderQuestions,
  worktrees: (terminal, rows) => terminal.out(renderTable(terminal, WORKTREE_COLUMNS, rows)),
};

function renderPlans(terminal: Terminal, plans: readonly Plan[]): void {
  for (const [at, { status, file_path, text }] of plans.entries()) {
    const head = [`Plan ${at + 1}: ${status}`, ...(file_path === null ? [] : [file_path])].join(', ');
    terminal.out(`${at === 0 ? '' : '\n'}${visibleLine(head)}\n\n${safeLines(text ?? '').join('\n')}\n`);
  }
}

function renderQuestions(terminal: Terminal, questions: readonly Question[]): void {
  for (const [at, question] of questions.entries()) {
    const answers = question.status === 'answered' ? question.chosen.join('; ') || question.answer : question.status;
    const options = question.options.map(({ label }) => `${question.chosen.includes(label) ? '●' : '○'} ${label}`);
    const lines = [question.question, ...options.map((option) => `  ${option}`), `  Answer: ${answers}`];
    const notes = question.notes === null ? [] : [`  Notes: ${question.notes}`];
    const text = wrapLines(terminal, safeLines([...lines, ...notes].join('\n')).join('\n'));
    terminal.out(`${at === 0 ? '' : '\n'}${text}\n`);
  }
}

const TODO_COLUMNS: readonly Column<Todo>[] = [
  { title: 'LIST', text: ({ list }) => list },
  { title: 'STATUS', text: ({ status }) => status, style: ({ status }) => stateStyle(status) },
  { title: 'TEXT', grows: true, text: ({ text }) => text },
  { title: 'OWNER', fromColumns: 80, text: ({ owner, agent_id }) => owner ?? agent_id ?? '' },
];

const SKILL_COLUMNS: readonly Column<Skill>[] = [
  { title: 'TIME', fromColumns: 60, text: ({ timestamp }) => formatTime(timestamp) },
  { title: 'SKILL', text: ({ name }) => name },
  { title: 'BY', text: ({ used_by }) => used_by },
  { title: 'ARGUMENTS', grows: true, text: ({ args }) => args ?? '' },
  {
    title: 'OUTCOME',
    text: ({ status }) => statusText({ status, denial: null }) || 'ok',
    style: ({ status }) => stateStyle(status),
  },
];

const WORKTREE_COLUMNS: readonly Column<Worktree>[] = [
  { title: 'NAME', text: ({ name, path }) => name ?? path?.split('/').at(-1) ?? '' },
  { title: 'BRANCH', fromColumns: 60, text: ({ branch }) => branch ?? '' },
  { title: 'PATH', grows: true, keeps: 'end', text: ({ path }) => path ?? '' },
  { title: 'ENTERED', fromColumns: 80, text: ({ entered_at }) => formatTime(entered_at) },
  {
    title: 'LEFT',
    fromColumns: 80,
    text: ({ left_at, left_by }) => [left_by, formatTime(left_at)].filter(Boolean).join(' '),
  },
];

export async function showEvents(
  terminal: Terminal,
  source: Source,
  sessionId: string,
  args: ParsedArguments,
): Promise<void> {
  const fetch = (cursor: string | undefined) =>
    source.get('/sessions/:id/events', { params: { id: sessionId }, query: { limit: MAX_PAGE_ROWS, cursor } });
  const pages = mapEach(allPages(fetch), ({ events }) => events);
  const events = await printPages(terminal, args, pages, { name: 'events', mayLack: isEventData });
  if (events === null) return;
  if (events.length === 0) return printLine(terminal, 'No events for this session.');
  for (const { timestamp, type, data } of events) {
    const json = wrapLines(terminal, indented(JSON.stringify(data, null, 2)));
    terminal.out(`${formatTime(timestamp)}  ${visibleLine(type)}\n${json}\n`);
  }
}

/** Every event has data of its own. */
export const isEventData = (field: string) => field.startsWith('data.');

async function* mapEach<T, U>(items: AsyncIterable<T>, map: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield map(item);
}

/** Never truncated: partial JSON is useless. */
function indented(json: string): string {
  return safeLines(json)
    .map((line) => `  ${line}`)
    .join('\n');
}

/** Plan, to-do, task and memory files of a session, and its prompts as typed. */
export async function showDocuments(
  terminal: Terminal,
  source: Source,
  sessionId: string,
  args: ParsedArguments,
): Promise<void> {
  const documents = await printPages(terminal, args, documentPages(source, sessionId), { name: 'documents' });
  if (documents === null) return;
  if (documents.length === 0) return printLine(terminal, 'No plan, to-do, task or memory files for this session.');
  for (const [at, { kind, path, timestamp, text }] of documents.entries()) {
    const head = [kind, path, formatTime(timestamp)].filter((part) => part !== '').join('  ');
    terminal.out(
      `${at === 0 ? '' : '\n'}${paint(terminal, 'bold', visibleLine(head))}\n${safeLines(text).join('\n')}\n`,
    );
  }
}

async function* documentPages(source: Source, id: string): AsyncGenerator<readonly DocumentRow[]> {
  for (let after: number | null = -1; after !== null; ) {
    const query = { after, limit: MAX_PAGE_ROWS };
    const page: DocumentPage = await source.get('/sessions/:id/documents', { params: { id }, query });
    yield page.documents;
    after = page.next_after;
  }
}

export async function showSteps(terminal: Terminal, source: Source, id: string, args: ParsedArguments): Promise<void> {
  const read = source.get('/sessions/:id/steps', { params: { id } });
  const steps = await printPages(
    terminal,
    args,
    mapEach(one(read), (answer) => answer.steps),
    { name: 'steps' },
  );
  if (steps === null) return;
  terminal.out(
    renderTable(
      terminal,
      [
        { title: 'STEP', text: ({ step }) => step },
        {
          title: 'OUTCOME',
          text: ({ outcome }) => outcome.replaceAll('_', ' '),
          style: ({ outcome }) => stateStyle(outcome),
        },
        { title: 'MS', align: 'right' as const, text: ({ duration_ms }) => String(duration_ms) },
        { title: 'TRIES', align: 'right' as const, text: ({ attempts }) => String(attempts) },
        { title: 'WHEN', fromColumns: 80, text: ({ finished_at }) => formatTime(finished_at) },
        { title: 'ERROR', grows: true, text: ({ error }) => error ?? '', style: () => 'red' as const },
      ],
      steps,
    ),
  );
}

export async function showGit(
  terminal: Terminal,
  source: Source,
  sessionId: string,
  args: ParsedArguments,
): Promise<void> {
  const fetch = (cursor: string | undefined) =>
    source.get('/sessions/:id/git', { params: { id: sessionId }, query: { limit: MAX_PAGE_ROWS, cursor } });
  const pages = mapEach(allPages(fetch), ({ git_activity }) => git_activity);
  const activity = await printPages(terminal, args, pages, { name: 'git_activity', mayLack: isEventData });
  if (activity === null) return;
  if (activity.length === 0) return printLine(terminal, 'No git activity found for this session.');
  terminal.out(
    renderTable(
      terminal,
      [
        { title: 'TIME', text: ({ timestamp }) => formatTime(timestamp), style: () => 'dim' as const },
        { title: 'WHAT', text: ({ type }) => type },
        { title: 'BY', fromColumns: 60, text: ({ relation }) => (relation === 'own' ? 'session' : (relation ?? '')) },
        { title: 'BRANCH', fromColumns: 110, text: ({ branch }) => branch ?? '' },
        {
          title: 'COMMIT',
          text: ({ commit_sha }) => shortSha(commit_sha ?? ''),
          style: () => 'yellow' as const,
        },
        { title: 'MESSAGE', grows: true, text: (row) => `${replacedMark(row)}${row.message ?? pullRequestText(row)}` },
      ],
      activity,
    ),
  );
}
