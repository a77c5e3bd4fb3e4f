import type { App } from '../../src/app/open-app.ts';
import type { ImportDeps } from '../../src/app/import.ts';

/** Points of an import at which a test can stop or kill its process. */
export const CRASH_POINTS = [
  'after a blob was stored',
  'after the journal was written',
  'inside a capture, before it is committed',
  'after a session was claimed',
  'while a session is parsed',
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
  return {
    ...line,
    rowsOnly: false,
    concurrency: 2,
    onProgress: () => {},
    engine: watchedEngine(line.engine, reach),
    blobs: {
      ...line.blobs,
      put: (...put) => line.blobs.put(...put).then(told(reach, 'after a blob was stored')),
    },
    journal: {
      ...line.journal,
      append: (...records) => line.journal.append(...records).then(told(reach, 'after the journal was written')),
    },
    price: (...asked) => {
      reach('while a session is parsed');
      return line.price(...asked);
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

type Tx = Parameters<ImportDeps['engine']['insertMany']>[0];

/** Transactions have no names, so they are recognised by what they write and lock. */
function watchedEngine(engine: ImportDeps['engine'], reach: Reach): ImportDeps['engine'] {
  const written = new WeakMap<Tx, Set<string>>();
  let isSwapped = false;
  return {
    ...engine,
    insertMany: (tx, table, ...rest) => {
      written.get(tx)?.add(table);
      return engine.insertMany(tx, table, ...rest);
    },
    oneAtATime: (tx, what) => {
      written.get(tx)?.add(what);
      return engine.oneAtATime(tx, what);
    },
    transaction: async (work) => {
      let wrote = new Set<string>();
      const result = await engine.transaction(async (tx) => {
        wrote = new Set();
        written.set(tx, wrote);
        const inside = await work(tx);
        if (wrote.has('counting')) reach('inside the swap, before it is committed');
        if (wrote.has('source_files')) reach('inside a capture, before it is committed');
        if (wrote.has('session_steps') && isSwapped) reach('before a claim is released');
        return inside;
      });
      if (wrote.has('session_steps')) isSwapped = false;
      if (wrote.has('transcript_messages')) reach('after rows were persisted');
      if (wrote.has('counting')) {
        isSwapped = true;
        reach('after the swap');
      }
      if (wrote.has('search_ids')) reach('after texts were indexed');
      return result;
    },
  };
}
