import type { ImportDeps } from '../../src/app/import.ts';
import { startImportThreads, type ThreadsDeps } from '../../src/app/import-threads.ts';
import type { App } from '../../src/app/open-app.ts';
import { startTextWriter } from '../../src/app/text-writer.ts';
import { type Config, databasePath } from '../../src/config.ts';
import type { ImportThreads } from '../../src/pipeline/bulk.ts';
import type { TextWriter } from '../../src/pipeline/steps.ts';

/** Points of an import at which a test can stop or kill its process. */
export const CRASH_POINTS = [
  'after a blob was stored',
  'after a thread stored the blobs',
  'after the journal was written',
  'inside a capture, before it is committed',
  'after a session was claimed',
  'while a session is parsed',
  'while a thread parses',
  'after rows were persisted',
  'inside the swap, before it is committed',
  'after the swap',
  'after git was queried',
  'between the full text and the database',
  'before the text index is built',
  'after texts were indexed',
  'before the word index is built',
  'before a claim is released',
] as const;

/** Points of an import with a thread that reads and parses. */
export const READER_POINTS: readonly string[] = ['after a thread stored the blobs', 'while a thread parses'];

/** Points of an import whose texts are written by a thread. */
export const THREAD_POINTS = ['after a thread has written texts'] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number] | (typeof THREAD_POINTS)[number];

type OnPoint = (point: CrashPoint) => void;

/** The dependencies of an import, instrumented to report every point. The program itself contains no such code. */
export async function watchedDeps(
  app: App,
  onPoint: OnPoint,
  { point, hasThreads }: { readonly point: string; readonly hasThreads: boolean },
): Promise<ImportDeps> {
  const pipeline = (await app.openPipeline()) as ImportDeps & ThreadsDeps;
  const hasReader = hasThreads || READER_POINTS.includes(point);
  const hasWriter = hasThreads || THREAD_POINTS.some((one) => one === point);
  return {
    ...pipeline,
    startTextWriter: async () => (hasWriter ? watchedWriter(app.config, onPoint) : null),
    rowsOnly: false,
    concurrency: 2,
    onProgress: () => {},
    engine: watchedEngine(pipeline.engine, onPoint),
    blobs: {
      ...pipeline.blobs,
      put: (...put) => pipeline.blobs.put(...put).then(reporting(onPoint, 'after a blob was stored')),
    },
    journal: {
      ...pipeline.journal,
      append: (...records) =>
        pipeline.journal.append(...records).then(reporting(onPoint, 'after the journal was written')),
    },
    price: (...asked) => {
      onPoint('while a session is parsed');
      return pipeline.price(...asked);
    },
    liveSigns: () => {
      onPoint('after a session was claimed');
      return pipeline.liveSigns();
    },
    ...(hasReader ? { startThreads: async () => watchedThreads(pipeline, onPoint) } : {}),
    collectGit: (...asked) => pipeline.collectGit(...asked).then(reporting(onPoint, 'after git was queried')),
  };
}

function watchedWriter({ databaseUrl, home }: Config, onPoint: OnPoint): TextWriter & AsyncDisposable {
  const writer = startTextWriter({ databaseUrl, sqlitePath: databasePath(home) });
  return {
    write: (...work) => writer.write(...work).then(reporting(onPoint, 'after a thread has written texts')),
    // Writes nothing.
    narrate: (...work) => writer.narrate(...work),
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}

function watchedThreads(deps: ThreadsDeps, onPoint: OnPoint): ImportThreads {
  const threads = startImportThreads({ ...deps, concurrency: 2 }, 1);
  return {
    ...threads,
    open: () => {
      const thread = threads.open();
      if (thread === null) return null;
      return {
        ...thread,
        store: async (changes, done) => {
          await thread.store(changes, done);
          onPoint('after a thread stored the blobs');
        },
        build: (inputs) => {
          const built = thread.build(inputs);
          if (built !== null) onPoint('while a thread parses');
          return built;
        },
      };
    },
  };
}

function reporting(onPoint: OnPoint, point: CrashPoint) {
  return <T>(value: T): T => {
    onPoint(point);
    return value;
  };
}

type Tx = Parameters<ImportDeps['engine']['insertMany']>[0];

/** Transactions have no names, so they are recognized by what they write and lock. */
function watchedEngine(engine: ImportDeps['engine'], onPoint: OnPoint): ImportDeps['engine'] {
  const written = new WeakMap<Tx, Set<string>>();
  let isSwapped = false;
  return {
    ...engine,
    insertMany: (tx, table, ...rest) => {
      written.get(tx)?.add(table);
      return engine.insertMany(tx, table, ...rest);
    },
    writeSearch: async (tx, work) => {
      const done = await engine.writeSearch(tx, work);
      onPoint('between the full text and the database');
      return done;
    },
    relyOnSearch: (tx, state) => {
      written.get(tx)?.add('search');
      return engine.relyOnSearch(tx, state);
    },
    buildTextIndex: (signal) => {
      onPoint('before the text index is built');
      return engine.buildTextIndex(signal);
    },
    buildWordIndex: (signal) => {
      onPoint('before the word index is built');
      return engine.buildWordIndex(signal);
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
        if (wrote.has('counting')) onPoint('inside the swap, before it is committed');
        if (wrote.has('source_files')) onPoint('inside a capture, before it is committed');
        if (wrote.has('session_steps') && isSwapped) onPoint('before a claim is released');
        return inside;
      });
      if (wrote.has('session_steps')) isSwapped = false;
      if (wrote.has('transcript_messages')) onPoint('after rows were persisted');
      if (wrote.has('counting')) {
        isSwapped = true;
        onPoint('after the swap');
      }
      if (wrote.has('search')) onPoint('after texts were indexed');
      return result;
    },
  };
}
