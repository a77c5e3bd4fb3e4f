import type { FoundSession } from '../../api/search.ts';
import type { SessionRow } from '../../api/sessions.ts';
import { FuelError } from '../../domain/errors.ts';
import { MAX_PAGE_ROWS } from '../../domain/requests.ts';
import { fitWidth, padWidth, visibleLine } from '../../lib/terminal-text.ts';
import { formatAgo, formatCost, plural } from '../../reading/format.ts';
import { shortId, titleOf } from '../../reading/names.ts';
import {
  type Command,
  type CommandContext,
  limitOption,
  NO_IMPORT_OPTION,
  type ParsedArguments,
  REMOTE_OPTIONS,
} from '../command.ts';
import { printNote } from '../output.ts';
import { readChoice, readNumber } from '../parse-arguments.ts';
import { FILTER_OPTIONS, needsIndex, readFilter } from '../session-filter.ts';
import { isRemote, openSource, pagesOf, remoteWords, type Source, whyNoSessions } from '../source.ts';
import { PICK_ACTIONS, type PickAction, type Picked, type PickRow } from './prompt.ts';

const DEFAULT_SESSIONS = 2_000;
const MAX_SESSIONS = 10_000;

export const command: Command = {
  name: 'pick',
  about: 'Find a session by typing parts of its title or prompts; then read it, open its page or resume it.',
  operands: '[text]',
  maxOperands: 32,
  options: {
    do: {
      type: 'string',
      value: 'ACTION',
      values: PICK_ACTIONS,
      about: 'What Enter does: read (default), open (the page), resume (in Claude Code) or id (print it).',
    },
    ...FILTER_OPTIONS,
    limit: limitOption('sessions to choose from', DEFAULT_SESSIONS, MAX_SESSIONS),
    'no-import': NO_IMPORT_OPTION,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code pick', 'Choose among all sessions.'],
    ['fuel-code pick retry engine --since 7d', 'Start with these words, last 7 days.'],
    ['fuel-code pick --do resume', 'Choose a session and continue it in Claude Code.'],
    ['fuel-code session "$(fuel-code pick --do id)" --export md', 'Use the id in another command.'],
  ],
  run: async (context, args) => {
    const actions = readActions(args);
    const picked = await pick(context, args, actions);
    await act(context, args, picked);
  },
};

/** The requested action first; sessions of another machine cannot be resumed. Errors: usage. */
function readActions(args: ParsedArguments): readonly PickAction[] {
  const possible = PICK_ACTIONS.filter((action) => action !== 'resume' || !isRemote(args));
  const first = readChoice(args, 'do', possible) ?? 'read';
  return [first, ...possible.filter((action) => action !== first)];
}

async function pick(context: CommandContext, args: ParsedArguments, actions: readonly PickAction[]): Promise<Picked> {
  const now = context.clock.now();
  const filter = readFilter(args, now);
  const limit = readNumber(args, 'limit', { min: 1, max: MAX_SESSIONS, otherwise: DEFAULT_SESSIONS });
  await using source = await openSource(context, args, needsIndex(filter, now) ? 'index' : 'rows');
  const sessions = await readSessions(source, filter, limit);
  if (sessions.length === 0) {
    const [why = '', ...hints] = await whyNoSessions(source, isRemote(args));
    throw new FuelError('not_found', why, { hint: hints.join('\n') });
  }
  const isListed = new Set(sessions.map(({ id }) => id));
  return await context.pick({
    rows: sessions.map((session) => rowOf(session, now)),
    typed: args.positionals.join(' '),
    searchMore: async (typed) => {
      const found = await searchPrompts(source, typed);
      return found.filter(({ session_id }) => isListed.has(session_id)).map((session) => foundRow(session, now));
    },
    actions,
  });
}

async function readSessions(
  source: Source,
  filter: ReturnType<typeof readFilter>,
  wanted: number,
): Promise<readonly SessionRow[]> {
  const pages = pagesOf(
    { rows: wanted, pageRows: MAX_PAGE_ROWS },
    (limit, cursor) => source.get('/sessions', { query: { ...filter, limit, cursor } }),
    ({ sessions }) => sessions.length,
  );
  return (await Array.fromAsync(pages)).flatMap(({ sessions }) => sessions);
}

const MAX_FOUND = 20;

async function searchPrompts(source: Source, typed: string): Promise<readonly FoundSession[]> {
  const words = typed.split(/\s+/).map((word) => word.replaceAll('"', ''));
  const quoted = words.filter((word) => word !== '').map((word) => `"${word}"`);
  if (quoted.length === 0) return [];
  return (await source.get('/search', { query: { q: `type:prompt ${quoted.join(' ')}`, limit: MAX_FOUND } })).sessions;
}

/** Enough of the first prompt to recognize it; a longer text would match anything. */
const PROMPT_CHARS = 300;

function rowOf(session: SessionRow, now: Date): PickRow {
  const { id, workspace_name, git_branch, tags, initial_prompt, started_at, cost_estimate_usd } = session;
  const title = titleOf(session);
  const prompt = (initial_prompt ?? '').slice(0, PROMPT_CHARS);
  const text = [title, workspace_name, git_branch ?? '', ...tags, prompt === title ? '' : prompt, shortId(id)];
  return {
    id,
    text: text.join(' '),
    about: session.summary ?? initial_prompt ?? title,
    line: lineOf({ title, workspace: workspace_name, age: formatAgo(started_at, now), cost: cost_estimate_usd }),
  };
}

function foundRow(session: FoundSession, now: Date): PickRow {
  const { session_id, title, workspace_name, started_at, cost_estimate_usd, hits } = session;
  return {
    id: session_id,
    text: '',
    about: hits[0]?.snippet ?? titleOf({ title }),
    line: lineOf({
      title: titleOf({ title }),
      workspace: workspace_name,
      age: formatAgo(started_at, now),
      cost: cost_estimate_usd,
    }),
  };
}

interface Cells {
  readonly title: string;
  readonly workspace: string;
  readonly age: string;
  readonly cost: number | null;
}

const AGE_COLUMNS = 10;
const COST_COLUMNS = 8;
const WORKSPACE_COLUMNS = 16;
const GAP = '  ';

/** Title first; age and cost from 60 columns, the workspace from 90. */
function lineOf({ title, workspace, age, cost }: Cells): (columns: number) => string {
  return (columns) => {
    const cells = [
      ...(columns >= 60 ? [fixed(age, AGE_COLUMNS)] : []),
      ...(columns >= 90 ? [fixed(workspace, WORKSPACE_COLUMNS)] : []),
    ];
    const end = columns >= 60 ? padWidth(formatCost(cost), COST_COLUMNS, 'right') : '';
    const taken = [...cells, end].reduce((sum, cell) => sum + (cell === '' ? 0 : cell.length + GAP.length), 0);
    const room = Math.max(1, columns - taken);
    return [...cells, fixed(title, room), end].filter((cell) => cell !== '').join(GAP);
  };
}

function fixed(text: string, columns: number): string {
  return padWidth(fitWidth(visibleLine(text), columns), columns);
}

async function act(context: CommandContext, args: ParsedArguments, { id, action }: Picked): Promise<void> {
  if (action === 'id') return context.terminal.out(`${id}\n`);
  if (action === 'resume') return resume(context, id);
  const where = remoteWords(args);
  await context.runCommand(action === 'read' ? ['session', id, '--transcript', ...where] : ['open', id, ...where]);
}

/** Restores what Claude Code has deleted, then continues the session in its folder. */
async function resume(context: CommandContext, id: string): Promise<void> {
  const { restoreOne } = await import('../../app/archive.ts');
  const { folder, env, files } = await (async () => {
    await using app = await context.openApp();
    return await restoreOne(app, id, { replaces: false, now: context.clock.now() });
  })();
  const restored = files.filter(({ outcome }) => outcome === 'written').length;
  if (restored > 0) printNote(context.terminal, `Restored ${plural(restored, 'file')} from the archive.`);
  await context.runProgram({ program: 'claude', args: ['--resume', id], folder, env });
}
