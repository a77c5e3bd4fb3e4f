import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type App, openApp } from '../src/app/open-app.ts';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/lib/log.ts';
import { systemClock } from '../src/lib/timing.ts';
import { narrateSessions } from '../src/pipeline/summarize-session.ts';
import { createParser } from '../src/transcript/parser.ts';
import { priceUsage } from '../src/transcript/price/price-usage.ts';
import { installCcusage } from './ccusage.ts';
import { type Corpus, type CorpusSize, makeCorpus } from './corpus.ts';
import { type Floor, measureFloor } from './floor.ts';
import { type Contestant, isMain, measureInTurns, textTable } from './measure.ts';

/**
 * First imports by the built program, in turns, against `JSON.parse` of every line of the same files, then the start of
 * `sessions` and `cost` on what was imported, and the work that an import cannot avoid. On a busy machine, compare CPU
 * seconds. `BENCH_BASE` names a built checkout of another version to compare with, also on a small home,
 * `BENCH_DATABASE_URL` an empty PostgreSQL database; `BENCH_ROUNDS` is the number of rounds.
 */

const MEGABYTE = 1e6;
/** Most sessions of a first import have ended long ago; for growing sessions more state would be kept. */
const YESTERDAY = new Date(Date.now() - 24 * 60 * 60_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** The goal for a complete import, and the machine that it was set for. */
const GOAL = 7;
const CORES = 2;
/** As in an import. */
const SESSIONS_AT_ONCE = 16;
const THIS_FILE = fileURLToPath(import.meta.url);

const REPORT_USAGE = fileURLToPath(new URL('report-usage.cjs', import.meta.url));
const LAUNCHER = fileURLToPath(new URL('../bin/fuel-code', import.meta.url));
const BASE = process.env.BENCH_BASE;

type Job = 'lines' | 'parse' | 'rows' | 'everything' | 'base' | 'postgres';

interface Measured {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly residentMegabytes: number;
}

export async function benchImport(size: CorpusSize = 'M'): Promise<void> {
  if (!existsSync(new URL('../dist/main.cjs', import.meta.url))) throw new Error('run `npm run build` first');
  const corpus = await makeCorpus(size, 'mixed');
  try {
    const files = transcripts(corpus.projects);
    for (const path of files) utimesSync(path, YESTERDAY, YESTERDAY);
    const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
    console.log(`import of ${(bytes / MEGABYTE).toFixed(0)} MB, ${files.length} files (${corpus.madeBy})`);
    const measured = measureJobs(corpus, ALL_JOBS);
    printTable(measured);
    const starts = await withImported(corpus, async (app, home) => {
      await printLaterImports(app, files[0] ?? '');
      printFloor(measureFloor(files, home), measured, await measureNarratives(app));
      return measureStarts(corpus, home);
    });
    printTargets(measured, await measureSmall(), starts);
  } finally {
    corpus.remove();
  }
}

const COMPARED: readonly Job[] = BASE === undefined ? ['everything'] : ['everything', 'base'];
const ON_POSTGRES: readonly Job[] = process.env.BENCH_DATABASE_URL === undefined ? [] : ['postgres'];
const ALL_JOBS: readonly Job[] = ['lines', 'parse', 'rows', ...COMPARED, ...ON_POSTGRES];

/** A home that is too small for threads, compared with BENCH_BASE. */
async function measureSmall(): Promise<ReadonlyMap<Job, Measured>> {
  if (BASE === undefined) return new Map();
  const corpus = await makeCorpus('S', 'mixed');
  try {
    return measureJobs(corpus, COMPARED);
  } finally {
    corpus.remove();
  }
}

function measureJobs({ claudeHome }: Corpus, jobs: readonly Job[]): ReadonlyMap<Job, Measured> {
  const rounds = Array.from({ length: ROUNDS }, () => jobs.map((job) => [job, runApart(job, claudeHome)] as const));
  return new Map(
    jobs.map((job) => {
      const runs = rounds.flat().flatMap(([name, measured]) => (name === job ? [measured] : []));
      const median = (pick: (one: Measured) => number) =>
        runs.map(pick).toSorted((a, b) => a - b)[runs.length >> 1] ?? 0;
      return [
        job,
        {
          wallSeconds: median((one) => one.wallSeconds),
          cpuSeconds: median((one) => one.cpuSeconds),
          residentMegabytes: median((one) => one.residentMegabytes),
        },
      ];
    }),
  );
}

/** Memory and compiled code of one job must not affect the next. */
function runApart(job: Job, claudeHome: string): Measured {
  const output = execFileSync(process.execPath, [THIS_FILE, '--job', job, claudeHome], { encoding: 'utf8' });
  return JSON.parse(output) as Measured;
}

const NAMES: Readonly<Record<Job, string>> = {
  lines: 'JSON.parse of every line',
  parse: 'our parse alone',
  rows: 'archive + rows, from sources',
  everything: 'archive + rows + full text',
  base: 'the same, BENCH_BASE',
  postgres: 'the same on PostgreSQL',
};

function printTable(measured: ReadonlyMap<Job, Measured>): void {
  const baseline = measured.get('lines');
  const rows = [...measured].map(([job, { wallSeconds, cpuSeconds, residentMegabytes }]) => [
    NAMES[job],
    `${wallSeconds.toFixed(1)} s`,
    `${cpuSeconds.toFixed(1)} s`,
    (wallSeconds / (baseline?.wallSeconds ?? Number.NaN)).toFixed(2),
    (cpuSeconds / (baseline?.cpuSeconds ?? Number.NaN)).toFixed(2),
    `${residentMegabytes.toFixed(0)} MB`,
  ]);
  console.log(textTable([['', 'wall', 'CPU', 'wall ÷ lines', 'CPU ÷ lines', 'resident'], ...rows]));
}

/** Ratios of medians; null what was not measured. */
interface Starts {
  readonly sessions: number;
  readonly cost: number | null;
  /** `node -e 0` compared with ccusage: the least that `cost` can reach. */
  readonly node: number | null;
}

type Figure = (one: Measured) => number;

function ratioIn(measured: ReadonlyMap<Job, Measured>, job: Job, to: Job, pick: Figure): number | null {
  const [one, other] = [measured.get(job), measured.get(to)];
  return one === undefined || other === undefined ? null : pick(one) / pick(other);
}

/** CPU seconds for the narratives of all sessions, as in an import. */
async function measureNarratives({ store }: App): Promise<number> {
  const { kysely } = store.engine;
  const ids = (await kysely.selectFrom('sessions').select('id').execute()).map(({ id }) => id);
  await kysely.deleteFrom('session_summaries').execute();
  const before = process.cpuUsage();
  for (let at = 0; at < ids.length; at += SESSIONS_AT_ONCE) {
    await narrateSessions(kysely, ids.slice(at, at + SESSIONS_AT_ONCE));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function printFloor(
  { parts, cpuSeconds, wordsSeconds }: Floor,
  measured: ReadonlyMap<Job, Measured>,
  narrativesSeconds: number,
): void {
  const everything = measured.get('everything')?.cpuSeconds ?? Number.NaN;
  const listed = Object.entries(parts).map(([name, seconds]) => `${name} ${seconds.toFixed(2)}`);
  console.log(
    `unavoidable: ${cpuSeconds.toFixed(1)} CPU s (${listed.join(', ')}), ${(cpuSeconds / everything).toFixed(2)} of everything`,
  );
  const parse = measured.get('parse')?.cpuSeconds ?? Number.NaN;
  const ours = parse - (parts['JSON.parse'] ?? 0) + wordsSeconds + narrativesSeconds;
  const budget = CORES * GOAL * (measured.get('lines')?.wallSeconds ?? Number.NaN);
  console.log(
    `our own work alone: ${ours.toFixed(1)} CPU s more (parse ${parse.toFixed(2)} instead of JSON.parse, words ` +
      `${wordsSeconds.toFixed(2)}, narratives ${narrativesSeconds.toFixed(2)}); both together ${(cpuSeconds + ours).toFixed(1)}, ` +
      `without transactions, copies between threads and building rows; ${GOAL} times JSON.parse on ${CORES} cores allow ${budget.toFixed(1)}`,
  );
}

/** The goals of an import on two cores, and what was measured here. */
function printTargets(
  measured: ReadonlyMap<Job, Measured>,
  small: ReadonlyMap<Job, Measured>,
  { sessions, cost, node }: Starts,
): void {
  const ratio = (job: Job, to: Job, pick: Figure) => ratioIn(measured, job, to, pick);
  const wall = ({ wallSeconds }: Measured) => wallSeconds;
  const cpu = ({ cpuSeconds }: Measured) => cpuSeconds;
  const resident = measured.get('everything')?.residentMegabytes ?? null;
  const rows: readonly (readonly [string, number | null, string])[] = [
    ['rows, wall ÷ JSON.parse of every line', ratio('rows', 'lines', wall), '≤ 4'],
    ['everything, wall ÷ JSON.parse of every line', ratio('everything', 'lines', wall), `≤ ${GOAL}`],
    ['everything, CPU ÷ BENCH_BASE', ratio('everything', 'base', cpu), '≤ 0.65 (M)'],
    ['the same, 50 MB', ratioIn(small, 'everything', 'base', cpu), '≤ 1'],
    ['everything, resident megabytes', resident, '≤ 400 (M)'],
    ['PostgreSQL ÷ SQLite, everything, wall', ratio('postgres', 'everything', wall), '≤ 2.5'],
    ['sessions ÷ node -e 0', sessions, '≤ 3.5 (M)'],
    ['cost, warm ÷ ccusage', cost, '≤ 0.1 (M)'],
    ['node -e 0 ÷ ccusage', node, ''],
  ];
  const cells = rows.map(([name, value, target]) => [name, value === null ? 'not measured' : inShort(value), target]);
  console.log(`\n${textTable([['', 'measured', 'target'], ...cells])}`);
}

function inShort(value: number): string {
  return value.toFixed(value < 100 ? 2 : 0);
}

async function measureStarts({ claudeHome }: Corpus, home: string): Promise<Starts> {
  const ccusage = installCcusage();
  const env = { ...process.env, FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claudeHome };
  const start = (name: string, ...args: readonly string[]): Contestant => ({
    name,
    run: async () => void execFileSync(process.execPath, args, { env, stdio: 'ignore' }),
  });
  const contestants: Contestant[] = [
    start('node', '-e', '0'),
    start('sessions', LAUNCHER, 'sessions'),
    start('cost', LAUNCHER, 'cost'),
    ...(ccusage === null ? [] : [{ name: 'ccusage', run: async () => void ccusage.outputTokens(claudeHome) }]),
  ];
  try {
    const measured = await measureInTurns(contestants, ROUNDS);
    const ms = (name: string) => measured.find((one) => one.name === name)?.medianMs ?? Number.NaN;
    const toCcusage = (name: string) => (ccusage === null ? null : ms(name) / ms('ccusage'));
    return { sessions: ms('sessions') / ms('node'), cost: toCcusage('cost'), node: toCcusage('node') };
  } finally {
    ccusage?.remove();
  }
}

async function withImported<T>({ claudeHome }: Corpus, use: (app: App, home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  try {
    await using app = await openHome(home, claudeHome);
    return await use(app, home);
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function printLaterImports(app: App, file: string): Promise<void> {
  const first = await timedImport(app);
  const second = await timedImport(app);
  appendFileSync(file, '{"type":"mode","mode":"normal"}\n');
  const appended = await timedImport(app);
  console.log(
    `second import: ${second.bytesRead} bytes read, ${(second.ms / first.ms).toFixed(4)} of the first's time`,
  );
  console.log(`one line appended: ${appended.bytesRead} bytes read, ${appended.parsed} session parsed`);
}

async function timedImport(app: App) {
  const startedMs = performance.now();
  const report = await app.importNew();
  return { ms: performance.now() - startedMs, bytesRead: report.bytes_read, parsed: report.sessions_parsed };
}

async function openHome(home: string, claudeHome: string): Promise<App> {
  const { config } = loadConfig({ FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claudeHome });
  const log = createLog({ level: 'error', clock: systemClock, write: (line) => process.stderr.write(line) });
  return openApp({ config, clock: systemClock, log });
}

/** One job in this process; prints what it took. */
async function runJob(job: Job, claudeHome: string): Promise<void> {
  const files = transcripts(join(claudeHome, 'projects'));
  if (job === 'lines') return printMeasured(async () => void parseEveryLine(files));
  if (job === 'parse') return printMeasured(async () => void parseAll(files));
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  try {
    if (job !== 'rows') return console.log(await measureProgram(job, home, claudeHome));
    await using app = await openHome(home, claudeHome);
    await printMeasured(async () => void (await app.importNew({ rowsOnly: true })));
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** A first import by the built program, as JSON. */
async function measureProgram(job: Job, home: string, claudeHome: string): Promise<string> {
  const launcher = job === 'base' && BASE !== undefined ? join(BASE, 'bin/fuel-code') : LAUNCHER;
  const usage = join(home, 'usage.json');
  const env = { ...process.env, FUEL_CODE_HOME: join(home, 'data'), CLAUDE_CONFIG_DIR: claudeHome, BENCH_USAGE: usage };
  const url = job === 'postgres' ? process.env.BENCH_DATABASE_URL : undefined;
  if (url !== undefined) await emptyDatabase(url);
  const database = url === undefined ? {} : { DATABASE_URL: url };
  execFileSync(process.execPath, ['--require', REPORT_USAGE, launcher, 'backfill'], {
    env: { ...env, ...database },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return readFileSync(usage, 'utf8');
}

async function emptyDatabase(connectionString: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  await client.end();
}

async function printMeasured(run: () => Promise<void>): Promise<void> {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  await run();
  const wallSeconds = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(before);
  const residentMegabytes = process.resourceUsage().maxRSS / 1_000;
  console.log(JSON.stringify({ wallSeconds, cpuSeconds: (user + system) / 1e6, residentMegabytes }));
}

function parseEveryLine(files: readonly string[]): number {
  let count = 0;
  for (const path of files) {
    const buffer = readFileSync(path);
    for (let from = 0; from < buffer.length; ) {
      const end = buffer.indexOf(10, from);
      const to = end < 0 ? buffer.length : end;
      count += tryParse(buffer.toString('utf8', from, to));
      from = to + 1;
    }
  }
  return count;
}

/** Parses each file as a separate session and discards the rows and blocks. */
function parseAll(files: readonly string[]): number {
  let messages = 0;
  for (const name of files) {
    const parser = createParser(
      name,
      [{ role: 'main', agentId: null, name }],
      { block: () => {} },
      { price: priceUsage },
    );
    parser.push(0, readFileSync(name));
    parser.endFile(0);
    messages += parser.finish().messages.length;
  }
  return messages;
}

function tryParse(line: string): number {
  try {
    JSON.parse(line);
    return 1;
  } catch {
    return 0;
  }
}

function transcripts(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(root, name));
}

if (isMain(import.meta.url)) {
  const [, , word, job, claudeHome = ''] = process.argv;
  if (word === '--job') await runJob(job as Job, claudeHome);
  else await benchImport((word as CorpusSize | undefined) ?? 'M');
}
