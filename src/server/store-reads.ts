import { FuelError } from '../domain/errors.ts';
import { IDLE, type ImportProgress, type StatusReport } from '../domain/query.ts';
import { queryWords, snippetOf } from '../search/snippet.ts';
import type { Engine } from '../store/engine.ts';
import { countDue } from '../store/queries/claims.ts';
import { findBlocks } from '../store/queries/search-index.ts';
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
  readonly surroundings: () => Surroundings;
  /** The import under way in this process, if any. */
  readonly progress: () => ImportProgress | null;
}

/** The answers of the server, straight from the store. */
export function createStoreReads({ engine, surroundings, progress }: StoreReadsOptions): Reads {
  const db = engine.kysely;
  return {
    listSessions: (query) => listSessions(db, query),
    getSession: (idOrPrefix) => engine.snapshot((tx) => getSessionDetail(tx, idOrPrefix)),
    getTranscript: (idOrPrefix, query) =>
      engine.snapshot(async (tx) => getTranscript(tx, (await findSession(tx, idOrPrefix)).id, query)),
    search: (text, limit) => search(engine, text, limit),
    status: () => status(engine, surroundings(), progress()),
  };
}

async function search(engine: Engine, text: string, limit: number): ReturnType<Reads['search']> {
  const words = queryWords(text);
  if (words.length === 0) {
    throw new FuelError('usage', 'The search has no word in it.', {
      hint: 'Give a word of a prompt, an answer or a file.',
    });
  }
  const found = await findBlocks(engine, words, limit);
  return found.map(({ text: body, ...hit }) => ({ ...hit, snippet: snippetOf(body, words) }));
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
