import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../src/app/open-app.ts';
import { wordsOf } from '../src/search/words.ts';
import { inMs, measureOften, textTable } from './measure.ts';

const ROUNDS = 30;
const SCAN_ROUNDS = 3;
const SAMPLE_SESSIONS = 40;

/**
 * Searches of every kind against a scan of the same files in the same run: with `rg` if it is installed, else by
 * reading them ourselves.
 */
export async function measureSearches(app: App, projects: string): Promise<string> {
  const rows = [];
  for (const search of await pickSearches(app)) rows.push(await measureSearch(app, projects, search));
  const head = [
    '',
    'query',
    'p50',
    'p95',
    'places',
    'scan',
    'faster than the scan',
    'facets p95',
    'hits of a session p95',
  ];
  return textTable([head, ...rows]);
}

interface Search {
  readonly shape: string;
  readonly query: string;
  /** The words to scan for: files that contain the first one. */
  readonly words: readonly string[];
}

/** Words taken from the corpus, so that any corpus can be measured. */
export async function pickSearches(app: App): Promise<readonly Search[]> {
  const { sessions } = await app.get('/sessions', { query: { limit: SAMPLE_SESSIONS } });
  const counts = new Map<string, number>();
  let pair: readonly string[] = [];
  for (const { id } of sessions) {
    const { messages } = await app.get('/sessions/:id/transcript', { params: { id }, query: { limit: 200 } });
    for (const { content_blocks } of messages) {
      const words = content_blocks.flatMap(({ content_text, result_text }) =>
        wordsOf(content_text ?? result_text ?? ''),
      );
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
    { shape: 'pattern', query: `/${rare}/i`, words: [rare] },
    { shape: 'pattern of a common word', query: `/${common}/i`, words: [common] },
    { shape: 'pattern that is nowhere', query: '/zqxj+kv/', words: ['zqxjkv'] },
  ];
}

const MAX_RARE_PLACES = 5;
const MAX_TRIED = 40;

/** The rarest of some words; generated corpora are repetitive. */
async function findRare(app: App, words: readonly string[]): Promise<string> {
  let rarest = { word: '', places: Number.POSITIVE_INFINITY };
  for (const word of words.slice(0, MAX_TRIED)) {
    const { places } = (await app.get('/search', { query: { q: word, limit: 20 } })).total;
    if (places < rarest.places) rarest = { word, places };
    if (places <= MAX_RARE_PLACES) break;
  }
  return rarest.word;
}

async function measureSearch(app: App, projects: string, { shape, query, words }: Search): Promise<string[]> {
  const { total, cut } = await app.get('/search', { query: { q: query, limit: 20 } });
  const { p50, p95 } = await measureOften(ROUNDS, () =>
    app.get('/search', { query: { q: query, limit: 20, lines: true } }),
  );
  const scanMs = Math.min(...Array.from({ length: SCAN_ROUNDS }, () => scan(projects, words)));
  const places = `${total.places}${cut === null ? '' : '+'}`;
  const rest = await measureRest(app, query);
  return [
    shape,
    query.slice(0, 40),
    inMs(p50),
    inMs(p95),
    places,
    inMs(scanMs),
    `${(scanMs / p50).toFixed(1)} ×`,
    ...rest,
  ];
}

const REST_ROUNDS = 5;

/** The other requests of the Search screen: counts of all matches, and all matches of a session. */
async function measureRest(app: App, query: string): Promise<string[]> {
  const facets = await measureOften(REST_ROUNDS, () => app.get('/search/facets', { query: { q: query } }));
  const { sessions } = await app.get('/search', { query: { q: query, limit: 1 } });
  const id = sessions[0]?.session_id;
  if (id === undefined) return [inMs(facets.p95), ''];
  const hits = await measureOften(REST_ROUNDS, () =>
    app.get('/sessions/:id/hits', { params: { id }, query: { q: query, limit: 2_000, lines: true } }),
  );
  return [inMs(facets.p95), inMs(hits.p95)];
}

const HAS_RIPGREP = spawnSync('rg', ['--version']).status === 0;

/** Milliseconds to find the files that contain the words. */
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
