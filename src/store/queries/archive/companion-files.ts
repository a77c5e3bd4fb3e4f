import { sql } from 'kysely';
import type { Tx } from '../../engine.ts';
import { fewLengths, ofCurrentRevision, startsWith } from '../../sql.ts';
import { cleanText } from '../../text.ts';
import { isFileOfPlan, readPlanSlugs } from '../transcript/documents.ts';
import { type SourceFile, selectSourceFiles } from './archive.ts';

/**
 * Loads the files that a session shares with others: its plans, the files and tasks of its teams, and the memory of its
 * projects. They name no session; the session's rows name them. They are in the Claude homes of its own files.
 */
export async function loadCompanionFiles(
  db: Tx,
  own: readonly SourceFile[],
  sessionId: string,
): Promise<readonly SourceFile[]> {
  const projects = new Set(own.flatMap(({ path }) => /^projects\/[^/]+\//.exec(path) ?? []));
  const teams = await db
    .selectFrom('teams as t')
    .innerJoin('sessions as s', ofCurrentRevision('t'))
    .select('t.team_name')
    .where('s.id', '=', sessionId)
    .execute();
  const slugs = (await readPlanSlugs(db, [sessionId])).get(sessionId) ?? [];
  const path = sql.ref('f.path');
  const isCompanion = [
    ...[...projects].map((project) => startsWith(path, `${project}memory/`)),
    ...teams.flatMap(({ team_name }) => ['teams', 'tasks'].map((kind) => startsWith(path, `${kind}/${team_name}/`))),
    ...slugs.map((slug) => isFileOfPlan(path, slug)),
  ];
  if (own.length === 0 || isCompanion.length === 0) return [];
  const ids = own.map(({ id }) => id);
  return selectSourceFiles(db)
    .where('f.kind', 'in', ['plan', 'team', 'tasks', 'memory'])
    .where('f.id', 'not in', ids)
    .where(sql<boolean>`(f.device_id, f.root) IN (
      SELECT device_id, root FROM source_files WHERE id IN (${sql.join(fewLengths(ids))}))`)
    .where(sql<boolean>`(${sql.join(isCompanion, sql` OR `)})`)
    .orderBy('f.path')
    .execute() as Promise<SourceFile[]>;
}

/** Loads files at or below a path of a Claude home; of several with one path, the most recently archived. */
export async function loadFilesAt(db: Tx, path: string): Promise<readonly SourceFile[]> {
  const rows = await selectSourceFiles(db)
    .where(({ or, eb }) =>
      or([eb('f.path', '=', cleanText(path)), startsWith(sql.ref('f.path'), cleanText(`${path}/`))]),
    )
    .orderBy('f.path')
    .orderBy('g.updated_at')
    .execute();
  return [...new Map((rows as SourceFile[]).map((file) => [file.path, file])).values()];
}
