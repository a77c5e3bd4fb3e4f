import { workerData } from 'node:worker_threads';
import type { Claim } from '../domain/pipeline.ts';
import { answerRequests } from '../lib/thread.ts';
import { indexSessions, type WrittenTexts, writeTexts } from '../pipeline/index-session.ts';
import { type NarratedSession, narrateSessions } from '../pipeline/summarize-session.ts';
import { locateStore, type StoreSettings } from '../store/location.ts';
import { openForTexts } from '../store/open-engine.ts';

/**
 * The thread that writes the full text during a large import, and narratives when it has nothing to write. If the index
 * is in a file of its own, as on SQLite, the thread only reads the database, and the import marks sessions. Otherwise
 * texts and marks are one transaction of the thread.
 */
export type TextThreadData = StoreSettings;

export interface TextThreadAnswers {
  readonly [name: string]: (question: never) => unknown;
  write(question: { readonly claims: readonly Claim[] }): Promise<readonly WrittenTexts[]>;
  narrate(question: { readonly sessionIds: readonly string[] }): Promise<readonly NarratedSession[]>;
  /** Checkpoints the index's log into its file, unless another connection is using it. */
  close(question: null): Promise<void>;
}

const opening = openForTexts(locateStore(workerData as TextThreadData));
// Reported when texts are to be written.
opening.catch(() => {});

async function write(claims: readonly Claim[]): Promise<readonly WrittenTexts[]> {
  const engine = await opening;
  if (engine.hasSearchFile) return writeTexts(engine, claims, () => {});
  await indexSessions(engine, claims, () => {});
  return [];
}

answerRequests({
  write: ({ claims }) => write(claims),
  narrate: async ({ sessionIds }) => narrateSessions((await opening).kysely, sessionIds),
  close: async () => (await opening).close(),
} satisfies TextThreadAnswers);
