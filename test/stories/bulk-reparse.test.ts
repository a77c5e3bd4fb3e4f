import process from 'node:process';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { createTally } from '../../src/app/import-tally.ts';
import { startImportThreads, type ThreadsDeps } from '../../src/app/import-threads.ts';
import { reparse } from '../../src/app/maintain.ts';
import type { App } from '../../src/app/open-app.ts';
import { rebuild } from '../../src/app/rebuild.ts';
import { type ImportThreads, openBulk } from '../../src/pipeline/bulk.ts';
import { runPipeline } from '../../src/pipeline/run.ts';
import type { PipelineDeps } from '../../src/pipeline/steps.ts';
import { markAllUnparsed } from '../../src/store/queries/sessions/session-state.ts';
import { STRUCTURE_TABLES } from '../../src/store/queries/transcript/structure-rows.ts';
import { create, dumpAll, dying, id, settle, writeAgents, writeFamily, writeOddities } from '../support/bulk-home.ts';
import { type ClaudeHome, createClaudeHome } from '../support/claude-home.ts';
import { dumpRows } from '../support/dump-rows.ts';
import { exchange } from '../support/lineage-home.ts';
import { fixedClock, NOW, PROGRAMS, silentLog } from '../support/programs.ts';
import { createPair, fetchFrom, shipTo } from '../support/ship-pair.ts';

/** Sessions that a thread parses from the archive: when all are reparsed, after a rebuild, and when shipped. */

const RUN = { signal: new AbortController().signal, onProgress: () => {} };

/** Three batches. */
const MANY = 33;

function writeMany(home: ClaudeHome): void {
  for (let n = 0; n < MANY; n++) home.write(`-w/${id(100 + n)}.jsonl`, exchange(id(100 + n), `of-${n}`, n));
}

function writeAll(home: ClaudeHome): void {
  writeAgents(home);
  writeFamily(home);
  writeOddities(home);
  writeMany(home);
  settle(home);
}

/** The number of threads started meanwhile. */
async function countThreads(work: () => Promise<unknown>): Promise<number> {
  const onWorker = vi.fn<(worker: Worker) => void>();
  process.on('worker', onWorker);
  await work();
  process.off('worker', onWorker);
  return onWorker.mock.calls.length;
}

/** One that reads and parses, one for the full text. */
const THREADS = 2;

/** Runs the pipeline on all due sessions, with these threads. */
async function parseWith(
  app: App,
  watch: (threads: ImportThreads) => ImportThreads,
  signal = new AbortController().signal,
) {
  const tally = createTally(() => {});
  const line = (await app.openPipeline({ signal })) as PipelineDeps & ThreadsDeps;
  const startThreads = async () => watch(startImportThreads({ ...line, concurrency: 2 }, 1));
  const deps = { ...line, rowsOnly: false, startThreads };
  await using bulk = openBulk(deps, tally);
  await runPipeline({ ...deps, bulk }, tally);
  return tally.counts();
}

/** Threads that wait for something before they parse. */
function waiting(threads: ImportThreads, before: (sessionIds: readonly string[]) => Promise<void>): ImportThreads {
  return {
    ...threads,
    open: () => {
      const thread = threads.open();
      if (thread === null) return null;
      const build: typeof thread.build = (inputs) =>
        before(inputs.map(({ revision }) => revision.sessionId)).then(() => thread.build(inputs) ?? []);
      return { ...thread, build };
    },
  };
}

const statesIn = ({ store }: App) =>
  store.engine.kysely.selectFrom('sessions').select(['attempts', 'deaths', 'parse_status', 'claim_holder']);

const WHOLE = { attempts: 0, deaths: 0, parse_status: 'completed', claim_holder: null };

describe.each(PROGRAMS)(
  'sessions that a thread parses from the archive, on $name',
  ({ name, create: createServer }) => {
    it('have the rows of the import when all are reparsed, and when everything is rebuilt', async () => {
      using home = createClaudeHome();
      writeAll(home);
      await using program = await create(name, home);
      let rows: string;
      {
        await using app = await program.open();
        await app.importNew({ threads: 0 });
        rows = await dumpAll(app);
        const again = (threads: number) => reparse(app, 'all', NOW.toISOString(), { ...RUN, threads });
        expect(await countThreads(() => again(0))).toBe(0);
        expect(await dumpAll(app)).toBe(rows);
        expect(await countThreads(() => again(1))).toBe(THREADS);
        expect(await dumpAll(app)).toBe(rows);
      }
      const { config } = program;
      await rebuild({ config, clock: fixedClock, log: silentLog }, { threads: 1 });
      await using app = await program.open();
      expect(await dumpAll(app)).toBe(rows);
    });

    it('have the rows of the device that shipped them', async () => {
      await using pair = await createPair(createServer);
      const { claude, device, server } = pair;
      writeAgents(claude);
      writeFamily(claude);
      writeOddities(claude);
      settle(claude);
      await device.app.importNew();
      await shipTo(device, { fetch: fetchFrom(server) });
      expect(await countThreads(() => server.importNew({ threads: 1 }))).toBe(THREADS);
      const tables = ['transcript_messages', 'content_blocks', ...STRUCTURE_TABLES.map(([table]) => table)];
      expect(await dumpRows(server.store.engine, tables)).toEqual(await dumpRows(device.app.store.engine, tables));
    });

    it('are not parsed by threads unless there is much to parse', async () => {
      using home = createClaudeHome();
      writeMany(home);
      settle(home);
      await using program = await create(name, home);
      await using app = await program.open();
      await app.importNew();
      const again = () => reparse(app, 'all', NOW.toISOString(), RUN);
      expect(await countThreads(again)).toBe(0);
      const rows = await dumpAll(app);
      const sizes = app.store.engine.kysely.updateTable('generations');
      const [large] = await app.store.engine.kysely.selectFrom('generations').selectAll().limit(1).execute();
      const sizeOf = (size_bytes: number) =>
        sizes.set({ size_bytes }).where('source_file_id', '=', large?.source_file_id ?? '');
      await sizeOf(65 * 1024 * 1024).execute();
      expect(await countThreads(again)).toBe(THREADS);
      await sizeOf(large?.size_bytes ?? 0).execute();
      expect(await dumpAll(app)).toBe(rows);
    });

    it('F9: are parsed by the main thread when the thread crashes', async () => {
      using home = createClaudeHome();
      writeAll(home);
      await using program = await create(name, home);
      await using app = await program.open();
      await app.importNew();
      const rows = await dumpAll(app);
      const states = await statesIn(app).execute();
      await markAllUnparsed(app.store.engine.kysely);
      const onBuild = vi.fn<() => void>();
      expect((await parseWith(app, (threads) => dying(threads, 'while it parses', onBuild))).failed).toEqual([]);
      // Both batches were requested before the first answer.
      expect(onBuild.mock.calls.length).toBeGreaterThan(0);
      expect(await statesIn(app).execute()).toEqual(states.map(() => WHOLE));
      expect(await dumpAll(app)).toBe(rows);
    });

    it('fail alone when their bytes are missing, with the same message', async () => {
      using home = createClaudeHome();
      writeMany(home);
      settle(home);
      await using program = await create(name, home);
      await using app = await program.open();
      await app.importNew();
      const { kysely } = app.store.engine;
      const lost = await kysely
        .selectFrom('segments')
        .innerJoin('source_files', 'source_files.id', 'segments.source_file_id')
        .select(['session_id', 'blob_sha256'])
        .where('session_id', '=', id(110))
        .executeTakeFirstOrThrow();
      await app.blobs.delete(lost.blob_sha256);
      const again = (threads: number) => reparse(app, 'all', NOW.toISOString(), { ...RUN, threads });
      const without = await again(0);
      expect(without).toMatchObject({ sessions_parsed: MANY - 1, failed: [{ path: id(110) }] });
      expect(await again(1)).toEqual(without);
    });

    it('F9: are parsed alone if they have crashed a process', async () => {
      using home = createClaudeHome();
      writeMany(home);
      settle(home);
      await using program = await create(name, home);
      await using app = await program.open();
      await app.importNew();
      const { kysely } = app.store.engine;
      await markAllUnparsed(kysely);
      const tried = { attempts: 1, tried_parser_version: 1_000_000 };
      await kysely
        .updateTable('sessions')
        .set(tried)
        .where('id', 'in', [id(100), id(132)])
        .execute();
      const held = kysely.selectFrom('sessions').select('id').where('claim_holder', 'is not', null).orderBy('id');
      const claimed: string[][] = [];
      const watch = (threads: ImportThreads) =>
        waiting(threads, async () => void claimed.push((await held.execute()).map((row) => row.id)));
      expect(await parseWith(app, watch)).toMatchObject({ sessions_parsed: MANY, failed: [] });
      expect(claimed.slice(-2)).toEqual([[id(132)], [id(100)]]);
    });

    it('F16: are released when the process is asked to stop, and parsed by the next run', async () => {
      using home = createClaudeHome();
      writeMany(home);
      settle(home);
      await using program = await create(name, home);
      await using app = await program.open();
      await app.importNew();
      const rows = await dumpAll(app);
      await markAllUnparsed(app.store.engine.kysely);
      const stop = new AbortController();
      const watch = (threads: ImportThreads) => waiting(threads, async () => stop.abort());
      const { sessions_parsed, failed } = await parseWith(app, watch, stop.signal);
      expect(failed).toEqual([]);
      // The third batch was never started.
      expect(sessions_parsed).toBeLessThanOrEqual(32);
      const tried = statesIn(app).where((eb) => eb.or([eb('attempts', '>', 0), eb('claim_holder', 'is not', null)]));
      expect(await tried.execute()).toEqual([]);
      await app.importNew();
      expect(await dumpAll(app)).toBe(rows);
    });
  },
);
