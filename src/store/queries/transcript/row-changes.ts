import { sql } from 'kysely';
import type { Tx } from '../../engine.ts';
import { cleanJson, readJson } from '../../text.ts';

/**
 * Rows of messages from `first` on were written to reach this version; any of them for `ANY_MESSAGE`. Then the positions
 * of turns and of calls with another row than before, or none; null if there are many.
 */
export type RowChange = readonly [
  version: number,
  first: number,
  turns?: readonly number[] | null,
  calls?: readonly number[] | null,
];

export interface ChangedRows {
  readonly firstMessage: number;
  readonly turns: readonly number[];
  readonly calls: readonly number[];
}

const ANY_MESSAGE = -1;
/** A reader that missed more changes than this reads all rows again. */
const MAX_CHANGES = 100;
/** More positions than this are not listed. */
const MAX_POSITIONS = 50;

/** Records that the next version of the rows differs from this one from the message at `first` on. */
export async function noteRowChange(tx: Tx, sessionId: string, changed: ChangedRows): Promise<void> {
  const { firstMessage, turns, calls } = changed;
  await addChange(tx, sessionId, (version) => [version + 1, firstMessage, fewOf(turns), fewOf(calls)]);
}

function fewOf(positions: readonly number[]): readonly number[] | null {
  return positions.length > MAX_POSITIONS ? null : positions;
}

/** Records that rows of a session were changed without a new version. */
export async function noteAnyChange(tx: Tx, sessionId: string): Promise<void> {
  await addChange(tx, sessionId, (version) => [version, ANY_MESSAGE]);
}

async function addChange(tx: Tx, sessionId: string, changeAt: (version: number) => RowChange): Promise<void> {
  const row = await tx
    .selectFrom('sessions')
    .select(['rows_version', 'row_changes'])
    .where('id', '=', sessionId)
    .executeTakeFirst();
  if (row === undefined) return;
  const changes = [...readJson<readonly RowChange[]>(row.row_changes), changeAt(row.rows_version)];
  await sql`UPDATE sessions SET row_changes = ${cleanJson(changes.slice(-MAX_CHANGES))}
    WHERE id = ${sessionId}`.execute(tx);
}

/** The rows of a session at one time. */
export interface RowVersion {
  readonly revision: number;
  readonly rowsVersion: number;
  readonly changes: readonly RowChange[];
}

/** The changes from one version to a later one; null if unknown. */
export function rowsChanged(before: RowVersion, now: RowVersion): Partial<ChangedRows> | null {
  if (before.revision !== now.revision) return null;
  const since = now.changes.filter(
    ([version, first]) => version > before.rowsVersion || (version === before.rowsVersion && first === ANY_MESSAGE),
  );
  const versions = new Set(since.map(([version]) => version));
  const isComplete = versions.size === now.rowsVersion - before.rowsVersion;
  if (!isComplete || since.some(([, first]) => first === ANY_MESSAGE)) return null;
  const turns = allOf(since.map(([, , positions]) => positions));
  const calls = allOf(since.map(([, , , positions]) => positions));
  return {
    firstMessage: Math.min(Number.MAX_SAFE_INTEGER, ...since.map(([, first]) => first)),
    ...(turns === null ? {} : { turns }),
    ...(calls === null ? {} : { calls }),
  };
}

function allOf(lists: readonly (readonly number[] | null | undefined)[]): readonly number[] | null {
  const known = lists.filter((list) => list !== null && list !== undefined);
  return known.length < lists.length ? null : [...new Set(known.flat())];
}
