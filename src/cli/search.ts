import {
  DEFAULT_SEARCH_SESSIONS,
  type FoundSession,
  type Highlight,
  MAX_SEARCH_SESSIONS,
  type SearchAnswer,
  type SearchHit,
} from '../domain/search.ts';
import { fitWidth, textWidth } from '../lib/text-width.ts';
import { visibleLine } from '../lib/visible.ts';
import { catchUp } from './catch-up.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments } from './command.ts';
import { formatAgo, formatCost } from './format.ts';
import { readNumber } from './parse-arguments.ts';
import { paint, type Terminal } from './terminal.ts';

const ID_CHARS = 8;
const GAP = '  ';
const MIN_TITLE_COLUMNS = 20;

export const command: Command = {
  name: 'search',
  about: 'Find sessions by what was said, called and printed in them.',
  operands: '<query>',
  minOperands: 1,
  maxOperands: 32,
  options: {
    limit: { type: 'string', short: 'n', value: 'N', about: `Sessions (default ${DEFAULT_SEARCH_SESSIONS}).` },
    cursor: { type: 'string', value: 'CURSOR', about: 'Go on where the page before ended: its next_cursor.' },
    'no-import': { type: 'boolean', about: 'Search what is stored, without looking for new transcripts first.' },
    json: JSON_OPTION,
    csv: { type: 'boolean', about: 'Print a line a place, as CSV.' },
  },
  examples: [
    ['fuel-code search parseLine', 'Where that name was met.'],
    ['fuel-code search \'tool:Bash exit>0 "permission denied"\'', 'Commands that failed so.'],
    ['fuel-code search "file:engine.ts after:7d -type:output"', 'What was said about a file this week.'],
    ['fuel-code search "cost>5 has:commit model:opus" --csv', 'Sessions, for a spreadsheet.'],
    ["fuel-code search '/time(d)? ?out/i type:output'", 'By a regular expression.'],
  ],
  run: async (context, args) => {
    await using app = await context.openApp();
    if (!args.flags.has('no-import')) await catchUp(context, app, { rowsOnly: false });
    const answer = await app.reads.search(questionOf(args));
    if (args.flags.has('json')) context.terminal.out(`${JSON.stringify(answer, null, 2)}\n`);
    else if (args.flags.has('csv')) context.terminal.out(toCsv(answer));
    else print(context, answer);
  },
};

function questionOf(args: ParsedArguments) {
  const limit = readNumber(args, 'limit', { min: 1, max: MAX_SEARCH_SESSIONS, otherwise: DEFAULT_SEARCH_SESSIONS });
  const cursor = args.values.get('cursor');
  return { query: args.positionals.join(' '), limit, ...(cursor === undefined ? {} : { cursor }) };
}

function print({ terminal, clock }: CommandContext, answer: SearchAnswer): void {
  for (const session of answer.sessions) terminal.out(`${sessionText(terminal, session, clock.now())}\n`);
  terminal.out(`${totalText(answer)}\n`);
}

function sessionText(terminal: Terminal, session: FoundSession, now: Date): string {
  const { session_id, title, started_at, workspace_name, cost_estimate_usd, places, hits } = session;
  const facts = [formatAgo(started_at, now), workspace_name, formatCost(cost_estimate_usd)];
  const more = places > hits.length ? [`  and ${places - hits.length} more`] : [];
  const about = visibleLine(facts.join(' · '));
  const width = Math.max(MIN_TITLE_COLUMNS, terminal.columns - ID_CHARS - textWidth(about) - 2 * GAP.length);
  const head = [
    paint(terminal, 'cyan', session_id.slice(0, ID_CHARS)),
    paint(terminal, 'bold', fitWidth(visibleLine(title ?? '(no prompt)'), width)),
    paint(terminal, 'dim', about),
  ];
  return [
    head.join(GAP),
    ...hits.map((hit) => `  ${paint(terminal, 'dim', hit.kind)}  ${marked(terminal, hit)}`),
    ...more,
  ].join('\n');
}

/** The parts are made safe one by one, since that may change their length. */
function marked(terminal: Terminal, { snippet, highlights }: Pick<SearchHit, 'snippet' | 'highlights'>): string {
  const safe = (from: number, to: number) => visibleLine(`x${snippet.slice(from, to)}x`).slice(1, -1);
  let end = 0;
  let line = '';
  for (const [from, to] of highlights satisfies readonly Highlight[]) {
    line += safe(end, from) + paint(terminal, 'yellow', safe(from, to));
    end = to;
  }
  return line + safe(end, snippet.length);
}

function totalText({ sessions, total, cut, next_cursor }: SearchAnswer): string {
  if (total.sessions === 0 && cut === null) return 'Nothing was found.';
  const places = total.places === 0 ? '' : `${total.places} places in `;
  const shown = sessions.length < total.sessions ? ` (${sessions.length} shown)` : '';
  const why = {
    places: 'These are the newest; there are older ones.',
    time: 'The time was up; older ones were not read.',
  };
  const more = cut === null ? '' : ` ${why[cut]}`;
  return `${places}${total.sessions} sessions${shown}.${more}${next_cursor === null ? '' : ` More: --cursor ${next_cursor}`}`;
}

const CSV_COLUMNS = ['session_id', 'started_at', 'workspace', 'title', 'cost_usd', 'kind', 'ordinal', 'text'];

function toCsv({ sessions }: SearchAnswer): string {
  const rows = sessions.flatMap((session) => {
    const { session_id, started_at, workspace_name, title, cost_estimate_usd } = session;
    const facts = [session_id, started_at, workspace_name, title, cost_estimate_usd];
    const hits = session.hits.length === 0 ? [null] : session.hits;
    return hits.map((hit) => [...facts, hit?.kind ?? null, hit?.ordinal ?? null, hit?.snippet ?? null]);
  });
  return [CSV_COLUMNS, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/** A cell that a spreadsheet would take for a formula is told to be text. */
function csvCell(value: string | number | null): string {
  if (value === null || typeof value === 'number') return value === null ? '' : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
