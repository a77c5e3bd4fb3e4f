import { sql } from 'kysely';
import { fileName } from '../../../domain/file-path.ts';
import type { Tx } from '../../engine.ts';
import { startsWith } from '../../sql.ts';
import { cleanText } from '../../text.ts';
import { type SourceFile, selectSourceFiles } from './archive.ts';

/**
 * Loads the files that a session shares with others: its plans, the files and tasks of its teams, and the memory of its
 * projects. They name no session; the session's rows name them.
 */
export async function loadCompanionFiles(db: Tx, own: readonly SourceFile[], sessionId: string) {
  const roots = [...new Set(own.map(({ root }) => root))];
  const projects = new Set(own.flatMap(({ path }) => /^projects\/[^/]+\//.exec(path) ?? []));
  const plans = await db
    .selectFrom('plans as p')
    .innerJoin('sessions as s', (join) =>
      join.onRef('s.id', '=', 'p.session_id').onRef('s.revision', '=', 'p.revision'),
    )
    .select('p.file_path')
    .where('s.id', '=', sessionId)
    .execute();
  const teams = await db
    .selectFrom('teams as t')
    .innerJoin('sessions as s', (join) =>
      join.onRef('s.id', '=', 't.session_id').onRef('s.revision', '=', 't.revision'),
    )
    .select('t.team_name')
    .where('s.id', '=', sessionId)
    .execute();
  const folders = [
    ...[...projects].map((project) => `${project}memory/`),
    ...teams.flatMap(({ team_name }) => [`teams/${team_name}/`, `tasks/${team_name}/`]),
  ];
  const names = plans.flatMap(({ file_path }) => nameOfPlan(file_path));
  const isCompanion = ({ path }: SourceFile) =>
    folders.some((folder) => path.startsWith(folder)) || names.some((name) => isPlan(path, name));
  const candidates = await selectSourceFiles(db)
    .where('f.root', 'in', roots)
    .where('f.kind', 'in', ['plan', 'team', 'tasks', 'memory'])
    .orderBy('f.path')
    .execute();
  const known = new Set(own.map(({ id }) => id));
  return (candidates as SourceFile[]).filter((file) => !known.has(file.id) && isCompanion(file));
}

function nameOfPlan(path: string | null): readonly string[] {
  const name = path === null ? '' : fileName(path).replace(/\.md$/, '');
  return name === '' ? [] : [name];
}

/** Sub-agents have their own plans next to the main one: `<name>-agent-<id>.md`. */
function isPlan(path: string, name: string): boolean {
  return path === `plans/${name}.md` || (path.startsWith(`plans/${name}-agent-`) && path.endsWith('.md'));
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
