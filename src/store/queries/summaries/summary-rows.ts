import { type ExpressionBuilder, sql } from 'kysely';
import type { Lifecycle } from '../../../domain/session.ts';
import type { SummaryScope } from '../../../domain/summary.ts';
import type { Tx } from '../../engine.ts';
import type { Database } from '../../rows.ts';

/** The rows of one session that a summary reads, always of the current revision. */
export interface SummarySession {
  readonly id: string;
  readonly revision: number;
  readonly rowsVersion: number;
  readonly lifecycle: Lifecycle;
  readonly clientTitle: string | null;
  readonly task: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly durationMs: number | null;
  /** True when all archived bytes are in the rows. */
  readonly isParsedToTheEnd: boolean;
}

type RevisionTable = {
  [T in keyof Database]: Database[T] extends { session_id: unknown; revision: unknown } ? T : never;
}[keyof Database];

/** Rows of the session's current revision. */
export function ofRevision<T extends RevisionTable>(db: Tx, { id, revision }: SummarySession, table: T) {
  // Kysely cannot infer the columns of a parameterised table; RevisionTable guarantees them.
  const select = db
    .selectFrom(table as 'tool_calls')
    .where('session_id', '=', id)
    .where('revision', '=', revision);
  return select as unknown as ReturnType<typeof db.selectFrom<T>>;
}

/** Restricts rows to the scope: all threads of a session, or an agent's own. */
export function byThreads({ agentIds }: SummaryScope) {
  return (eb: ExpressionBuilder<Database, 'tool_calls' | 'api_errors' | 'compactions' | 'questions'>) =>
    agentIds === null ? sql<boolean>`1 = 1` : eb('agent_id', 'in', [...agentIds]);
}

/** Restricts messages to the scope: the main conversation of a session, or an agent's own. */
export function inThreads({ agentIds }: SummaryScope) {
  return (eb: ExpressionBuilder<Database, 'transcript_messages' | 'todos'>) =>
    agentIds === null ? eb('agent_id', 'is', null) : eb('agent_id', 'in', [...agentIds]);
}

/** Excludes the beginning that a fork or a resume copied from another session. */
export const IS_OWN = sql<boolean>`NOT is_inherited`;

type OfMessage =
  | 'api_errors.message_id'
  | 'questions.message_id'
  | 'plans.message_id'
  | 'compactions.summary_message_id';

/** The same for rows that only refer to their message. */
export function isOfOwnMessage({ id, revision }: SummarySession, column: OfMessage) {
  return sql<boolean>`NOT EXISTS (SELECT 1 FROM transcript_messages m WHERE m.session_id = ${id}
    AND m.revision = ${revision} AND m.id = ${sql.ref(column)} AND m.is_inherited)`;
}
