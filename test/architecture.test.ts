import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = new URL('../src', import.meta.url).pathname;

/**
 * Allowed imports. The folders are the stages of a transcript's path, and imports go one way; files directly under src/ wire
 * them and may import everything. Every folder must be listed here.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  lib: ['domain'],
  capture: ['domain', 'lib'],
  transcript: ['domain', 'lib'],
  search: ['domain', 'lib'],
  redact: ['domain', 'lib'],
  reading: ['domain'],
  summary: ['domain', 'lib'],
  demo: ['domain', 'lib'],
  store: ['domain', 'lib'],
  archive: ['domain', 'lib', 'api', 'capture', 'store'],
  ingest: ['domain', 'lib', 'api', 'store', 'archive'],
  pipeline: ['domain', 'lib', 'store', 'archive', 'transcript', 'search', 'summary', 'redact'],
  share: ['domain', 'lib', 'reading', 'redact', 'store'],
  api: ['domain'],
  app: [
    'domain',
    'lib',
    'api',
    'capture',
    'archive',
    'ingest',
    'transcript',
    'store',
    'pipeline',
    'search',
    'summary',
    'redact',
    'share',
    'reading',
    'demo',
    '(root)',
  ],
  server: ['domain', 'lib', 'api', 'app', 'reading', '(root)'],
  client: ['domain'],
  cli: ['domain', 'lib', 'reading', 'client', 'app', '(root)'],
  mcp: ['domain', 'lib', 'api', 'app', 'reading', '(root)'],
  web: ['domain', 'reading', 'search', 'client'],
};

/** Node.js modules that some stages must not use: the transcript parser is pure, and domain imports nothing. */
const NO_NODE: Readonly<Record<string, RegExp>> = {
  domain: /^node:/,
  transcript: /^node:(fs|net|http|https|child_process|worker_threads|process)/,
  search: /^node:/,
  reading: /^node:/,
};

interface Import {
  readonly from: string;
  /** `import type` is erased before anything runs. */
  readonly isType: boolean;
  readonly target: string;
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    // fixtures/ is data; testing/ has helpers shared by the tests beside the source.
    if (entry.isDirectory()) return ['fixtures', 'testing'].includes(entry.name) ? [] : sources(path);
    return /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts')
      ? [path]
      : [];
  });
}

const IMPORT = /(?:(?:(import|export) (type )?[^;']*?from\s+)|import\s*\(\s*|import\s+)'([^']+)'/g;

function importsOf(file: string): Import[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, , type, target = '']) => ({
    from: relative(SRC, file),
    isType: type !== undefined,
    target: target.startsWith('.') ? relative(SRC, join(dirname(file), target)) : target,
  }));
}

const folderOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '(root)');
const files = sources(SRC);
const imports = files.flatMap(importsOf);

describe('architecture', () => {
  it('has a rule for every folder', () => {
    const folders = readdirSync(SRC).filter((name) => statSync(join(SRC, name)).isDirectory());
    expect(folders.toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted());
  });

  it('matches the table in ARCHITECTURE.md', () => {
    const page = readFileSync(join(SRC, '../ARCHITECTURE.md'), 'utf8');
    const rows = [...page.matchAll(/^\| ((?:`\w+\/`(?:, )?)+) \| (?:([\w, ]+) )?\| /gm)];
    const shown = rows.flatMap(([, folders = '', allowed = '']) =>
      [...folders.matchAll(/\w+/g)].map(([folder]) => [folder, allowed] as const),
    );
    const above = (folder: string) =>
      shown
        .slice(
          0,
          shown.findIndex(([name]) => name === folder),
        )
        .map(([name]) => name);
    for (const [folder, allowed] of shown) {
      const names = allowed === 'all of the above' ? above(folder) : allowed === 'nothing' ? [] : allowed.split(', ');
      const rule = MAY_IMPORT[folder]?.filter((name) => name !== '(root)');
      const isListed = (name: string) => name !== '' && name !== 'domain' && name !== 'lib';
      expect([folder, names.filter(isListed).toSorted()]).toEqual([folder, rule?.filter(isListed).toSorted()]);
    }
    expect(shown.map(([folder]) => folder).toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted());
  });

  it('imports go one way', () => {
    const wrong = imports
      .filter(({ target }) => !/^(node:|[@a-z])/.test(target) || /\.tsx?$|\.css$/.test(target))
      .map((edge) => ({ ...edge, a: folderOf(edge.from), b: folderOf(edge.target) }))
      // The API schemas are the types of requests and answers, so every layer may import their types.
      .filter(({ b, isType }) => !(b === 'api' && isType))
      .filter(({ a, b }) => a !== '(root)' && a !== b && !MAY_IMPORT[a]?.includes(b))
      .map(({ from, target }) => `${from} → ${target}`);
    expect(wrong).toEqual([]);
  });

  it('keeps pure stages pure', () => {
    const wrong = imports
      .filter(({ from, target }) => NO_NODE[folderOf(from)]?.test(target))
      .map(({ from, target }) => `${from} → ${target}`);
    expect(wrong).toEqual([]);
  });

  it('keeps SQL under store/', () => {
    const sql = /\b(SELECT\s+[\w*.,\s]+\s+FROM|INSERT\s+INTO|DELETE\s+FROM|UPDATE\s+\w+\s+SET)\b/;
    const wrong = files
      .map((file) => relative(SRC, file))
      .filter((file) => !file.startsWith('store/') && sql.test(readFileSync(join(SRC, file), 'utf8')));
    expect(wrong).toEqual([]);
  });

  it('reads the environment in main.ts only', () => {
    const wrong = files
      .map((file) => relative(SRC, file))
      .filter((file) => {
        return file !== 'main.ts' && /\bprocess\.env\b/.test(readFileSync(join(SRC, file), 'utf8'));
      });
    expect(wrong).toEqual([]);
  });

  it('never writes HTML as text', () => {
    const wrong = files
      .map((file) => relative(SRC, file))
      .filter((file) => {
        return /innerHTML|dangerouslySetInnerHTML|document\.write|\.outerHTML/.test(
          readFileSync(join(SRC, file), 'utf8'),
        );
      });
    expect(wrong).toEqual([]);
  });
});
