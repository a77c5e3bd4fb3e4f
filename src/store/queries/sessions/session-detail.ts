import type { SessionDetail } from '../../../api/sessions.ts';
import type { Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';
import { isPinned, listNotes } from '../people/annotations.ts';
import { findTeamPlace } from '../transcript/teams.ts';
import { findSession } from './session-rows.ts';

/** A session with its files, annotations and the anomalies of its lines. Errors: not_found, ambiguous. */
export async function getSessionDetail(db: Tx, idOrPrefix: string): Promise<SessionDetail> {
  const session = await findSession(db, idOrPrefix);
  const parse = await db
    .selectFrom('sessions')
    .select(['lines', 'anomalies'])
    .where('id', '=', session.id)
    .executeTakeFirstOrThrow();
  const files = await db
    .selectFrom('source_files as f')
    .innerJoin('generations as g', (join) =>
      join.onRef('g.source_file_id', '=', 'f.id').onRef('g.number', '=', 'f.generation'),
    )
    .select(['f.path', 'f.kind', 'f.agent_id', 'g.size_bytes', 'f.generation as generations', 'g.sha256'])
    .where('f.session_id', '=', session.id)
    .orderBy('f.path')
    .execute();
  const lines = readJson<Partial<SessionDetail['lines']>>(parse.lines);
  return {
    ...session,
    team: await findTeamPlace(db, session.id),
    is_pinned: await isPinned(db, session.id),
    notes: await listNotes(db, session.id),
    files,
    lines: { total: 0, records: 0, salvaged: 0, skipped: 0, ...lines },
    anomalies: readJson(parse.anomalies),
  };
}
