import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type App, openApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createLog } from '../src/lib/log.ts';
import { wordsOf } from '../src/search/words.ts';
import { makeCorpus } from './corpus.ts';
import { heading, isMain, textTable } from './measure.ts';

/**
 * Searches of every shape over the M corpus, against a scan of the same files in the same run: `rg` where it is, else
 * our own reading of them. With DATABASE_URL it runs on PostgreSQL.
 */
const ROUNDS = 30;
const SCAN_ROUNDS = 3;
const SAMPLE_SESSIONS = 40;

export async function benchSearch(): Promise<void> {
  const corpus = await makeCorpus('M', 'mixed');
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  try {
    const env = { FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: corpus.claudeHome, ...databaseUrl() };
    const { config } = loadConfig(env);
    const log = createLog({ level: 'error', clock: systemClock, write: (line) => process.stderr.write(line) });
    await using app = await openApp({ config, clock: systemClock, log });
    await app.importNew();
    const { engine } = app.store;
    const { places } = await engine.kysely
      .selectFrom('search_documents')
      .select(({ fn }) => fn.countAll<number>().as('places'))
      .executeTakeFirstOrThrow();
    heading(`search: ${engine.name}, ${places} places (${corpus.madeBy})`);
    const searches = await pickSearches(app);
    const rows = [];
    for (const { shape, query, words } of searches)
      rows.push(await measure(app, corpus.projects, { shape, query, words }));
    console.log(textTable([['', 'query', 'p50', 'p95', 'places', 'scan', 'faster than the scan'], ...rows]));
  } finally {
    rmSync(home, { recursive: true });
    corpus.remove();
  }
}

function databaseUrl(): Record<string, string> {
  return process.env['DATABASE_URL'] === undefined ? {} : { DATABASE_URL: process.env['DATABASE_URL'] };
}

interface Search {
  readonly shape: string;
  readonly query: string;
  /** What the scan looks for: files that hold the first of them. */
  readonly words: readonly string[];
}

/** Words of the corpus itself, so that any corpus can be measured. */
async function pickSearches(app: App): Promise<readonly Search[]> {
  const { sessions } = await app.reads.listSessions({ limit: SAMPLE_SESSIONS });
  const counts = new Map<string, number>();
  let pair: readonly string[] = [];
  for (const { id } of sessions) {
    const { messages } = await app.reads.getTranscript(id, { limit: 200 });
    for (const { content_blocks } of messages) {
      const words = content_blocks.flatMap(({ content_text }) => wordsOf(content_text ?? ''));
      for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
      if (words.length > 8) pair = words.slice(5, 7);
    }
  }
  const byCount = [...counts].filter(([word]) => /^[a-z]{4,12}$/.test(word)).toSorted((a, b) => b[1] - a[1]);
  const [common = '', second = ''] = byCount.map(([word]) => word);
  const seldom = [...counts].filter(([word]) => /^(?=.*\d)[a-z0-9]{6,20}$/.test(word)).toSorted((a, b) => a[1] - b[1]);
  const rare = await findRare(
    app,
    [...seldom, ...byCount.toReversed()].map(([word]) => word),
  );
  const workspace = sessions[0]?.workspace_name ?? '';
  return [
    { shape: 'rare', query: rare, words: [rare] },
    { shape: 'common', query: common, words: [common] },
    { shape: 'two words', query: `${common} ${second}`, words: [common, second] },
    { shape: 'phrase', query: `"${pair.join(' ')}"`, words: [pair.join(' ')] },
    { shape: 'prefix', query: `${common.slice(0, 3)}*`, words: [common.slice(0, 3)] },
    { shape: 'filtered', query: `workspace:"${workspace}" type:answer ${common}`, words: [common] },
    { shape: 'of a tool', query: `tool:Bash ${common}`, words: [common] },
    { shape: 'pattern', query: `/${rare}/`, words: [rare] },
  ];
}

const MAX_RARE_PLACES = 5;

async function findRare(app: App, words: readonly string[]): Promise<string> {
  for (const word of words) {
    const { total } = await app.reads.search({ query: word });
    if (total.places <= MAX_RARE_PLACES) return word;
  }
  throw new Error('every word of the corpus is common');
}

async function measure(app: App, projects: string, { shape, query, words }: Search): Promise<string[]> {
  const times: number[] = [];
  let found = '';
  for (let round = 0; round <= ROUNDS; round += 1) {
    const startedMs = performance.now();
    const { total, cut } = await app.reads.search({ query });
    // The first round warms the page cache.
    if (round > 0) times.push(performance.now() - startedMs);
    found = `${total.places}${cut === null ? '' : '+'}`;
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  const scanMs = Math.min(...Array.from({ length: SCAN_ROUNDS }, () => scan(projects, words)));
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  return [
    shape,
    query.slice(0, 40),
    ms(at(0.5)),
    ms(at(0.95)),
    found,
    ms(scanMs),
    `${(scanMs / at(0.5)).toFixed(1)} ×`,
  ];
}

const HAS_RIPGREP = spawnSync('rg', ['--version']).status === 0;

/** The milliseconds it takes to find the files that hold the words. */
function scan(projects: string, words: readonly string[]): number {
  const startedMs = performance.now();
  if (HAS_RIPGREP) execFileSync('sh', ['-c', 'rg -il -- "$1" "$2" | wc -l', 'sh', words[0] ?? '', projects]);
  else
    for (const path of transcripts(projects))
      readFileSync(path, 'utf8')
        .toLowerCase()
        .includes(words[0] ?? '');
  return performance.now() - startedMs;
}

function transcripts(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, name))
    .filter((path) => path.endsWith('.jsonl') && statSync(path).isFile());
}

if (isMain(import.meta.url)) await benchSearch();
