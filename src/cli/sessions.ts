import { LIFECYCLES, type Lifecycle } from '../domain/session.ts';
import { FuelError } from '../domain/errors.ts';
import { MAX_PAGE_ROWS, type SessionRow } from '../domain/query.ts';
import type { Reads } from '../server/reads.ts';
import { catchUp } from './catch-up.ts';
import { type Command, JSON_OPTION, type ParsedArguments } from './command.ts';
import { formatAgo, formatCost, formatCount, formatDuration } from './format.ts';
import { readNumber } from './parse-arguments.ts';
import { type Column, renderTable } from './table.ts';

const DEFAULT_ROWS = 30;
const MAX_ROWS = 10_000;
const ID_CHARS = 8;

export const command: Command = {
  name: 'sessions',
  about: 'List sessions, newest first.',
  options: {
    limit: { type: 'string', short: 'n', value: 'N', about: `How many (default ${DEFAULT_ROWS}).` },
    all: { type: 'boolean', about: 'All of them.' },
    lifecycle: {
      type: 'string',
      value: 'STATES',
      about: `Only these states, comma-separated: ${LIFECYCLES.join(', ')}.`,
    },
    'no-import': { type: 'boolean', about: 'Show what is stored, without looking for new transcripts first.' },
    json: JSON_OPTION,
  },
  examples: [
    ['fuel-code sessions', 'The newest sessions.'],
    ['fuel-code sessions --all --json | jq length', 'How many there are.'],
    ['fuel-code sessions --lifecycle capturing', 'What is running right now.'],
  ],
  run: async (context, args) => {
    await using app = await context.openApp();
    if (!args.flags.has('no-import')) await catchUp(context, app, { rowsOnly: true });
    const { terminal } = context;
    const rows = await fetchSessions(app.reads, args);
    if (args.flags.has('json')) terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
    else if (rows.length === 0) terminal.out(await emptyState(app.reads));
    else terminal.out(renderTable(terminal, columns(context.clock.now()), rows));
  },
};

async function fetchSessions(reads: Reads, args: ParsedArguments): Promise<SessionRow[]> {
  const wanted = args.flags.has('all')
    ? Number.POSITIVE_INFINITY
    : readNumber(args, 'limit', { min: 1, max: MAX_ROWS, otherwise: DEFAULT_ROWS });
  const lifecycle = readLifecycles(args.values.get('lifecycle'));
  const rows: SessionRow[] = [];
  let cursor: string | undefined;
  do {
    const limit = Math.min(wanted - rows.length, MAX_PAGE_ROWS);
    const page = await reads.listSessions({ limit, lifecycle, ...(cursor === undefined ? {} : { cursor }) });
    rows.push(...page.sessions);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && rows.length < wanted);
  return rows;
}

function readLifecycles(text: string | undefined): Lifecycle[] {
  if (text === undefined) return [];
  return text.split(',').map((word) => {
    const lifecycle = LIFECYCLES.find((known) => known === word.trim());
    if (lifecycle !== undefined) return lifecycle;
    throw new FuelError('usage', `${JSON.stringify(word)} is no state of a session.`, {
      hint: `The states are ${LIFECYCLES.join(', ')}.`,
    });
  });
}

function columns(now: Date): readonly Column<SessionRow>[] {
  return [
    { title: 'ID', text: ({ id }) => id.slice(0, ID_CHARS) },
    { title: 'STARTED', text: ({ started_at }) => formatAgo(started_at, now) },
    { title: 'WORKSPACE', fromColumns: 72, text: ({ workspace_name }) => workspace_name.slice(0, 24) },
    { title: 'BRANCH', fromColumns: 130, text: ({ git_branch }) => (git_branch ?? '').slice(0, 20) },
    { title: 'TITLE', grows: true, text: titleOf },
    { title: 'TIME', align: 'right', fromColumns: 60, text: ({ duration_ms }) => formatDuration(duration_ms) },
    { title: 'MSGS', align: 'right', fromColumns: 100, text: ({ total_messages }) => formatCount(total_messages) },
    { title: 'TOOLS', align: 'right', fromColumns: 110, text: ({ tool_use_count }) => formatCount(tool_use_count) },
    { title: 'TOKENS', align: 'right', fromColumns: 120, text: (row) => formatCount(allTokens(row)) },
    { title: 'COST', align: 'right', text: (row) => formatCost(row.cost_estimate_usd, row.unknown_models) },
  ];
}

function titleOf({ title, initial_prompt, lifecycle }: SessionRow): string {
  const text = title ?? initial_prompt ?? '(no prompt)';
  return lifecycle === 'capturing' ? `● ${text}` : text;
}

function allTokens(row: SessionRow): number | null {
  if (row.tokens_in === null) return null;
  return row.tokens_in + (row.tokens_out ?? 0) + (row.cache_read_tokens ?? 0) + (row.cache_write_tokens ?? 0);
}

async function emptyState(reads: Reads): Promise<string> {
  const { claude_home, claude_home_exists } = await reads.status();
  const why = claude_home_exists
    ? `There are no transcripts under ${claude_home} yet.`
    : `There is no Claude home at ${claude_home}.`;
  return `${why}
Run Claude Code once, or set CLAUDE_CONFIG_DIR to the home you mean.
To see fuel-code at work on made-up sessions: fuel-code demo
`;
}
