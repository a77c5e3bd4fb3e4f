import { type RawBuilder, sql } from 'kysely';
import { FuelError } from '../../../domain/errors.ts';
import type { Claim } from '../../../domain/pipeline.ts';
import { endTimes, UNDATED } from '../../../domain/session.ts';
import type { Engine, SqlValue, TableName, Tx } from '../../engine.ts';
import { fewLengths, inParts } from '../../sql.ts';
import { cleanDuration, indexKey } from '../../text.ts';
import { ClaimLost, holdClaims } from '../claims/claims.ts';
import { removeBlocksFromIndex } from '../search/search-index.ts';
import { humanTitle } from '../summaries/summaries.ts';
import { type BlockKey, blockId, type RowMarks, type RowOwner, type TableRows } from './revision-rows.ts';
import { noteRowChange } from './row-changes.ts';
import type { SessionOutcome } from './session-outcome.ts';
import { positionColumn, STRUCTURE_TABLES } from './structure-rows.ts';

/** Rows are written as revision n+1 beside n and become visible when the pointer is swapped. */
export interface Revision extends RowOwner {
  /** The writer holds the session; writes of a former holder fail. */
  readonly claim: Claim;
  /** The archive version up to which bytes are included. */
  readonly capturedVersion: number;
}

/**
 * The revision after the current one. It covers the bytes that were captured when its files were listed; later bytes
 * are left for the next one.
 */
export function nextRevision(
  claim: Claim,
  { revision, capturedVersion }: { readonly revision: number; readonly capturedVersion: number },
  fileIds: readonly string[],
): Revision {
  return { sessionId: claim.sessionId, claim, number: revision + 1, capturedVersion, fileIds };
}

/** Starts revisions: deletes what a crash left of them. Errors: ClaimLost. */
export async function beginRevisions(engine: Engine, tx: Tx, revisions: readonly Revision[]): Promise<void> {
  await holdClaims(
    engine,
    tx,
    revisions.map(({ claim }) => claim),
  );
  await deleteRevisions(tx, idsOf(revisions), (revision, current) => sql`${revision} > ${current}`);
}

function idsOf(revisions: readonly Revision[]): readonly string[] {
  return revisions.map(({ sessionId }) => sessionId);
}

/** Identifies the current rows of a session. A growing session keeps its revision while its rows change. */
export interface RowState {
  readonly revision: number;
  readonly rowsVersion: number;
}

/** How far a session is captured and parsed. */
export interface ParseState extends RowState {
  readonly parsedVersion: number;
  readonly capturedVersion: number;
  readonly parserVersion: number;
  /** Attempts to parse it that failed or never finished. */
  readonly attempts: number;
  readonly deviceId: string;
}

export async function readParseState(db: Tx, sessionId: string): Promise<ParseState> {
  const state = (await readParseStates(db, [sessionId])).get(sessionId);
  if (state === undefined) throw new FuelError('not_found', `There is no session ${sessionId}.`);
  return state;
}

export async function readParseStates(db: Tx, sessionIds: readonly string[]): Promise<ReadonlyMap<string, ParseState>> {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'revision', 'parsed_version as parsedVersion', 'captured_version as capturedVersion'])
    .select(['parser_version as parserVersion', 'rows_version as rowsVersion', 'attempts', 'device_id as deviceId'])
    .where('id', 'in', fewLengths(sessionIds))
    .execute();
  return new Map(rows.map(({ id, ...state }) => [id, state]));
}

/** Every table whose rows belong to a revision. */
export const REVISION_TABLES: readonly TableName[] = [
  'content_blocks',
  'transcript_messages',
  ...STRUCTURE_TABLES.map(([table]) => table),
];

/**
 * Deletes rows by their revision and the current one. Checks all tables first: most sessions have nothing to delete in
 * any of them. Materialized also because PostgreSQL would otherwise start processes for this short statement.
 */
export async function deleteRevisions(
  tx: Tx,
  sessionIds: readonly string[],
  which: (revision: RawBuilder<unknown>, current: RawBuilder<unknown>) => RawBuilder<boolean>,
  tables = REVISION_TABLES,
): Promise<void> {
  if (sessionIds.length === 0) return;
  const checks = tables.map(
    (table) => sql`SELECT ${sql.lit(table)} AS name, w.id FROM wanted w WHERE EXISTS (
      SELECT 1 FROM ${sql.table(table)} t WHERE t.session_id = w.id AND ${which(sql`t.revision`, sql`w.revision`)})`,
  );
  const { rows } = await sql<{ name: TableName; id: string }>`
    WITH wanted AS MATERIALIZED (
      SELECT s.id, s.revision FROM sessions s WHERE s.id IN (${sql.join(fewLengths(sessionIds))}))
    ${sql.join(checks, sql` UNION ALL `)}`.execute(tx);
  for (const { name, id } of rows) {
    const current = sql`(SELECT s.revision FROM sessions s WHERE s.id = ${id})`;
    await sql`DELETE FROM ${sql.table(name)} WHERE session_id = ${id} AND ${which(sql`revision`, current)}`.execute(tx);
  }
}

/** The rows of one or several revisions, to be written together. */
interface RowsToSave {
  readonly revisions: readonly Revision[];
  /** Those of them that have no rows yet. */
  readonly unbegun: readonly Revision[];
  readonly tables: readonly TableRows[];
}

/** Writes rows beside the current ones. They become visible with the sessions' new revision numbers. */
export async function saveRows(engine: Engine, { revisions, unbegun, tables }: RowsToSave): Promise<void> {
  await engine.transaction(async (tx) => {
    await beginRevisions(engine, tx, unbegun);
    const begun = revisions.filter((revision) => !unbegun.includes(revision));
    await holdClaims(
      engine,
      tx,
      begun.map(({ claim }) => claim),
    );
    for (const { table, columns, rows } of together(tables)) await engine.insertMany(tx, table, columns, rows);
  });
}

/** One entry per table: the rows of several sessions are written by the same statement. */
function together(tables: readonly TableRows[]): readonly TableRows[] {
  const filled = tables.filter(({ rows }) => rows.length > 0);
  const groups = Map.groupBy(filled, ({ table, columns }) => `${table} ${columns.join()}`);
  return groups
    .values()
    .flatMap((group) => {
      const [first] = group;
      return first === undefined ? [] : [{ ...first, rows: group.flatMap(({ rows }) => rows) }];
    })
    .toArray();
}

interface RevisionSwap {
  readonly workspaceId: string | null;
  readonly isLive: boolean;
  readonly endReason: string | null;
  /** When a hook reported the end, if that is plausible. */
  readonly endedAtMs: number | null;
  /** The price book used, and the fingerprint of the rates taken from it. */
  readonly priceBook: string;
  readonly priceRates: string;
  /** The reported start, for a session without any timestamp in its lines. */
  readonly reportedStart: string | null;
  readonly now: string;
}

/** Makes the revision current, with state, facts and counts. Its previous rows stay until `deletePrevious`. */
export async function swapRevision(
  tx: Tx,
  revision: Revision,
  outcome: SessionOutcome,
  swap: RevisionSwap,
): Promise<void> {
  const { endedAt, afterLastLineMs } = endTimes(outcome.endedAt, swap.endedAtMs);
  // Bytes that arrived during the parse keep it open: it is parsed again for them.
  const isBehind = sql<boolean>`captured_version > ${revision.capturedVersion}`;
  const { numUpdatedRows } = await tx
    .updateTable('sessions')
    .set({
      lifecycle: sql`CASE WHEN ${isBehind} THEN lifecycle ELSE ${swap.isLive ? 'capturing' : 'parsed'} END`,
      parse_status: sql`CASE WHEN ${isBehind} THEN 'pending' ELSE 'completed' END`,
      parse_error: null,
      attempts: 0,
      next_try_at_ms: 0,
      archived_at: null,
      started_at: outcome.startedAt ?? swap.reportedStart ?? UNDATED,
      ended_at: swap.isLive ? null : endedAt,
      end_reason: swap.endReason,
      // The title derived from the narrative stays until it is rewritten.
      title: sql`CASE WHEN summary_kind IS NULL THEN coalesce(${humanTitle(revision.sessionId)}, ${outcome.clientTitle}, sibling_title, ${outcome.promptTitle}) ELSE title END`,
      client_title: outcome.clientTitle,
      initial_prompt: outcome.prompt,
      ...outcome.columns,
      duration_ms: cleanDuration(outcome.durationMs === null ? null : outcome.durationMs + afterLastLineMs),
      revision: revision.number,
      rows_version: sql`rows_version + 1`,
      parsed_version: revision.capturedVersion,
      parser_version: outcome.parserVersion,
      price_book: swap.priceBook,
      price_rates: swap.priceRates,
      updated_at: swap.now,
      ...(swap.workspaceId === null ? {} : { workspace_id: swap.workspaceId }),
    })
    .where('id', '=', revision.sessionId)
    .where('claim_token', '=', revision.claim.token)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new ClaimLost(revision.claim);
}

/** Deletes the previous rows of sessions and what was recorded about them. */
export async function deletePrevious(
  tx: Tx,
  sessionIds: readonly string[],
  parsedBefore: readonly string[],
): Promise<void> {
  // The failure of a later step on the previous rows does not apply to the new ones.
  await tx
    .deleteFrom('session_steps')
    .where('session_id', 'in', fewLengths(sessionIds))
    .where('outcome', '=', 'failed')
    .execute();
  if (parsedBefore.length === 0) return;
  await tx.deleteFrom('archived_usage').where('session_id', 'in', fewLengths(parsedBefore)).execute();
  await deleteRevisions(tx, parsedBefore, (revision, current) => sql`${revision} < ${current}`);
}

/**
 * A session that has grown: brings its rows to the state after a full parse and writes only those that differ. Runs in
 * one transaction, so readers see the state before or after.
 */

interface Extension {
  readonly tables: readonly TableRows[];
  readonly before: RowMarks;
  readonly after: RowMarks;
  /** New blocks. */
  readonly blocks: TableRows;
  /** Blocks that the last parse wrote from incomplete lines or files. */
  readonly unsureBlocks: readonly BlockKey[];
}

export async function extendRevision(engine: Engine, tx: Tx, revision: Revision, extension: Extension): Promise<void> {
  const { tables, before, after, blocks, unsureBlocks } = extension;
  await noteRowChange(tx, revision.sessionId, {
    firstMessage: firstWritten(extension),
    turns: changedPositions(extension, 'turns'),
    calls: changedPositions(extension, 'tool_calls'),
  });
  await deleteKeys(tx, revision, 'content_blocks', 'id', unsureBlocks.map(blockId));
  await removeBlocksFromIndex(engine, tx, revision.sessionId, unsureBlocks);
  await engine.insertMany(tx, blocks.table, blocks.columns, blocks.rows);
  for (const { table, columns, rows } of tables) {
    const was = before.get(table) ?? [];
    const is = after.get(table) ?? [];
    const changed = rows.filter((_, at) => is[at] !== was[at]);
    const gone = was.flatMap((mark, at) => (is[at] === mark ? [] : [at]));
    await deleteKeys(tx, revision, table, positionColumn(table), gone);
    if (changed.length > 0) await engine.insertMany(tx, table, columns, changed);
  }
}

function changedPositions({ before, after }: Extension, table: string): readonly number[] {
  const was = before.get(table) ?? [];
  const is = after.get(table) ?? [];
  const count = Math.max(was.length, is.length);
  return Array.from({ length: count }, (_, at) => at).filter((at) => was[at] !== is[at]);
}

/** The position of the first message with a row or block that is written again. */
function firstWritten({ tables, before, after, blocks, unsureBlocks }: Extension): number {
  const was = before.get(MESSAGES) ?? [];
  const is = after.get(MESSAGES) ?? [];
  const first = is.findIndex((mark, at) => mark !== was[at]);
  const touched = new Set([
    ...valuesOf(blocks, 'message_id'),
    ...unsureBlocks.map(({ messageId }) => indexKey(messageId)),
  ]);
  const messages = tables.find(({ table }) => table === MESSAGES);
  const ids = messages === undefined || touched.size === 0 ? [] : valuesOf(messages, 'id');
  const withBlocks = ids.findIndex((id) => touched.has(id));
  const found = [first, withBlocks].filter((at) => at >= 0);
  return Math.min(is.length, was.length, ...found);
}

function valuesOf({ columns, rows }: TableRows, column: string): readonly (SqlValue | undefined)[] {
  const at = columns.indexOf(column);
  return rows.map((row) => row[at]);
}

const MESSAGES = 'transcript_messages';

async function deleteKeys(
  tx: Tx,
  { sessionId, number }: Revision,
  table: string,
  column: string,
  keys: readonly SqlValue[],
): Promise<void> {
  for (const some of inParts(keys)) {
    await sql`DELETE FROM ${sql.table(table)} WHERE session_id = ${sessionId} AND revision = ${number}
      AND ${sql.ref(column)} IN (${sql.join(some)})`.execute(tx);
  }
}
