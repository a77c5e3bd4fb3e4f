import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { writeOwnCorpus } from '../../bench/corpus.ts';
import { type ImportDeps, runImport } from '../../src/app/import.ts';
import type { App } from '../../src/app/open-app.ts';
import { findChanges } from '../../src/archive/find-changes.ts';
import { classifyPath } from '../../src/capture/file-kinds.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { at, clearLines, copied, exchange, opened } from '../support/lineage-home.ts';
import { type Program, PROGRAMS } from '../support/programs.ts';

/**
 * New sessions are imported together, others one by one: both must give the same rows. The same home is imported at
 * once and, in another store, session by session.
 */

const DEVICE = '{"id":"01TESTDEVICE000000000000000","name":"test"}';
/** What an import derives or records beside the tables that `dumpStore` compares by itself. */
const ALSO = ['session_lineage', 'session_workspaces', 'adopted_usage', 'workspaces', 'session_summaries'];
const LONG_AGO = new Date('2026-11-02T00:00:00.000Z');

const id = (n: number) => `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`;

/** A session with more sub-agents than digits sort, each with its meta file, and an output saved beside it. */
function writeAgents(home: ClaudeHome): void {
  const talk = createTalk(id(1), { startedAt: at(0) });
  const saved = '<persisted-output>\nOutput too large (1KB). Full output saved to: /x/tool-results/toolu_1.txt\n';
  home.write(`-w/${id(1)}.jsonl`, [
    talk.user('Ask everybody.'),
    talk.assistant('msg_main', toolUse('toolu_1', 'Bash', { command: 'cat all' }), { input: 5, output: 6 }),
    talk.result('toolu_1', saved),
  ]);
  for (let n = 0; n < 12; n++) {
    const name = `-w/${id(1)}/subagents/agent-a${n}`;
    const own = createTalk(id(1), { prefix: `a${n}-`, startedAt: at(n) });
    const lines = [own.user(`Task ${n}`), own.assistant(`msg_a${n}`, text('Done.'), { input: n, output: 1 })];
    home.write(
      `${name}.jsonl`,
      lines.map((line) => ({ ...line, isSidechain: true, agentId: `a${n}` })),
    );
    home.write(`${name}.meta.json`, [{ agentType: `kind-${n}` }]);
  }
  home.write(`-w/${id(1)}/tool-results/toolu_1.txt`, [{ all: 'of it' }]);
}

/** A session, its fork, a copy of both in one, and a session that /clear started. */
function writeFamily(home: ClaudeHome): void {
  const first = [...opened(id(2), 0), ...exchange(id(2), 'one', 1), ...exchange(id(2), 'two', 10)];
  home.write(`-w/${id(2)}.jsonl`, first);
  home.write(`-w/${id(3)}.jsonl`, [...copied(first, id(3)), ...exchange(id(3), 'three', 30)]);
  home.write(`-w/${id(4)}.jsonl`, [...copied(first.slice(0, 5), id(4)), ...exchange(id(4), 'four', 40)]);
  home.write(`-w/${id(5)}.jsonl`, [...clearLines(id(5), 60), ...exchange(id(5), 'five', 61)]);
}

/** Titles for other sessions, a session that the index lists, an empty file, and lines that are not JSON. */
function writeOddities(home: ClaudeHome): void {
  const [leaf] = exchange(id(2), 'two', 10).slice(-1);
  home.write(`-w/${id(6)}.jsonl`, [{ type: 'summary', summary: 'What came out of it', leafUuid: leaf?.uuid }]);
  home.write(`-v/${id(7)}.jsonl`, exchange(id(7), 'seven', 70));
  const entry = { sessionId: id(7), summary: 'Listed', projectPath: '/listed', created: at(70), modified: at(80) };
  home.write('-v/sessions-index.json', [{ version: 1, originalPath: '/v', entries: [entry] }]);
  home.write(`-v/${id(8)}.jsonl`, []);
  writeFileSync(join(home.path, 'projects/-v', `${id(9)}.jsonl`), '{"type":"user","message":\nnot json\n');
}

function settle(home: ClaudeHome): void {
  for (const file of filesOf(home)) utimesSync(join(home.path, file), LONG_AGO, LONG_AGO);
}

function filesOf({ path }: ClaudeHome): readonly string[] {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));
}

async function create(name: string, home: ClaudeHome): Promise<Program> {
  const program = await (PROGRAMS.find((each) => each.name === name) as (typeof PROGRAMS)[number]).create(home.path);
  writeFileSync(join(program.config.home, 'device.json'), DEVICE, { mode: 0o600 });
  return program;
}

async function importAndDump(app: App): Promise<string> {
  expect((await app.importNew()).failed).toEqual([]);
  const { engine } = app.store;
  const beside = (await dumpStore(engine, ALSO)).replaceAll(/"(?:decided_at|made_at|updated_at)":"[^"]*"/g, '""');
  return `${await dumpStore(engine)}\n${beside}`;
}

/** Files leave the home and come back session by session, with the same inodes and times. */
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
    // Files that belong to no session come first, as they do when everything is imported at once.
    for (const own of [...sessions].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each)) {
      for (const file of own) move(file, away, home.path);
      await app.importNew({ rowsOnly: true });
    }
    return await importAndDump(app);
  } finally {
    rmSync(away, { recursive: true, force: true });
  }
}

async function importAtOnce(name: string, home: ClaudeHome): Promise<string> {
  await using program = await create(name, home);
  await using app = await program.open();
  return await importAndDump(app);
}

describe.each(PROGRAMS)('sessions that are imported together, on $name', ({ name }) => {
  it('have the rows they have when each is imported alone: sub-agents, forks, clears, titles, odd files', async () => {
    using home = createClaudeHome();
    writeAgents(home);
    writeFamily(home);
    writeOddities(home);
    settle(home);
    expect(await importAtOnce(name, home)).toBe(await importOneByOne(name, home));
  });

  it('have the rows they have when each is imported alone: a generated home', async () => {
    using home = createClaudeHome();
    writeOwnCorpus(join(home.path, 'projects'), 2_000_000);
    settle(home);
    expect(await importAtOnce(name, home)).toBe(await importOneByOne(name, home));
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
  ])('fails alone when its rows in %s are refused, and is imported by the next run', async (table, failing) => {
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

const GENERATOR = fileURLToPath(new URL('../../../shared/tools/make-corpus.mjs', import.meta.url));

describe.runIf(existsSync(GENERATOR))('sessions of every era that are imported together', () => {
  it.each(['classic', 'modern', 'mixed'])('have the rows they have when each is imported alone: %s', async (era) => {
    using home = createClaudeHome();
    execFileSync(process.execPath, [GENERATOR, '--out', home.path, '--size', 'XS', '--era', era], { stdio: 'ignore' });
    renameSync(join(home.path, '.claude/projects'), join(home.path, 'projects'));
    settle(home);
    expect(await importAtOnce('SQLite and files', home)).toBe(await importOneByOne('SQLite and files', home));
  });
});
