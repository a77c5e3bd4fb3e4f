import type { EventPage, GitActivityRow } from '../api/activity.ts';
import type { SessionStep } from '../api/sessions.ts';
import type { DocumentRow, Plan, Question, Skill, Todo, Worktree } from '../api/structure.ts';
import { shortSha } from '../domain/commits.ts';
import { MAX_PAGE_ROWS } from '../domain/requests.ts';
import { visibleLine } from '../lib/terminal-text.ts';
import { formatTime } from '../reading/format.ts';
import { readAllParts } from '../reading/parts.ts';
import { statusText } from '../reading/tool-call.ts';
import type { CommandOption, ParsedArguments } from './command.ts';
import { printLine, printPages, wrapLines } from './output.ts';
import type { MayLack } from './select-fields.ts';
import { allPages, type Source } from './source.ts';
import { type Column, renderTable } from './table.ts';
import { paint, stateStyle, type Terminal } from './terminal.ts';
import { pullRequestText, replacedMark } from './timeline.ts';
import { safeLines } from './transcript/view.ts';

/** Lists within a session, each an option of `fuel-code session`. */

interface SessionList {
  readonly about: string;
  show(terminal: Terminal, source: Source, id: string, args: ParsedArguments): Promise<void>;
}

interface ListParts<T extends object> {
  readonly about: string;
  /** The name of the list in JSON. */
  readonly name: string;
  readonly mayLack?: MayLack;
  /** Shown for an empty list. */
  readonly nothing: string;
  pages(source: Source, id: string): AsyncIterable<readonly T[]>;
  render(terminal: Terminal, rows: readonly T[]): void;
}

function list<T extends object>({ about, name, mayLack, nothing, pages, render }: ListParts<T>): SessionList {
  return {
    about,
    show: async (terminal, source, id, args) => {
      const rows = await printPages(terminal, args, pages(source, id), { name, ...(mayLack && { mayLack }) });
      if (rows === null) return;
      if (rows.length === 0) printLine(terminal, nothing);
      else render(terminal, rows);
    },
  };
}

/** A list that is read at once. */
async function* one<T>(rows: Promise<T>): AsyncGenerator<T> {
  yield await rows;
}

async function* mapEach<T, U>(items: AsyncIterable<T>, map: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield map(item);
}

/** Every event has data of its own. */
export const isEventData = (field: string) => field.startsWith('data.');

function asTable<T>(columns: readonly Column<T>[]) {
  return (terminal: Terminal, rows: readonly T[]) => terminal.out(renderTable(terminal, columns, rows));
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

const GIT_COLUMNS: readonly Column<GitActivityRow>[] = [
  { title: 'TIME', text: ({ timestamp }) => formatTime(timestamp), style: () => 'dim' },
  { title: 'WHAT', text: ({ type }) => type },
  { title: 'BY', fromColumns: 60, text: ({ relation }) => (relation === 'own' ? 'session' : (relation ?? '')) },
  { title: 'BRANCH', fromColumns: 110, text: ({ branch }) => branch ?? '' },
  { title: 'COMMIT', text: ({ commit_sha }) => shortSha(commit_sha ?? ''), style: () => 'yellow' },
  { title: 'MESSAGE', grows: true, text: (row) => `${replacedMark(row)}${row.message ?? pullRequestText(row)}` },
];

const STEP_COLUMNS: readonly Column<SessionStep>[] = [
  { title: 'STEP', text: ({ step }) => step },
  {
    title: 'OUTCOME',
    text: ({ outcome }) => outcome.replaceAll('_', ' '),
    style: ({ outcome }) => stateStyle(outcome),
  },
  { title: 'MS', align: 'right', text: ({ duration_ms }) => String(duration_ms) },
  { title: 'TRIES', align: 'right', text: ({ attempts }) => String(attempts) },
  { title: 'WHEN', fromColumns: 80, text: ({ finished_at }) => formatTime(finished_at) },
  { title: 'ERROR', grows: true, text: ({ error }) => error ?? '', style: () => 'red' },
];

/** In the order in which the help shows them. */
const LISTS = {
  events: list({
    about: 'Show events from hooks and scripts.',
    name: 'events',
    mayLack: isEventData,
    nothing: 'No events for this session.',
    pages: ({ get }, id) => {
      const fetch = (cursor: string | undefined) =>
        get('/sessions/:id/events', { params: { id }, query: { limit: MAX_PAGE_ROWS, cursor } });
      return mapEach(allPages(fetch), ({ events }) => events);
    },
    render: renderEvents,
  }),
  git: list({
    about: 'Show git activity during the session.',
    name: 'git_activity',
    mayLack: isEventData,
    nothing: 'No git activity found for this session.',
    pages: ({ get }, id) => {
      const fetch = (cursor: string | undefined) =>
        get('/sessions/:id/git', { params: { id }, query: { limit: MAX_PAGE_ROWS, cursor } });
      return mapEach(allPages(fetch), ({ git_activity }) => git_activity);
    },
    render: asTable(GIT_COLUMNS),
  }),
  plans: list({
    about: 'Show plans.',
    name: 'plans',
    nothing: 'No plans in this session.',
    pages: ({ get }, id) => one(readAllParts(get, '/sessions/:id/plans', id)),
    render: renderPlans,
  }),
  todos: list({
    about: 'Show to-do lists and tasks in their final state.',
    name: 'todos',
    nothing: 'No to-do lists or tasks in this session.',
    pages: ({ get }, id) => one(readAllParts(get, '/sessions/:id/todos', id)),
    render: asTable(TODO_COLUMNS),
  }),
  skills: list({
    about: 'Show skills used.',
    name: 'skills',
    nothing: 'No skills were used in this session.',
    pages: ({ get }, id) => one(readAllParts(get, '/sessions/:id/skills', id)),
    render: asTable(SKILL_COLUMNS),
  }),
  questions: list({
    about: 'Show questions the model asked, with the answers.',
    name: 'questions',
    nothing: 'No questions were asked in this session.',
    pages: ({ get }, id) => one(readAllParts(get, '/sessions/:id/questions', id)),
    render: renderQuestions,
  }),
  worktrees: list({
    about: 'Show git worktrees used.',
    name: 'worktrees',
    nothing: 'No worktrees were used in this session.',
    pages: ({ get }, id) => one(readAllParts(get, '/sessions/:id/worktrees', id)),
    render: asTable(WORKTREE_COLUMNS),
  }),
  documents: list({
    about: 'Show plan, to-do, task and memory files, and prompts as typed.',
    name: 'documents',
    nothing: 'No plan, to-do, task or memory files for this session.',
    pages: ({ get }, id) => one(readAllParts(get, '/sessions/:id/documents', id)),
    render: renderDocuments,
  }),
  steps: list({
    about: 'Show processing steps and their results.',
    name: 'steps',
    nothing: 'No processing steps for this session yet.',
    pages: ({ get }, id) => mapEach(one(get('/sessions/:id/steps', { params: { id } })), ({ steps }) => steps),
    render: asTable(STEP_COLUMNS),
  }),
} satisfies Readonly<Record<string, SessionList>>;

export const SESSION_LIST_OPTIONS: Readonly<Record<string, CommandOption>> = Object.fromEntries(
  Object.entries(LISTS).map(([name, { about }]) => [name, { type: 'boolean', about }]),
);

/** The list selected by the flags, or null. */
export function wantedList(flags: ReadonlySet<string>): SessionList | null {
  return Object.entries(LISTS).find(([name]) => flags.has(name))?.[1] ?? null;
}

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

function renderEvents(terminal: Terminal, events: EventPage['events']): void {
  for (const { timestamp, type, data } of events) {
    const json = wrapLines(terminal, indented(JSON.stringify(data, null, 2)));
    terminal.out(`${formatTime(timestamp)}  ${visibleLine(type)}\n${json}\n`);
  }
}

/** Never truncated: partial JSON is useless. */
function indented(json: string): string {
  return safeLines(json)
    .map((line) => `  ${line}`)
    .join('\n');
}

function renderDocuments(terminal: Terminal, documents: readonly DocumentRow[]): void {
  for (const [at, { kind, path, timestamp, text }] of documents.entries()) {
    const head = [kind, path, formatTime(timestamp)].filter((part) => part !== '').join('  ');
    terminal.out(
      `${at === 0 ? '' : '\n'}${paint(terminal, 'bold', visibleLine(head))}\n${safeLines(text).join('\n')}\n`,
    );
  }
}
