import { type SelectType, sql } from 'kysely';
import type { PullRequest } from '../../../domain/pull-request.ts';
import type { Lifecycle } from '../../../domain/session.ts';
import type { SummaryScope } from '../../../domain/summary.ts';
import type { GitOperation } from '../../../domain/transcript-structure.ts';
import type { Tx } from '../../engine.ts';
import type { Database } from '../../rows.ts';
import { fewLengths } from '../../sql.ts';
import { readJson } from '../../text.ts';
import { readGitOperations } from '../git/git-input.ts';
import { loadPullRequests } from '../git/pull-requests.ts';

export interface SummarySession {
  readonly id: string;
  readonly revision: number;
  readonly rowsVersion: number;
  readonly lifecycle: Lifecycle;
  readonly clientTitle: string | null;
  readonly task: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  /** True when all archived bytes are in the rows. */
  readonly isParsedToTheEnd: boolean;
}

type Row<T extends keyof Database, C extends keyof Database[T]> = { readonly [N in C]: SelectType<Database[T][N]> };
type Rows<T extends keyof Database, C extends keyof Database[T]> = readonly Row<T, C>[];

/** The rows of one session that summaries are made from, in order, always of the current revision. */
export interface SummaryFacts {
  readonly session: SummarySession;
  /** What the client noted about git, by call. */
  readonly notedGit: ReadonlyMap<string, readonly GitOperation[]>;
  readonly pullRequests: readonly PullRequest[];
  readonly agents: Rows<'subagents', (typeof AGENT)[number]>;
  readonly mates: Rows<'teammates', (typeof MATE)[number]>;
  readonly messages: Rows<'transcript_messages', (typeof MESSAGE)[number]>;
  readonly calls: Rows<'tool_calls', (typeof CALL)[number]>;
  readonly files: Rows<'touched_files', (typeof FILE)[number]>;
  readonly apiErrors: Rows<'api_errors', (typeof API_ERROR)[number]>;
  readonly todos: Rows<'todos', (typeof TODO)[number]>;
  readonly plans: Rows<'plans', (typeof PLAN)[number]>;
  readonly questions: Rows<'questions', (typeof QUESTION)[number]>;
}

export type MessageFacts = SummaryFacts['messages'][number];
export type CallFacts = SummaryFacts['calls'][number];

const AGENT = [
  'agent_id',
  'agent_name',
  'agent_type',
  'description',
  'status',
  'parent_agent_id',
  'spawning_tool_use_id',
  'source',
] as const;
const MATE = ['id', 'team_name', 'entity_name', 'agent_ids'] as const;
const MESSAGE = ['id', 'ordinal', 'agent_id', 'origin', 'is_inherited', 'has_text', 'has_thinking'] as const;
const CALL = [
  'id',
  'name',
  'agent_id',
  'message_id',
  'result_message_id',
  'status',
  'exit_code',
  'started_at',
  'is_inherited',
  'files',
] as const;
const FILE = ['path', 'reads', 'writes', 'lines_added', 'lines_removed'] as const;
const API_ERROR = ['agent_id', 'message_id', 'status', 'kind'] as const;
const TODO = ['agent_id', 'text', 'status'] as const;
const PLAN = ['message_id', 'status', 'tool_use_id'] as const;
const QUESTION = ['agent_id', 'message_id', 'question', 'answer', 'status'] as const;

/**
 * Reads the facts of several sessions with one statement per table. Sessions that are unknown or not parsed are left
 * out. Texts are read when they are needed, because there may be many.
 */
export async function readSummaryFacts(
  db: Tx,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, SummaryFacts>> {
  const sessions = await readSessions(db, sessionIds);
  const ids = sessions.map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const pullRequests = await loadPullRequests(db, ids);
  const agents = await readRows(db, ids, 'subagents', AGENT);
  const mates = await readRows(db, ids, 'teammates', MATE);
  const messages = await readRows(db, ids, 'transcript_messages', MESSAGE, 'ordinal');
  const calls = await readRows(db, ids, 'tool_calls', CALL);
  const files = await readRows(db, ids, 'touched_files', FILE);
  const apiErrors = await readRows(db, ids, 'api_errors', API_ERROR);
  const todos = await readRows(db, ids, 'todos', TODO);
  const plans = await readRows(db, ids, 'plans', PLAN);
  const questions = await readRows(db, ids, 'questions', QUESTION);
  return new Map(
    sessions.map(({ metadata, ...session }): [string, SummaryFacts] => {
      const { id } = session;
      return [
        id,
        {
          session,
          notedGit: Map.groupBy(readGitOperations(readJson(metadata)), ({ toolUseId }) => toolUseId),
          pullRequests: pullRequests.get(id) ?? [],
          agents: agents(id),
          mates: mates(id),
          messages: messages(id),
          calls: calls(id),
          files: files(id),
          apiErrors: apiErrors(id),
          todos: todos(id),
          plans: plans(id),
          questions: questions(id),
        },
      ];
    }),
  );
}

async function readSessions(db: Tx, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'revision', 'rows_version', 'lifecycle', 'client_title', 'sibling_title', 'cwd', 'model'])
    .select(['initial_prompt', 'agent_name', 'metadata'])
    .select(['captured_version', 'parsed_version'])
    .where('id', 'in', fewLengths(ids))
    .where('revision', '>', 0)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    revision: row.revision,
    rowsVersion: row.rows_version,
    lifecycle: row.lifecycle as Lifecycle,
    clientTitle: row.client_title ?? row.sibling_title,
    task: row.agent_name === null ? null : row.initial_prompt,
    cwd: row.cwd,
    model: row.model,
    isParsedToTheEnd: row.captured_version === row.parsed_version,
    metadata: row.metadata,
  }));
}

interface Placed {
  readonly in_session: string;
  readonly at: number;
}

/** Rows of the current revisions, by session and in the order of a column. */
async function readRows<T extends keyof Database, C extends keyof Database[T] & string>(
  db: Tx,
  sessionIds: readonly string[],
  table: T,
  columns: readonly C[],
  order = 'position',
): Promise<(sessionId: string) => Rows<T, C>> {
  const selected = sql.join(columns.map((column) => sql.ref(`t.${column}`)));
  const { rows } = await sql<
    Row<T, C> & Placed
  >`SELECT t.session_id AS in_session, ${sql.ref(`t.${order}`)} AS at, ${selected}
    FROM sessions s JOIN ${sql.table(table)} t ON t.session_id = s.id AND t.revision = s.revision
    WHERE s.id IN (${sql.join(fewLengths(sessionIds))})`.execute(db);
  const bySession = Map.groupBy(rows, ({ in_session }) => in_session);
  return (id) => (bySession.get(id) ?? []).toSorted((a, b) => a.at - b.at);
}

type OfThread = { readonly agent_id: string | null };

/** Restricts rows to the scope: all threads of a session, or an agent's own. */
export function byThreads(scope: SummaryScope): (row: OfThread) => boolean {
  return scope.agentIds === null ? () => true : inThreads(scope);
}

/** Restricts messages to the scope: the main conversation of a session, or an agent's own. */
export function inThreads({ agentIds }: SummaryScope): (row: OfThread) => boolean {
  if (agentIds === null) return ({ agent_id }) => agent_id === null;
  const own = new Set(agentIds);
  return ({ agent_id }) => agent_id !== null && own.has(agent_id);
}

/** Leaves out rows of the beginning that a fork or a resume copied from another session. */
export function withoutInherited<R extends { readonly message_id: string | null }>(
  { messages }: SummaryFacts,
  rows: readonly R[],
): readonly R[] {
  if (rows.length === 0) return rows;
  const inherited = new Set(messages.flatMap(({ id, is_inherited }) => (is_inherited ? [id] : [])));
  return rows.filter(({ message_id }) => message_id === null || !inherited.has(message_id));
}
