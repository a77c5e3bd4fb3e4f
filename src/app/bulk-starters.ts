import type { BulkStarters } from '../pipeline/bulk.ts';
import type { ThreadsDeps } from './import-threads.ts';

/** Below this, starting a thread takes longer than it saves. */
const MIN_THREAD_BYTES = 64 * 1024 * 1024;

interface StartersDeps extends ThreadsDeps {
  readonly sqlitePath: string;
}

/** Starts the threads of a run, depending on the bytes to parse. `threads` overrides this rule. */
export function bulkStarters(deps: StartersDeps, threads?: number): BulkStarters {
  const count = (bytes: number) => threads ?? (bytes < MIN_THREAD_BYTES ? 0 : 1);
  return {
    startThreads: async (bytes) => {
      if (count(bytes) === 0) return null;
      return (await import('./import-threads.ts')).startImportThreads(deps, count(bytes));
    },
    startTextWriter: async (bytes) => {
      if (count(bytes) === 0) return null;
      const { databaseUrl } = deps.config;
      return (await import('./text-writer.ts')).startTextWriter({ databaseUrl, sqlitePath: deps.sqlitePath });
    },
  };
}
