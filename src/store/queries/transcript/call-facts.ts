import { sql } from 'kysely';
import type { FileTouchRow } from '../../../api/structure.ts';
import type { CallFacts } from '../../../api/transcript.ts';
import type { JsonObject } from '../../../domain/transcript.ts';
import { toSnakeCase } from '../../../lib/snake-case.ts';
import type { Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';

/** The calls of some blocks by id. */
export type Calls = ReadonlyMap<string, CallFacts>;

interface CallBlock {
  readonly tool_use_id: string | null;
  readonly tool_result_id: string | null;
}

export function callIdOf({ tool_use_id, tool_result_id }: CallBlock): string | null {
  return tool_use_id ?? tool_result_id;
}

interface Rows {
  readonly sessionId: string;
  readonly revision: number;
}

/** Reads what is known about the calls of these blocks. */
export async function readCalls(db: Tx, rows: Rows, blocks: readonly CallBlock[]): Promise<Calls> {
  const ids = [...new Set(blocks.map(callIdOf).filter((id) => id !== null))];
  if (ids.length === 0) return new Map();
  const calls = await db
    .selectFrom('tool_calls as c')
    .leftJoin('transcript_messages as m', (join) =>
      join
        .onRef('m.session_id', '=', 'c.session_id')
        .onRef('m.revision', '=', 'c.revision')
        .onRef('m.id', '=', 'c.result_message_id'),
    )
    .select(['c.id', 'c.status', 'c.denial', 'c.exit_code', 'c.duration_ms', 'c.waiting_ms', 'c.started_at'])
    .select(['c.ended_at', 'c.spawned_agent_id', 'c.files', 'c.details', 'm.ordinal as result_ordinal'])
    .where('c.session_id', '=', rows.sessionId)
    .where('c.revision', '=', rows.revision)
    .where('c.id', 'in', ids)
    .execute();
  const results = await readResults(db, rows, ids);
  return new Map(
    calls.map(({ id, files, details, ...facts }) => [
      id,
      {
        ...facts,
        files: toSnakeCase(readJson(files)) as readonly FileTouchRow[],
        details: readJson<JsonObject>(details),
        ...(results.get(id) ?? NOTHING_MORE),
      },
    ]),
  );
}

type ResultParts = Pick<CallFacts, 'patch' | 'stderr'>;

const NOTHING_MORE: ResultParts = { patch: null, stderr: null };

/** The parts of results that belong to the call: its patch and its error output. */
async function readResults(db: Tx, { sessionId, revision }: Rows, ids: readonly string[]) {
  const { rows } = await sql<{ readonly id: string; readonly metadata: string }>`
    SELECT c.id, b.metadata FROM tool_calls c
    JOIN content_blocks b ON b.session_id = c.session_id AND b.revision = c.revision
      AND b.message_id = c.result_message_id AND b.tool_result_id = c.id
    WHERE c.session_id = ${sessionId} AND c.revision = ${revision} AND c.id IN (${sql.join(ids)})`.execute(db);
  return new Map(rows.map(({ id, metadata }) => [id, readParts(metadata)]));
}

function readParts(json: string): ResultParts {
  const { patch = null, stderr = null } = readJson<{ readonly patch?: object; readonly stderr?: string }>(json);
  return { patch: toSnakeCase(patch) as ResultParts['patch'], stderr };
}
