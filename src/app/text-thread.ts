import { workerData } from 'node:worker_threads';
import type { Claim } from '../domain/pipeline.ts';
import { answerRequests } from '../lib/thread.ts';
import { indexSessions, writeTexts, type WrittenTexts } from '../pipeline/index-session.ts';
import { type NarratedSession, narrateSessions } from '../pipeline/summarize-session.ts';
import type { Engine } from '../store/engine.ts';

/**
 * The thread that writes the full text during a large import, and narratives when it has nothing to write. On SQLite it
 * only reads the database, and the import marks sessions. PostgreSQL has the index in the database, so texts and marks are
 * one transaction of the thread.
 */
export interface TextThreadData {
  readonly databaseUrl: string | null;
  readonly sqlitePath: string;
}

export interface TextThreadAnswers {
  readonly [name: string]: (question: never) => unknown;
  write(question: { readonly claims: readonly Claim[] }): Promise<readonly WrittenTexts[]>;
  narrate(question: { readonly sessionIds: readonly string[] }): Promise<readonly NarratedSession[]>;
  /** Checkpoints the index's log into its file, unless another connection is using it. */
  close(question: null): Promise<void>;
}

/** It reads every row once. */
const CACHE_KIB = 4 * 1024;

async function open({ databaseUrl, sqlitePath }: TextThreadData): Promise<Engine> {
  if (databaseUrl === null) return (await import('../store/sqlite/open.ts')).openSqlite(sqlitePath, CACHE_KIB);
  // A query on a broken connection reports it.
  return (await import('../store/postgres/open.ts')).openPostgres(databaseUrl, { onIdleError: () => {} });
}

const opening = open(workerData as TextThreadData);
// Reported when texts are to be written.
opening.catch(() => {});

async function write(claims: readonly Claim[]): Promise<readonly WrittenTexts[]> {
  const engine = await opening;
  if (engine.name === 'sqlite') return writeTexts(engine, claims, () => {});
  await indexSessions(engine, claims, () => {});
  return [];
}

answerRequests({
  write: ({ claims }) => write(claims),
  narrate: async ({ sessionIds }) => narrateSessions((await opening).kysely, sessionIds),
  close: async () => (await opening).close(),
} satisfies TextThreadAnswers);
