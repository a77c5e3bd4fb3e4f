import { IDLE, type ImportProgress, type StatusReport } from '../domain/query.ts';
import type { Clock } from '../domain/ports.ts';
import { searchSessions } from '../search/search-sessions.ts';
import type { Engine } from '../store/engine.ts';
import { countDue } from '../store/queries/claims.ts';
import { createSearchIndex } from '../store/queries/search.ts';
import { findSession, getSessionDetail, listSessions } from '../store/queries/session-rows.ts';
import { readTotals } from '../store/queries/totals.ts';
import { getTranscript } from '../store/queries/transcript-rows.ts';
import type { Reads } from './reads.ts';

/** What a status report says that is not in the store. */
export type Surroundings = Pick<
  StatusReport,
  'version' | 'mode' | 'is_demo' | 'claude_home' | 'claude_home_exists' | 'data_home'
>;

export interface StoreReadsOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly surroundings: () => Surroundings;
  /** The import under way in this process, if any. */
  readonly progress: () => ImportProgress | null;
}

/** The answers of the server, straight from the store. */
export function createStoreReads({ engine, clock, surroundings, progress }: StoreReadsOptions): Reads {
  const db = engine.kysely;
  return {
    listSessions: (query) => listSessions(db, query),
    getSession: (idOrPrefix) => getSessionDetail(db, idOrPrefix),
    getTranscript: async (idOrPrefix, query) => getTranscript(db, (await findSession(db, idOrPrefix)).id, query),
    search: (question) => searchSessions(createSearchIndex(engine), question, clock),
    status: () => status(engine, surroundings(), progress()),
  };
}

async function status(engine: Engine, around: Surroundings, running: ImportProgress | null): Promise<StatusReport> {
  const totals = await readTotals(engine.kysely);
  const toIndex = await countDue(engine, 'index');
  return {
    ...around,
    sessions: totals.sessions,
    messages: totals.messages,
    files: totals.files,
    archived_bytes: totals.archivedBytes,
    stored_bytes: totals.storedBytes,
    import: running ?? { ...IDLE, sessions_to_index: toIndex },
  };
}
