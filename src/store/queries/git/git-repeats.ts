import { sql } from 'kysely';
import { findMaker, type LinkedBy, type ReportedCommit } from '../../../domain/git-correlation.ts';
import type { Tx } from '../../engine.ts';
import { forgetNarratives } from '../summaries/summaries.ts';

const SHAS_PER_QUERY = 500;

interface CommitRow extends ReportedCommit {
  readonly repository: string;
  readonly sessionId: string | null;
  readonly duplicateOf: string | null;
}

/** Recomputes which row of these commits counts: one per repository, however many devices report it. */
export async function markRepeatedCommits(tx: Tx, shas: readonly string[]): Promise<void> {
  const rows: CommitRow[] = [];
  for (let at = 0; at < shas.length; at += SHAS_PER_QUERY) {
    rows.push(...(await loadCommits(tx, shas.slice(at, at + SHAS_PER_QUERY))));
  }
  const changed: CommitRow[] = [];
  for (const [first, ...others] of Map.groupBy(rows, ({ repository }) => repository).values()) {
    if (first === undefined) continue;
    const maker = findMaker([first, ...others]);
    for (const row of [first, ...others]) {
      const duplicateOf = row.id === maker.id ? null : maker.id;
      if (duplicateOf === row.duplicateOf) continue;
      await tx.updateTable('git_activity').set({ duplicate_of: duplicateOf }).where('id', '=', row.id).execute();
      changed.push(row);
    }
  }
  await forgetNarratives(tx, [...new Set(changed.flatMap(({ sessionId }) => sessionId ?? []))]);
}

async function loadCommits(tx: Tx, shas: readonly string[]): Promise<readonly CommitRow[]> {
  const rows = await tx
    .selectFrom('git_activity')
    .select(['id', 'workspace_id', 'commit_sha', 'session_id', 'linked_by', 'duplicate_of'])
    .select(sql<string | null>`data ->> 'source'`.as('source'))
    .where('commit_sha', 'in', [...shas])
    .where('type', '=', 'commit')
    .where('id', 'not like', 'call_%')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    repository: `${row.workspace_id} ${row.commit_sha}`,
    linkedBy: row.linked_by as LinkedBy | null,
    isLogged: row.source !== 'history',
    sessionId: row.session_id,
    duplicateOf: row.duplicate_of,
  }));
}
