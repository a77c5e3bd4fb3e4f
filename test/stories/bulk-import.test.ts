import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { writeOwnCorpus } from '../../bench/corpus.ts';
import { type ImportDeps, runImport } from '../../src/app/import.ts';
import { startImportThreads } from '../../src/app/import-threads.ts';
import type { App, ImportOptions } from '../../src/app/open-app.ts';
import { findChanges } from '../../src/archive/find-changes.ts';
import { classifyPath } from '../../src/capture/classify-path.ts';
import {
  create,
  type Death,
  dumpAll,
  dying,
  filesOf,
  id,
  settle,
  writeAgents,
  writeFamily,
  writeOddities,
} from '../support/bulk-home.ts';
import { type ClaudeHome, createClaudeHome } from '../support/claude-home.ts';
import { exchange } from '../support/lineage-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { GENERATOR, HAS_GENERATOR } from '../support/shared-data.ts';

/**
 * New sessions are imported together, with or without threads, and others one by one: all ways must give the same rows. The
 * same home is imported in one run and, in other stores, with a thread and session by session.
 */

const REAL = process.env['TEST_CLAUDE_HOME'] ?? '';

async function importAndDump(app: App, options: ImportOptions = {}): Promise<string> {
  expect((await app.importNew(options)).failed).toEqual([]);
  return dumpAll(app);
}

/** Files are moved out of the home and back, session by session, with the same inodes and times. */
async function importOneByOne(name: string, home: ClaudeHome): Promise<string> {
  await using program = await create(name, home);
  await using app = await program.open();
  const away = `${home.path}-away`;
  const move = (file: string, from: string, to: string) => {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    renameSync(join(from, file), join(to, file));
  };
  try {
    const files = filesOf(home);
    for (const file of files) move(file, home.path, away);
    const sessions = Map.groupBy(files, (file) => classifyPath(file)?.sessionId ?? '');
    // Files that belong to no session come first, as in an import of everything.
    for (const own of [...sessions].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each)) {
      for (const file of own) move(file, away, home.path);
      await app.importNew({ rowsOnly: true });
    }
    return await importAndDump(app);
  } finally {
    rmSync(away, { recursive: true, force: true });
  }
}

async function importAtOnce(name: string, home: ClaudeHome, threads: number): Promise<string> {
  await using program = await create(name, home);
  await using app = await program.open();
  return await importAndDump(app, { threads });
}

/** One by one, together in this thread, and together with a thread that reads and parses. */
async function expectSameRows(name: string, home: ClaudeHome): Promise<void> {
  const rows = await importOneByOne(name, home);
  expect(await importAtOnce(name, home, 0)).toBe(rows);
  expect(await importAtOnce(name, home, 1)).toBe(rows);
}

describe.each(PROGRAMS)('sessions that are imported together, on $name', ({ name }) => {
  it('have the same rows as when each is imported alone: sub-agents, forks, clears, titles, odd files', async () => {
    using home = createClaudeHome();
    writeAgents(home);
    writeFamily(home);
    writeOddities(home);
    settle(home);
    await expectSameRows(name, home);
  });

  it('have the same rows as when each is imported alone: a generated home', async () => {
    using home = createClaudeHome();
    writeOwnCorpus(join(home.path, 'projects'), 2_000_000);
    settle(home);
    await expectSameRows(name, home);
  });

  it('have the same rows as when each is imported alone: a real home', async ({ skip }) => {
    skip(REAL === '', 'set TEST_CLAUDE_HOME to a Claude home with real sessions');
    using home = createClaudeHome();
    cpSync(join(REAL, 'projects'), join(home.path, 'projects'), { recursive: true });
    settle(home);
    await expectSameRows(name, home);
  });
});

/** Clients up to 2.1.29 wrote the title of a conversation into the file of another one. */
const OLD_CLIENT = { version: '2.0.14' };

describe.each(PROGRAMS)('titles of sessions that are imported together, on $name', ({ name }) => {
  it.each([0, 1])('come from other sessions of the same batch, with %i threads', async (threads) => {
    using home = createClaudeHome();
    for (const [named, titling] of [
      [id(1), id(2)],
      [id(4), id(3)],
    ] as const) {
      const talk = exchange(named, named, 10, OLD_CLIENT);
      home.write(`-w/${named}.jsonl`, talk);
      const leafUuid = talk.at(-1)?.uuid;
      home.write(`-w/${titling}.jsonl`, [{ type: 'summary', summary: `The end of ${named}`, leafUuid }]);
    }
    settle(home);
    await using program = await create(name, home);
    await using app = await program.open();
    expect((await app.importNew({ threads, rowsOnly: true })).failed).toEqual([]);
    const titles = app.store.engine.kysely
      .selectFrom('sessions')
      .select(['id', 'title'])
      .where('title', 'like', 'The%');
    expect(await titles.orderBy('id').execute()).toEqual([
      { id: id(1), title: `The end of ${id(1)}` },
      { id: id(4), title: `The end of ${id(4)}` },
    ]);
  });
});

/** An engine that refuses to insert rows with this text into a table. */
function refusing(engine: ImportDeps['engine'], refused: string, marker: string): ImportDeps['engine'] {
  return {
    ...engine,
    insertMany: async (tx, table, columns, rows, onConflict) => {
      if (table === refused && JSON.stringify(rows).includes(marker)) throw new Error(`refused in ${table}`);
      await engine.insertMany(tx, table, columns, rows, onConflict);
    },
  };
}

describe.each(PROGRAMS)('one bad session among those that are imported together, on $name', ({ name }) => {
  it.each([
    ['source_files', `projects/-w/${id(3)}.jsonl`],
    ['transcript_messages', id(3)],
    ['session_lineage', id(3)],
  ])('fails alone when its rows in %s are rejected, and is imported by the next run', async (table, failing) => {
    using home = createClaudeHome();
    for (const n of [2, 3, 4]) home.write(`-w/${id(n)}.jsonl`, exchange(id(n), `of-${n}`, n));
    await using program = await create(name, home);
    await using app = await program.open();
    const line = (await app.openPipeline()) as ImportDeps;
    const engine = refusing(line.engine, table, id(3));
    const deps = { ...line, engine, rowsOnly: true, concurrency: 2, onProgress: () => {} };
    const { failed } = await runImport(deps, await findChanges(deps));
    expect(failed).toEqual([{ path: failing, error: `refused in ${table}` }]);
    const parsed = app.store.engine.kysely.selectFrom('sessions').select('id').where('parse_status', '=', 'completed');
    expect((await parsed.orderBy('id').execute()).map((row) => row.id)).toEqual([id(2), id(4)]);
    await app.store.engine.kysely.updateTable('sessions').set({ next_try_at_ms: 0 }).execute();
    expect((await app.importNew()).failed).toEqual([]);
    expect(await parsed.execute()).toHaveLength(3);
  });
});

describe.each(PROGRAMS)('F9: a thread that crashes, on $name', ({ name }) => {
  it.each<Death>(['while it stores files', 'while it parses'])(
    '%s leaves its sessions to the main thread',
    async (when) => {
      using home = createClaudeHome();
      writeAgents(home);
      writeFamily(home);
      settle(home);
      await using program = await create(name, home);
      await using app = await program.open();
      const line = (await app.openPipeline()) as ImportDeps & Parameters<typeof startImportThreads>[0];
      const deps = { ...line, rowsOnly: false, concurrency: 2, onProgress: () => {} };
      const onBuild = vi.fn<() => void>();
      const startThreads = async () => dying(startImportThreads(deps, 1), when, onBuild);
      expect((await runImport({ ...deps, startThreads }, await findChanges(deps))).failed).toEqual([]);
      expect(onBuild).toHaveBeenCalledTimes(when === 'while it parses' ? 1 : 0);
      const counts = app.store.engine.kysely.selectFrom('sessions').select(['attempts', 'deaths', 'parse_status']);
      const whole = { attempts: 0, deaths: 0, parse_status: 'completed' };
      expect(await counts.execute()).toEqual([whole, whole, whole, whole, whole]);
      expect(await importAndDump(app)).toBe(await importAtOnce(name, home, 0));
    },
  );
});

describe.runIf(HAS_GENERATOR).each(PROGRAMS)(
  'sessions of every era that are imported together, on $name',
  ({ name }) => {
    it('have the same rows as when each is imported alone', async () => {
      using home = createClaudeHome();
      const options = ['--out', home.path, '--size', 'XS', '--era', 'mixed'];
      execFileSync(process.execPath, [GENERATOR, ...options], { stdio: 'ignore' });
      renameSync(join(home.path, '.claude/projects'), join(home.path, 'projects'));
      settle(home);
      await expectSameRows(name, home);
    });
  },
);
