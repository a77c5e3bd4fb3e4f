import type { FoundSession, SearchAnswer, SearchHit, SessionHits } from '../api/search.ts';
import { FuelError } from '../domain/errors.ts';
import { DEFAULT_SEARCH_SESSIONS, type Highlight, MAX_SEARCH_SESSIONS, MAX_SESSION_HITS } from '../domain/search.ts';
import { fitWidth, textWidth, visibleLine, wrapWidth } from '../lib/terminal-text.ts';
import { formatAgo, formatCost, plural } from '../reading/format.ts';
import { hitText } from '../reading/hit-form.ts';
import { SHORT_ID_CHARS, shortId, titleOf } from '../reading/names.ts';
import {
  type Command,
  type CommandContext,
  CSV_OPTION,
  limitOption,
  MAX_STREAMED_ROWS,
  NO_IMPORT_OPTION,
  type ParsedArguments,
  REMOTE_OPTIONS,
} from './command.ts';
import { noteMore, printReport, ROW_OPTIONS, readFormat, streamRows } from './output.ts';
import { readNumber } from './parse-arguments.ts';
import { readQueryZone, SESSION_OPTION, TIME_OPTIONS } from './session-filter.ts';
import { openSource, pagesOf, type Source } from './source.ts';
import { paint, type Terminal } from './terminal.ts';

const GAP = '  ';

export const command: Command = {
  name: 'search',
  about: 'Search prompts, answers, tool calls and output of all sessions.',
  operands: '<query>',
  minOperands: 1,
  maxOperands: 32,
  options: {
    limit: limitOption('sessions', DEFAULT_SEARCH_SESSIONS, MAX_SEARCH_SESSIONS, MAX_STREAMED_ROWS),
    session: {
      ...SESSION_OPTION,
      excludes: ['limit', 'cursor', 'csv', 'all'],
      about: 'Print all matches in one session (id or id prefix).',
    },
    cursor: { type: 'string', value: 'CURSOR', about: 'Continue after a previous page (its next_cursor).' },
    all: { type: 'boolean', about: 'Include sessions without a prompt.' },
    timezone: TIME_OPTIONS.timezone,
    'no-import': NO_IMPORT_OPTION,
    ...ROW_OPTIONS,
    csv: { ...CSV_OPTION, about: 'Print CSV, one line per match, with secrets redacted.' },
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code search parseLine', 'Find a name.'],
    ['fuel-code search \'tool:Bash exit>0 "permission denied"\'', 'Failed commands with this output.'],
    [
      'fuel-code search "retry file:engine.ts after:7d -type:output"',
      'A word in sessions that touched a file in the last 7 days, not in tool output.',
    ],
    ['fuel-code search parseLine --session 3f2a', 'All matches in one session.'],
    ['fuel-code search "cost>5 has:commit model:opus" --csv', 'Matching sessions, as CSV.'],
    ["fuel-code search '/time(d)? ?out/i type:output'", 'Search by regular expression.'],
  ],
  run: async (context, args) => {
    const format = readFormat(args);
    const session = args.values.get('session');
    if (session !== undefined) return printSession(context, args, session);
    const query = { ...queryOf(args), ...(format === 'csv' && !args.flags.has('raw') ? { redact: true } : {}) };
    await using source = await openSource(context, args, 'index');
    if (format === 'ndjson') return await streamSearch(context, source, args, query);
    const answer = await source.get('/search', { query });
    await printReport(context, args, {
      answer,
      name: 'sessions',
      rows: answer.sessions,
      from: source,
      csv: () => csvRows(answer),
      text: () => (isEmpty(answer) ? undefined : print(context, answer)),
    });
    if (isEmpty(answer)) throw await nothingFound(source);
  },
};

/** Page by page, for as many sessions as wanted. */
async function streamSearch(
  { terminal }: CommandContext,
  source: Source,
  args: ParsedArguments,
  { limit: rows, cursor: first, ...query }: ReturnType<typeof queryOf>,
): Promise<void> {
  let isFound = false;
  const pages = pagesOf(
    { rows, pageRows: MAX_SEARCH_SESSIONS, cursor: first },
    (limit, cursor) => source.get('/search', { query: { ...query, limit, cursor } }),
    (page) => {
      isFound ||= !isEmpty(page);
      return page.sessions.length;
    },
  );
  const last = await streamRows(terminal, args, pages, { rows: ({ sessions }) => sessions });
  noteMore(terminal, args, last?.next_cursor ?? null, '-n N');
  if (!isFound) throw await nothingFound(source);
}

/** Nothing was found, and nothing was left out. */
function isEmpty({ total, cut }: SearchAnswer): boolean {
  return total.sessions === 0 && cut === null;
}

/** Exit code 1, as with grep, so that scripts can branch on it. */
async function nothingFound({ get }: Source): Promise<FuelError> {
  const { sessions } = await get('/sessions', { query: { is: 'archived', all: true, limit: 1 } });
  return new FuelError('nothing_found', NO_MATCHES, sessions.length === 0 ? {} : { hint: ARCHIVED_HINT });
}

const NO_MATCHES = 'No matches.';
const ARCHIVED_HINT =
  'Texts of archived sessions are not searched: `fuel-code sessions --all --is archived` lists these sessions, and `fuel-code session ID --restore` restores one.';

/** All matches in one session, in their order. */
async function printSession(context: CommandContext, args: ParsedArguments, session: string): Promise<void> {
  await using source = await openSource(context, args, 'index');
  const query = { q: args.positionals.join(' '), limit: MAX_SESSION_HITS, ...readQueryZone(args) };
  const answer = await source.get('/sessions/:id/hits', { params: { id: session }, query });
  const { terminal } = context;
  const isEmptyAnswer = answer.total === 0 && answer.is_complete;
  await printReport(context, args, {
    answer,
    name: 'hits',
    rows: answer.hits,
    from: source,
    csv: () => [],
    text: () => (isEmptyAnswer ? undefined : printHits(terminal, answer)),
  });
  if (isEmptyAnswer) throw new FuelError('nothing_found', NO_MATCHES);
}

function printHits(terminal: Terminal, { hits, total, is_complete }: SessionHits): void {
  for (const line of hitLines(terminal, hits)) terminal.out(`${line}\n`);
  const isAll = is_complete && hits.length === total;
  const shown = isAll ? '' : ` (the first ${hits.length} shown; there may be more)`;
  terminal.out(`${plural(total, 'match', 'matches')}${shown}.\n`);
}

function queryOf(args: ParsedArguments) {
  const max = args.flags.has('ndjson') ? MAX_STREAMED_ROWS : MAX_SEARCH_SESSIONS;
  const limit = readNumber(args, 'limit', { min: 1, max, otherwise: DEFAULT_SEARCH_SESSIONS });
  const all = args.flags.has('all') ? { all: true } : {};
  return { q: args.positionals.join(' '), limit, cursor: args.values.get('cursor'), ...all, ...readQueryZone(args) };
}

function print({ terminal, clock }: CommandContext, answer: SearchAnswer): void {
  for (const session of answer.sessions) terminal.out(`${sessionText(terminal, session, clock.now())}\n`);
  terminal.out(`${wrapWidth(totalText(answer), terminal.columns)}\n`);
}

function sessionText(terminal: Terminal, session: FoundSession, now: Date): string {
  const { session_id, title, places, hits } = session;
  const id = shortId(session_id);
  const more = places > hits.length ? [`  and ${places - hits.length} more: --session ${id}`] : [];
  const room = terminal.columns - SHORT_ID_CHARS - 2 * GAP.length;
  const name = visibleLine(titleOf({ title }));
  const facts = factsText(session, now, Math.max(Math.floor(room / 2), room - textWidth(name)));
  const head = [
    paint(terminal, 'cyan', id),
    paint(terminal, 'bold', fitWidth(name, room - textWidth(facts))),
    paint(terminal, 'dim', facts),
  ];
  return [head.join(GAP), ...hitLines(terminal, hits), ...more].join('\n');
}

/** `2h ago · shop · $1.20`; of these, the workspace is shortened first. */
function factsText({ started_at, workspace_name, cost_estimate_usd }: FoundSession, now: Date, room: number): string {
  const [when, cost] = [formatAgo(started_at, now), formatCost(cost_estimate_usd)];
  const left = room - textWidth([when, '', cost].join(' · '));
  return fitWidth([when, fitWidth(visibleLine(workspace_name), Math.max(1, left)), cost].join(' · '), room);
}

function hitLines(terminal: Terminal, hits: readonly SearchHit[]): readonly string[] {
  const width = Math.max(...hits.map(({ kind }) => kind.length));
  const room = terminal.columns - width - 2 * GAP.length;
  return hits.map(
    (hit) => `  ${paint(terminal, 'dim', hit.kind.padEnd(width))}  ${marked(terminal, hitText(hit), room)}`,
  );
}

/** Each part is escaped separately because escaping changes its length; the line is cut at the edge of the terminal. */
function marked(
  terminal: Terminal,
  { snippet, highlights }: Pick<SearchHit, 'snippet' | 'highlights'>,
  room: number,
): string {
  let [end, left, line] = [0, room, ''];
  const add = (from: number, to: number, style: 'yellow' | null) => {
    const text = fitWidth(visibleLine(`x${snippet.slice(from, to)}x`).slice(1, -1), left);
    left -= textWidth(text);
    line += style === null || text === '' ? text : paint(terminal, style, text);
  };
  for (const [from, to] of highlights satisfies readonly Highlight[]) {
    add(end, from, null);
    add(from, to, 'yellow');
    end = to;
  }
  add(end, snippet.length, null);
  return line;
}

function totalText({ sessions, total, cut, next_cursor }: SearchAnswer): string {
  const places = total.places === 0 ? '' : `${plural(total.places, 'match', 'matches')} in `;
  const shown = sessions.length < total.sessions ? ` (${sessions.length} shown)` : '';
  const why = {
    places: 'Only the newest matches were counted; there are older ones.',
    time: 'The search timed out; older sessions were not searched.',
  };
  const more = cut === null ? '' : ` ${why[cut]}`;
  return `${places}${plural(total.sessions, 'session')}${shown}.${more}${next_cursor === null ? '' : ' For more, use -n N, or --json for a cursor.'}`;
}

const CSV_COLUMNS = ['session_id', 'started_at', 'workspace', 'title', 'cost_usd', 'kind', 'ordinal', 'text'];

function csvRows({ sessions }: SearchAnswer): readonly (readonly (string | number | null)[])[] {
  const rows = sessions.flatMap((session) => {
    const { session_id, started_at, workspace_name, title, cost_estimate_usd } = session;
    const facts = [session_id, started_at, workspace_name, title, cost_estimate_usd];
    const hits = session.hits.length === 0 ? [null] : session.hits;
    return hits.map((hit) => [...facts, hit?.kind ?? null, hit?.ordinal ?? null, hit?.snippet ?? null]);
  });
  return [CSV_COLUMNS, ...rows];
}
