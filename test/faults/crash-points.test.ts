import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rebuild } from '../../src/app/rebuild.ts';
import { markAllUnparsed } from '../../src/store/queries/sessions/session-state.ts';
import { bundleScript } from '../support/bundle-script.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { CRASH_POINTS, type CrashPoint, THREAD_POINTS } from '../support/crash-points.ts';
import { dumpStore, WITH_TEXTS } from '../support/dump-store.ts';
import { expireClaims } from '../support/expire-claims.ts';
import { childEnv } from '../support/processes.ts';
import { fixedClock, PROGRAMS, type Program, silentLog } from '../support/programs.ts';
import { size } from '../support/sizes.ts';
import { until } from '../support/until.ts';
import { hasWordIndex } from '../support/word-index.ts';

const IMPORT_UNTIL = await bundleScript('import-until');
/** One device for all data folders, so that the derived rows can be compared. */
const DEVICE = '{"id":"01TESTDEVICE000000000000000","name":"test"}';
const KILLS: Readonly<Record<string, number>> = { 'SQLite and files': size('CRASH_KILLS', 2), 'PostgreSQL and S3': 1 };

async function createProgram(name: string, claude: ClaudeHome): Promise<Program> {
  const program = await (PROGRAMS.find((each) => each.name === name) as (typeof PROGRAMS)[number]).create(claude.path);
  writeFileSync(join(program.config.home, 'device.json'), DEVICE, { mode: 0o600 });
  return program;
}

function startImport(
  { env }: Program,
  point: CrashPoint,
  nth: number,
  signal: 'SIGKILL' | 'SIGSTOP',
  ...threads: readonly 'threads'[]
): ChildProcess {
  return spawn(process.execPath, [IMPORT_UNTIL.path, point, String(nth), signal, ...threads], {
    env: childEnv({ ...IMPORT_UNTIL.env, ...env }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function writeSession(claude: ClaudeHome, n: number): void {
  const id = `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`;
  const talk = createTalk(id, { prefix: `s${n}-`, startedAt: new Date(Date.UTC(2026, 9, 1, n)).toISOString() });
  claude.write(`-home-ada-p${n % 2}/${id}.jsonl`, [
    talk.user(`Question of session ${n}`),
    talk.assistant(`msg_${n}`, toolUse(`toolu_${n}`, 'Bash', { command: 'ls' }), { input: n, output: 2 }),
    talk.result(`toolu_${n}`, 'files'),
    // All sessions contain it: which of them counts it must not depend on the kills.
    talk.assistant('msg_shared', text('done'), { input: 7, output: 3 }),
  ]);
}

async function importAndDump(program: Program): Promise<string> {
  await using app = await program.open();
  expect((await app.importNew()).failed).toEqual([]);
  const { engine } = app.store;
  expect(await engine.hasTextIndex()).toBe(engine.supportsTextIndex);
  if (engine.supportsTextIndex) expect(await hasWordIndex(engine)).toBe(true);
  return await dumpStore(engine, WITH_TEXTS);
}

/** The rows of an undisturbed import. */
async function goldenOf(name: string, claude: ClaudeHome): Promise<string> {
  await using untouched = await createProgram(name, claude);
  return await importAndDump(untouched);
}

/** Points that are reached for each session; the others are reached once per batch. */
const FOR_EACH: ReadonlySet<CrashPoint> = new Set(['after a blob was stored', 'while a session is parsed']);

/**
 * Kills this many imports at this point, alternating between two new sessions, which share their transactions, and one.
 * Returns the number of sessions afterwards.
 */
async function killAt(program: Program, claude: ClaudeHome, point: CrashPoint, kills: number, before = 0) {
  let sessions = before;
  for (let kill = 0; kill < kills; kill++) {
    const fresh = 2 - (kill % 2);
    const nth = FOR_EACH.has(point) ? fresh : 1;
    for (let n = 0; n < fresh; n++) writeSession(claude, sessions++);
    const child = startImport(program, point, nth, 'SIGKILL');
    const [code, signal] = await once(child, 'exit');
    expect({ code, signal }, `${point}, kill ${kill}`).toEqual({ code: null, signal: 'SIGKILL' });
  }
  return sessions;
}

describe('F1: an import that is killed on SQLite and files', () => {
  const name = 'SQLite and files';

  it.concurrent.each([...CRASH_POINTS, ...THREAD_POINTS])(
    `%s, ${KILLS[name]} times, ends with the rows of an undisturbed import, and so does a rebuild`,
    async (point) => {
      using claude = createClaudeHome();
      await using program = await createProgram(name, claude);
      await killAt(program, claude, point, KILLS[name] ?? 0);
      const golden = await goldenOf(name, claude);
      expect(await importAndDump(program)).toBe(golden);
      for (const tail of ['', '-wal', '-shm']) rmSync(join(program.config.home, `fuel.db${tail}`), { force: true });
      await rebuild({ config: program.config, clock: fixedClock, log: silentLog }, {});
      expect(await importAndDump(program)).toBe(golden);
    },
  );
});

describe('F1: an import that is killed on PostgreSQL and S3', () => {
  const name = 'PostgreSQL and S3';

  it('at every point ends with the rows of an uninterrupted import', async () => {
    using claude = createClaudeHome();
    await using program = await createProgram(name, claude);
    let sessions = 0;
    for (const point of [...CRASH_POINTS, ...THREAD_POINTS])
      sessions = await killAt(program, claude, point, KILLS[name] ?? 0, sessions);
    expect(await importAndDump(program)).toBe(await goldenOf(name, claude));
  });
});

/** Points that are reached when stored sessions are parsed again with threads. */
const REPARSE_POINTS: readonly CrashPoint[] = [
  'after a session was claimed',
  'while a thread parses',
  'after rows were persisted',
  'inside the swap, before it is committed',
  'after the swap',
  'before a claim is released',
];

describe.each(PROGRAMS)('F1: on $name, a process that is killed while all sessions are parsed again', ({ name }) => {
  const points = [...REPARSE_POINTS, ...THREAD_POINTS];

  it('at every point leaves work that the next one completes with the rows of an uninterrupted import', async () => {
    using claude = createClaudeHome();
    await using program = await createProgram(name, claude);
    for (let n = 0; n < 3; n++) writeSession(claude, n);
    const golden = await importAndDump(program);
    for (const point of points) {
      await parseAgain(program);
      const child = startImport(program, point, 1, 'SIGKILL', 'threads');
      expect(await once(child, 'exit'), point).toEqual([null, 'SIGKILL']);
      expect(await importAndDump(program), point).toBe(golden);
    }
  });
});

/** As `rebuild` does before it parses: all sessions are due. */
async function parseAgain(program: Program): Promise<void> {
  await using app = await program.open();
  await markAllUnparsed(app.store.engine.kysely);
}

describe.each(PROGRAMS)('F2: an import on $name that is stopped past its lease', ({ name }) => {
  const points: readonly CrashPoint[] = [
    'while a session is parsed',
    'after rows were persisted',
    'after git was queried',
    ...THREAD_POINTS,
  ];
  const cases = points.flatMap((point) => [1, 2].map((sessions) => ({ point, sessions })));

  it.each(cases)('$point, with $sessions sessions, writes nothing more when it continues', async (stop) => {
    const { point, sessions } = stop;
    using claude = createClaudeHome();
    await using program = await createProgram(name, claude);
    for (let n = 0; n < sessions; n++) writeSession(claude, n);
    const golden = await goldenOf(name, claude);
    const child = startImport(program, point, 1, 'SIGSTOP');
    const ended = once(child, 'exit');
    try {
      await until(() => expect(stateOf(child)).toBe('T'));
      await using app = await program.open();
      await expireClaims(app.store.engine);
      expect(await importAndDump(program)).toBe(golden);
      child.kill('SIGCONT');
      expect(await ended).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
    await using app = await program.open();
    expect(await dumpStore(app.store.engine, WITH_TEXTS)).toBe(golden);
  });
});

/** The state of a process, for example T: stopped by a signal. */
function stateOf({ pid }: ChildProcess): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[0];
}
