import { sql } from 'kysely';
import type { GitSession, ShellCall } from '../../../domain/git.ts';
import { SHELL_TOOLS } from '../../../domain/shell-command.ts';
import type { JsonObject, JsonValue } from '../../../domain/transcript.ts';
import type { Worktree } from '../../../domain/transcript-lists.ts';
import type { GitOperation, ToolStatus } from '../../../domain/transcript-structure.ts';
import type { Tx } from '../../engine.ts';
import { fewLengths, inParts, ofCurrentRevision } from '../../sql.ts';
import { readJson } from '../../text.ts';
import type { RowState } from '../transcript/save-revision.ts';

type StoredOperation = Omit<GitOperation, 'toolUseId'> & {
  readonly tool_use_id?: string;
  /** Its name in rows of version 0.1. */
  readonly toolUseId?: string;
};

interface Metadata {
  readonly cwds?: readonly string[];
  readonly worktrees?: readonly Worktree[];
  readonly git_operations?: readonly StoredOperation[];
  readonly first_line_at?: string | null;
  readonly last_line_at?: string | null;
}

/** A session whose commands are known, but not their outputs and times. */
export interface ListedGitSession extends Omit<GitSession, 'shell' | 'callTimes'> {
  readonly deviceId: string;
  readonly revision: number;
  readonly commands: readonly Omit<ShellCall, 'output'>[];
}

/** Loads what decides about the git activity of sessions, without unknown ones. */
export async function loadGitSessions(db: Tx, sessionIds: readonly string[]): Promise<readonly ListedGitSession[]> {
  if (sessionIds.length === 0) return [];
  const ids = fewLengths(sessionIds);
  const sessions = await db
    .selectFrom('sessions')
    .select(['id', 'device_id', 'revision', 'lifecycle', 'ended_at', 'metadata'])
    .where('id', 'in', ids)
    .execute();
  const trees = Map.groupBy(await loadAgentTrees(db, ids), ({ session_id }) => session_id);
  const commands = Map.groupBy(await loadCommands(db, ids), ({ sessionId }) => sessionId);
  return sessions.map(({ id, device_id, revision, lifecycle, ended_at, metadata: json }) => {
    const metadata = readJson<Metadata>(json);
    const worktrees = (metadata.worktrees ?? []).map(({ path }) => path);
    const ofAgents = (trees.get(id) ?? []).map(({ worktree_path }) => worktree_path);
    const named = [...(metadata.cwds ?? []), ...worktrees, ...ofAgents];
    return {
      sessionId: id,
      deviceId: device_id,
      revision,
      isLive: lifecycle === 'capturing',
      startedAt: metadata.first_line_at ?? null,
      // The end event may be later than the last line.
      endedAt: ended_at ?? metadata.last_line_at ?? null,
      folders: [...new Set(named.filter((path) => path !== null))],
      gitOperations: readGitOperations(metadata),
      commands: (commands.get(id) ?? []).map(({ sessionId: _, ...command }) => command),
    };
  });
}

function loadAgentTrees(db: Tx, ids: readonly string[]) {
  return db
    .selectFrom('subagents as a')
    .innerJoin('sessions as s', ofCurrentRevision('a'))
    .select(['a.session_id', 'a.worktree_path'])
    .where('a.session_id', 'in', [...ids])
    .where('a.worktree_path', 'is not', null)
    .orderBy('a.session_id')
    .orderBy('a.position')
    .execute();
}

/** Commands that may have used git or created a pull request. */
const MAY_USE_GIT = sql<boolean>`(CAST(b.tool_input AS TEXT) LIKE '%git%'
  OR CAST(b.tool_input AS TEXT) LIKE '%gh%pr%create%')`;

async function loadCommands(db: Tx, ids: readonly string[]) {
  const rows = await db
    .selectFrom('content_blocks as b')
    .innerJoin('sessions as s', ofCurrentRevision('b'))
    .leftJoin('tool_calls as c', (join) =>
      join
        .onRef('c.session_id', '=', 'b.session_id')
        .onRef('c.revision', '=', 'b.revision')
        .onRef('c.id', '=', 'b.tool_use_id'),
    )
    .select(['b.session_id', 'b.tool_use_id', 'b.tool_input', 'c.status', 'c.exit_code'])
    .where('b.session_id', 'in', [...ids])
    .where('b.block_type', '=', 'tool_use')
    .where('b.tool_name', 'in', SHELL_TOOLS)
    .where(MAY_USE_GIT)
    .where('b.tool_use_id', 'is not', null)
    .orderBy('b.session_id')
    .orderBy('b.message_id')
    .orderBy('b.block_order')
    .execute();
  return rows.map(({ session_id, tool_use_id, tool_input, status, exit_code }) => ({
    sessionId: session_id,
    toolUseId: tool_use_id ?? '',
    command: commandOf(tool_input),
    status: (status ?? 'pending') as ToolStatus,
    exitCode: exit_code,
  }));
}

function commandOf(input: string | null): string {
  const value = input === null ? null : readJson<JsonValue>(input);
  const { command } = typeof value === 'object' && value !== null ? (value as JsonObject) : {};
  return typeof command === 'string' ? command : '';
}

/** Adds outputs and times; one session at a time, because outputs are long. */
export async function withShellCalls(db: Tx, { commands, ...session }: ListedGitSession): Promise<GitSession> {
  const { sessionId, revision } = session;
  if (commands.length === 0 && session.gitOperations.length === 0) return { ...session, shell: [], callTimes: [] };
  const times = await db
    .selectFrom('tool_calls')
    .select(['id', 'started_at as startedAt', 'ended_at as endedAt'])
    .where('is_inherited', '=', sql.lit(false))
    .where('session_id', '=', sessionId)
    .where('revision', '=', revision)
    .execute();
  const outputs = new Map<string, string>();
  for (const some of inParts(commands)) {
    const ids = some.map(({ toolUseId }) => toolUseId);
    const results = await db
      .selectFrom('content_blocks')
      .select(['tool_result_id', OUTPUT_ENDS.as('output')])
      .where('session_id', '=', sessionId)
      .where('revision', '=', revision)
      .where('block_type', '=', 'tool_result')
      .where('tool_result_id', 'in', fewLengths(ids))
      .execute();
    for (const { tool_result_id, output } of results) outputs.set(tool_result_id ?? '', output ?? '');
  }
  const shell = commands.map((command) => ({ ...command, output: outputs.get(command.toolUseId) ?? '' }));
  return { ...session, shell, callTimes: times };
}

/** The git operations that the client noted, out of the metadata of a session. */
export function readGitOperations({ git_operations }: Pick<Metadata, 'git_operations'>): readonly GitOperation[] {
  return (git_operations ?? []).map(({ tool_use_id, toolUseId = '', ...operation }) => {
    return { ...operation, toolUseId: tool_use_id ?? toolUseId };
  });
}

/** Records that the repositories of sessions were read for these rows. */
export async function markCorrelated(tx: Tx, states: ReadonlyMap<string, RowState>): Promise<void> {
  if (states.size === 0) return;
  const ids = fewLengths([...states.keys()]);
  const cases = ids.map((id) => sql`WHEN ${id} THEN CAST(${states.get(id)?.rowsVersion} AS BIGINT)`);
  await tx
    .updateTable('sessions')
    .set({ correlated_version: sql`CASE id ${sql.join(cases, sql` `)} END` })
    .where('id', 'in', ids)
    .execute();
}

const END_CHARS = sql.lit(32_000);

/** The output of a shell command; of a long one the beginning and the end. */
export const OUTPUT_ENDS = sql<string | null>`CASE WHEN length(result_text) <= 2 * ${END_CHARS} THEN result_text
  ELSE substr(result_text, 1, ${END_CHARS}) || ${sql.lit('\n')}
    || substr(result_text, length(result_text) - ${END_CHARS} + 1) END`;
