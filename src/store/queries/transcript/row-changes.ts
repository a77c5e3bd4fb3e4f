import { sql } from 'kysely';
import type { Tx } from '../../engine.ts';
import { cleanJson, readJson } from '../../text.ts';

/** Rows of messages from `first` on were written to reach this version; any of them for `ANY_MESSAGE`. */
export type RowChange = readonly [version: number, first: number];

const ANY_MESSAGE = -1;
/** A reader that missed more changes than this reads all rows again. */
const MAX_CHANGES = 100;

/** Records that the next version of the rows differs from this one from the message at `first` on. */
export async function noteRowChange(tx: Tx, sessionId: string, first: number): Promise<void> {
  await addChange(tx, sessionId, (version) => [version + 1, first]);
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

/** The first message whose rows changed from one version to a later one; 0 if that is not known. */
export function firstChanged(before: RowVersion, now: RowVersion): number {
  if (before.revision !== now.revision) return 0;
  const since = now.changes.filter(
    ([version, first]) => version > before.rowsVersion || (version === before.rowsVersion && first === ANY_MESSAGE),
  );
  const versions = new Set(since.map(([version]) => version));
  const isComplete = versions.size === now.rowsVersion - before.rowsVersion;
  if (!isComplete || since.some(([, first]) => first === ANY_MESSAGE)) return 0;
  return Math.min(Number.MAX_SAFE_INTEGER, ...since.map(([, first]) => first));
}
