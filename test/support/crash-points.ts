import type { App } from '../../src/app/open-app.ts';
import type { ImportDeps } from '../../src/app/import.ts';

/** Points of an import at which a test can stop or kill its process. */
export const CRASH_POINTS = [
  'after a blob was stored',
  'after the journal was written',
  'inside a capture, before it is committed',
  'after a session was claimed',
  'after a revision was begun',
  'after blocks were flushed',
  'after rows were persisted',
  'inside the swap, before it is committed',
  'after the swap',
  'after git was queried',
  'after texts were indexed',
  'before a claim is released',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

type Reach = (point: CrashPoint) => void;

/** The dependencies of an import, instrumented to report every point. The program itself contains no such code. */
export async function watchedDeps(app: App, reach: Reach): Promise<ImportDeps> {
  const line = (await app.openPipeline()) as ImportDeps;
  const progress = { isSwapped: false };
  return {
    ...line,
    rowsOnly: false,
    concurrency: 2,
    onProgress: () => {},
    engine: watchedEngine(line.engine, reach, progress),
    blobs: {
      ...line.blobs,
      put: (...put) => line.blobs.put(...put).then(told(reach, 'after a blob was stored')),
      get: (sha256) => line.blobs.get(sha256).then(told(reach, 'after a revision was begun')),
    },
    journal: {
      ...line.journal,
      append: (record) => line.journal.append(record).then(told(reach, 'after the journal was written')),
    },
    liveSigns: () => {
      reach('after a session was claimed');
      return line.liveSigns();
    },
    collectGit: (...asked) => line.collectGit(...asked).then(told(reach, 'after git was queried')),
  };
}

function told(reach: Reach, point: CrashPoint) {
  return <T>(value: T): T => {
    reach(point);
    return value;
  };
}

/** Transactions have no names, so they are recognised by their writes. */
function watchedEngine(
  engine: ImportDeps['engine'],
  reach: Reach,
  progress: { isSwapped: boolean },
): ImportDeps['engine'] {
  const written = new Set<string>();
  const wrote = (what: string) => written.delete(what);
  return {
    ...engine,
    insertMany: (tx, table, columns, rows) => {
      written.add(table);
      return engine.insertMany(tx, table, columns, rows);
    },
    oneAtATime: (tx, what) => {
      written.add(what);
      return engine.oneAtATime(tx, what);
    },
    transaction: async (work) => {
      const result = await engine.transaction(async (tx) => {
        const inside = await work(tx);
        if (written.has('counting')) reach('inside the swap, before it is committed');
        else if (progress.isSwapped) reach('before a claim is released');
        else if (written.size === 0) reach('inside a capture, before it is committed');
        return inside;
      });
      if (written.size === 0) progress.isSwapped = false;
      if (wrote('content_blocks')) reach('after blocks were flushed');
      if (wrote('transcript_messages')) reach('after rows were persisted');
      const isSwap = wrote('counting');
      if (isSwap) {
        progress.isSwapped = true;
        reach('after the swap');
      }
      if (wrote('search_ids')) reach('after texts were indexed');
      written.clear();
      return result;
    },
  };
}
