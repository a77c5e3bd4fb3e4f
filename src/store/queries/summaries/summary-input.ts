import { sql } from 'kysely';
import type { Lifecycle } from '../../../domain/session.ts';
import type {
  FileTotals,
  FileWork,
  HelperWork,
  PlanCounts,
  SummaryInput,
  SummaryScope,
  ToolTally,
} from '../../../domain/summary.ts';
import type { FileTouch, ToolStatus } from '../../../domain/transcript-structure.ts';
import type { Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';
import { readConversation, readTalk } from './summary-conversation.ts';
import { loadPullRequests } from '../git/pull-requests.ts';
import { byThreads, inThreads, IS_OWN, isOfOwnMessage, ofRevision, type SummarySession } from './summary-rows.ts';
import { readDecisions } from './summary-work.ts';

export async function readSummarySession(db: Tx, sessionId: string): Promise<SummarySession | null> {
  const row = await db
    .selectFrom('sessions')
    .select(['id', 'revision', 'rows_version', 'lifecycle', 'client_title', 'sibling_title', 'cwd', 'model'])
    .select(['duration_ms', 'initial_prompt', 'agent_name'])
    .select(['captured_version', 'parsed_version'])
    .where('id', '=', sessionId)
    .where('revision', '>', 0)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    id: row.id,
    revision: row.revision,
    rowsVersion: row.rows_version,
    lifecycle: row.lifecycle as Lifecycle,
    clientTitle: row.client_title ?? row.sibling_title,
    task: row.agent_name === null ? null : row.initial_prompt,
    cwd: row.cwd,
    model: row.model,
    durationMs: row.duration_ms,
    isParsedToTheEnd: row.captured_version === row.parsed_version,
  };
}

export const SESSION_SCOPE: SummaryScope = { key: '', agentIds: null, name: null, description: null, status: null };

const MAX_SCOPES = 500;

/** The session, its sub-agents with texts of their own, and its teammates with all their threads. */
export async function readSummaryScopes(db: Tx, session: SummarySession): Promise<readonly SummaryScope[]> {
  const agents = await ofRevision(db, session, 'subagents')
    .select(['agent_id', 'agent_name', 'agent_type', 'description', 'status'])
    .where('source', '!=', 'none')
    .orderBy('position')
    .limit(MAX_SCOPES)
    .execute();
  const mates = await ofRevision(db, session, 'teammates')
    .select(['id', 'entity_name', 'agent_ids'])
    .orderBy('position')
    .limit(MAX_SCOPES)
    .execute();
  const scopes = [
    SESSION_SCOPE,
    ...agents.map(({ agent_id, agent_name, agent_type, description, status }) => {
      return { key: agent_id, agentIds: [agent_id], name: agent_name ?? agent_type, description, status };
    }),
    ...mates.map(({ id, entity_name, agent_ids }) => {
      const agentIds = readJson<readonly string[]>(agent_ids);
      return { key: id, agentIds, name: entity_name, description: null, status: null };
    }),
  ];
  const byKey = new Map(scopes.filter(({ agentIds }) => agentIds?.length !== 0).map((scope) => [scope.key, scope]));
  return [...byKey.values()];
}

/**
 * `shell` and `highlights` require reading every command and model text, so the caller reduces them while streaming.
 */
type SummaryRows = Omit<SummaryInput, 'shell' | 'highlights'>;

/** Reads the facts about one scope. Texts and lists are limited, so the size is bounded; counts are exact. */
export async function readSummaryRows(db: Tx, session: SummarySession, scope: SummaryScope): Promise<SummaryRows> {
  const isWhole = scope.agentIds === null;
  return {
    sessionId: session.id,
    revision: session.revision,
    scope,
    lifecycle: session.lifecycle,
    clientTitle: isWhole ? session.clientTitle : null,
    task: isWhole ? session.task : null,
    cwd: session.cwd,
    model: session.model,
    durationMs: isWhole ? session.durationMs : null,
    ...(await readTalkOrThatOfAgents(db, session, scope)),
    tools: await readTools(db, session, scope),
    ...(isWhole ? await readTouchedFiles(db, session) : await readFilesOfCalls(db, session, scope)),
    pullRequests: isWhole ? ((await loadPullRequests(db, session.id)).get(session.id) ?? []) : [],
    helpers: await readHelpers(db, session, scope),
    teams: isWhole ? await readTeams(db, session) : [],
    apiErrors: await readApiErrors(db, session, scope),
    compactions: await countCompactions(db, session, scope),
    todos: await readTodos(db, session, scope),
    plans: isWhole ? await readPlans(db, session) : { approved: 0, rejected: 0, isWaiting: false },
    decisions: await readDecisions(db, session, scope),
  };
}

/** Some files contain only sub-agent messages; those are the conversation then. */
async function readTalkOrThatOfAgents(db: Tx, session: SummarySession, scope: SummaryScope) {
  const own = await readWords(db, session, scope);
  if (own.opening.length > 0 || own.conversation.prompts > 0 || scope.agentIds !== null) return own;
  const scopes = await readSummaryScopes(db, session);
  const agentIds = [...new Set(scopes.flatMap((each) => each.agentIds ?? []))];
  if (agentIds.length === 0) return own;
  const { conversation, ...talk } = await readWords(db, session, { ...scope, agentIds });
  return { ...talk, conversation: { ...conversation, isOfAgents: true, messages: own.conversation.messages } };
}

async function readWords(db: Tx, session: SummarySession, scope: SummaryScope) {
  return { ...(await readTalk(db, session, scope)), conversation: await readConversation(db, session, scope) };
}

async function readTools(db: Tx, session: SummarySession, scope: SummaryScope): Promise<readonly ToolTally[]> {
  const rows = await ofRevision(db, session, 'tool_calls')
    .select(['name', 'status', ({ fn }) => fn.countAll<number>().as('count')])
    .where(byThreads(scope))
    .where(IS_OWN)
    .where('name', 'is not', null)
    .groupBy(['name', 'status'])
    .execute();
  return rows
    .map(({ name, status, count }) => ({ name: name ?? '', status: status as ToolStatus, count }))
    .toSorted((a, b) => b.count - a.count || compare(a.name, b.name) || compare(a.status, b.status));
}

/** The same order on every engine and in every locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type Files = Pick<SummaryInput, 'files' | 'fileTotals'>;
const MAX_FILES = 2_000;

async function readTouchedFiles(db: Tx, session: SummarySession): Promise<Files> {
  const rows = await ofRevision(db, session, 'touched_files')
    .select(['path', 'reads', 'writes', 'lines_added', 'lines_removed'])
    .orderBy(sql`lines_added + lines_removed`, 'desc')
    .orderBy('writes', 'desc')
    .orderBy('position')
    .limit(MAX_FILES)
    .execute();
  const sumOf = (what: string) => sql<number | string>`coalesce(sum(CASE WHEN ${sql.raw(what)} END), 0)`;
  const totals = await ofRevision(db, session, 'touched_files')
    .select([
      sumOf('writes > 0 THEN 1').as('written'),
      sumOf('reads > 0 THEN 1').as('read'),
      sumOf('writes > 0 THEN lines_added').as('linesAdded'),
      sumOf('writes > 0 THEN lines_removed').as('linesRemoved'),
    ])
    .executeTakeFirstOrThrow();
  return {
    files: rows.map(({ lines_added: linesAdded, lines_removed: linesRemoved, ...file }) => {
      return { ...file, linesAdded, linesRemoved };
    }),
    fileTotals: {
      written: Number(totals.written),
      read: Number(totals.read),
      linesAdded: Number(totals.linesAdded),
      linesRemoved: Number(totals.linesRemoved),
    },
  };
}

async function readFilesOfCalls(db: Tx, session: SummarySession, scope: SummaryScope): Promise<Files> {
  const rows = await ofRevision(db, session, 'tool_calls')
    .select('files')
    .where(byThreads(scope))
    .where(IS_OWN)
    .where('status', '=', 'ok')
    .where(sql<boolean>`CAST(files AS TEXT) <> '[]'`)
    .orderBy('position')
    .execute();
  const files = new Map<string, FileWork>();
  for (const touch of rows.flatMap((row) => readJson<readonly FileTouch[]>(row.files))) {
    const known = files.get(touch.path) ?? { path: touch.path, reads: 0, writes: 0, linesAdded: 0, linesRemoved: 0 };
    const isRead = touch.action === 'read';
    files.set(touch.path, {
      path: touch.path,
      reads: known.reads + (isRead ? 1 : 0),
      writes: known.writes + (isRead ? 0 : 1),
      linesAdded: known.linesAdded + touch.linesAdded,
      linesRemoved: known.linesRemoved + touch.linesRemoved,
    });
  }
  return { files: [...files.values()].slice(0, MAX_FILES), fileTotals: totalsOf([...files.values()]) };
}

function totalsOf(files: readonly FileWork[]): FileTotals {
  const written = files.filter(({ writes }) => writes > 0);
  return {
    written: written.length,
    read: files.filter(({ reads }) => reads > 0).length,
    linesAdded: written.reduce((sum, { linesAdded }) => sum + linesAdded, 0),
    linesRemoved: written.reduce((sum, { linesRemoved }) => sum + linesRemoved, 0),
  };
}

async function readHelpers(db: Tx, session: SummarySession, scope: SummaryScope): Promise<readonly HelperWork[]> {
  const { agentIds } = scope;
  const rows = await ofRevision(db, session, 'subagents')
    .select(['agent_id as key', 'agent_name as name', 'agent_type as type', 'description', 'status'])
    .where((eb) => (agentIds === null ? sql<boolean>`1 = 1` : eb('parent_agent_id', 'in', [...agentIds])))
    .orderBy('position')
    .execute();
  return rows;
}

async function readTeams(db: Tx, session: SummarySession): Promise<SummaryInput['teams']> {
  const rows = await ofRevision(db, session, 'teammates')
    .select(['team_name', 'entity_name'])
    .orderBy('position')
    .execute();
  const byTeam = Map.groupBy(rows, ({ team_name }) => team_name);
  return [...byTeam].map(([name, mates]) => ({ name, members: mates.map(({ entity_name }) => entity_name) }));
}

async function readApiErrors(db: Tx, session: SummarySession, scope: SummaryScope): Promise<SummaryInput['apiErrors']> {
  const rows = await ofRevision(db, session, 'api_errors')
    .select(['status', 'kind', ({ fn }) => fn.countAll<number>().as('count')])
    .where(byThreads(scope))
    .where(isOfOwnMessage(session, 'api_errors.message_id'))
    .groupBy(['status', 'kind'])
    .execute();
  return rows
    .map(({ status, kind, count }) => ({ what: [status, kind].filter((part) => part !== null).join(' '), count }))
    .toSorted((a, b) => b.count - a.count || compare(a.what, b.what));
}

async function countCompactions(db: Tx, session: SummarySession, scope: SummaryScope): Promise<number> {
  const row = await ofRevision(db, session, 'compactions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(byThreads(scope))
    .where('kind', '=', 'full')
    .where(isOfOwnMessage(session, 'compactions.summary_message_id'))
    .executeTakeFirstOrThrow();
  return row.count;
}

async function readTodos(db: Tx, session: SummarySession, scope: SummaryScope): Promise<SummaryInput['todos']> {
  if (await hasOnlyInheritedTodos(db, session, scope)) return [];
  return ofRevision(db, session, 'todos')
    .select(['text', 'status'])
    .where(inThreads(scope))
    .orderBy('position')
    .execute();
}

const TODO_TOOLS = ['TodoWrite', 'TaskCreate', 'TaskUpdate'];

/**
 * A list does not show who created its entries; one that only copied calls have touched belongs to the original
 * session.
 */
async function hasOnlyInheritedTodos(db: Tx, session: SummarySession, scope: SummaryScope): Promise<boolean> {
  const calls = await ofRevision(db, session, 'tool_calls')
    .select('is_inherited')
    .distinct()
    .where(byThreads(scope))
    .where('name', 'in', TODO_TOOLS)
    .execute();
  return calls.length > 0 && calls.every(({ is_inherited }) => Boolean(is_inherited));
}

async function readPlans(db: Tx, session: SummarySession): Promise<PlanCounts> {
  const plans = await ofRevision(db, session, 'plans')
    .select(['status', 'message_id'])
    .where(isOfOwnMessage(session, 'plans.message_id'))
    .orderBy('position')
    .execute();
  const counted = (status: string) => plans.filter((plan) => plan.status === status).length;
  const last = plans.at(-1);
  const isWaiting = last?.status === 'proposed' && last.message_id !== null;
  return {
    approved: counted('approved'),
    rejected: counted('rejected'),
    isWaiting: isWaiting && !(await hasTalkAfter(db, session, last.message_id ?? '')),
  };
}

async function hasTalkAfter(db: Tx, session: SummarySession, messageId: string): Promise<boolean> {
  const plan = ofRevision(db, session, 'transcript_messages').select('ordinal').where('id', '=', messageId);
  const row = await ofRevision(db, session, 'transcript_messages')
    .select('id')
    .where('agent_id', 'is', null)
    .where('origin', 'in', ['human', 'queued', 'command', 'model', 'interruption'])
    .where('ordinal', '>', plan)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
