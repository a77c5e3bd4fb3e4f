import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/redact/redact.ts';
import { type Disguised, plantDisguised, plantTokens } from '../../src/redact/testing/disguises.ts';
import { DOCUMENTED_SECRETS } from '../../src/redact/testing/documented-secrets.ts';
import {
  ASSIGNMENTS,
  COMMANDS,
  FILES,
  type Planted,
  plantAll,
  plantVendors,
} from '../../src/redact/testing/planted.ts';
import { createRandom, type Random } from '../../src/redact/testing/random.ts';
import { SECRETS_IN_TOOLS } from '../../src/redact/testing/secrets-in-tools.ts';
import { TEMPLATED_SECRETS } from '../../src/redact/testing/templated-secrets.ts';
import { UNMARKED_SECRETS } from '../../src/redact/testing/unmarked-secrets.ts';
import { HAS_REAL_FILES, REAL_FILES } from '../support/shared-data.ts';
import { scaled } from '../support/sizes.ts';

const MANUAL = join(import.meta.dirname, '../../docs/security.md');
const UPDATE = 'UPDATE_DOCS=1 npx vitest run test/stories/redaction-recall.test.ts';

const redactor = createRedactor();
const SEEDS = Array.from({ length: 40 }, (_, n) => n + 1);

interface Recall {
  readonly planted: number;
  readonly missed: readonly string[];
}

function measure(plant: (random: Random) => readonly (Planted | Disguised)[]): Recall {
  const all = SEEDS.flatMap((seed) => plant(createRandom(seed)));
  const missed = all.filter((each) => {
    const { value } = redactor.text(each.text);
    return ('secrets' in each ? each.secrets : [each.secret]).some((secret) => value.includes(secret));
  });
  return { planted: all.length, missed: missed.map(({ id, text }) => `${id}: ${text}`) };
}

/** The classes of a set of generators. */
function classesOf(name: string, generators: Readonly<Record<string, (random: Random) => readonly Disguised[]>>) {
  const classes = Object.entries(generators).map(
    ([id, plant]) => [`${name}: ${id}`, { atLeast: 0.99, recall: () => measure(plant) }] as const,
  );
  return Object.fromEntries(classes);
}

const share = ({ planted, missed }: Recall) => (planted - missed.length) / planted;
const CLASSES = {
  'Vendor forms': { atLeast: 1, recall: () => measure(plantVendors) },
  Assignments: { atLeast: 0.99, recall: () => measure((random) => plantAll(ASSIGNMENTS, random)) },
  'Command lines': { atLeast: 0.99, recall: () => measure((random) => plantAll(COMMANDS, random)) },
  Files: { atLeast: 1, recall: () => measure((random) => plantAll(FILES, random)) },
  Disguises: { atLeast: 0.99, recall: () => measure((random) => [...plantDisguised(random), ...plantTokens(random)]) },
  ...classesOf('Documented', DOCUMENTED_SECRETS),
  ...classesOf('Tools', SECRETS_IN_TOOLS),
  ...classesOf('Unmarked', UNMARKED_SECRETS),
  ...classesOf('Templates', TEMPLATED_SECRETS),
};

describe('recall of the redactor', () => {
  it.each(Object.entries(CLASSES))('%s: has the recall stated in the manual', (name, { atLeast, recall }) => {
    const measured = recall();
    expect(share(measured), measured.missed.slice(0, 20).join('\n')).toBeGreaterThanOrEqual(atLeast);
    const percent = (Math.floor(share(measured) * 1_000) / 10).toFixed(1);
    const wanted = `| ${name} | ${measured.planted.toLocaleString('en')} | ${percent}% |`;
    const manual = readFileSync(MANUAL, 'utf8');
    const [row] = manual.split('\n').filter((line) => line.startsWith(`| ${name} |`));
    if (process.env['UPDATE_DOCS'] && row !== undefined) writeFileSync(MANUAL, manual.replace(row, wanted));
    else expect(row, `Out of date: ${UPDATE}`).toBe(wanted);
  });
});

const MODULES = new URL('../../node_modules', import.meta.url).pathname;
/** Code written by people and bundlers: a part of every package, all of it with `TEST_SCALE=50`. */
const PACKAGES = ['kysely', 'react-dom', 'vite', 'vitest', 'hono/dist', 'fast-check', 'playwright-core/lib'];
function codeOf(folder: string, maxChars: number): string[] {
  const texts: string[] = [];
  let chars = 0;
  for (const path of sources(folder)) {
    if (chars >= maxChars) break;
    const text = readFileSync(path, 'utf8');
    texts.push(text);
    chars += text.length;
  }
  return texts;
}

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.(?:[cm]?[jt]sx?|json|md|css)$/.test(entry.name)) yield path;
  }
}

/** Lines that the redactor would change, ignoring home directories. */
function finds(text: string): readonly string[] {
  const { value, replaced } = redactor.text(text);
  if ([...replaced.keys()].every((kind) => kind === 'home-directory')) return [];
  return value
    .split('\n')
    .filter((line) => /\[secret:|\[withheld/.test(line))
    .map((line) => line.slice(0, 200));
}

describe('precision of the redactor', () => {
  it('J5: finds nothing in code', () => {
    const texts = PACKAGES.flatMap((name) => codeOf(join(MODULES, name), scaled(80_000)));
    expect(texts.reduce((sum, text) => sum + text.length, 0)).toBeGreaterThan(500_000);
    expect(texts.flatMap(finds)).toEqual([]);
  });

  it('finds nothing in a lock file', () => {
    expect(finds(readFileSync(join(MODULES, '../package-lock.json'), 'utf8'))).toEqual([]);
  });

  /** Every tenth line; all with `TEST_SCALE=10`. */
  const REAL_LINES_STEP = Math.ceil(10 / scaled(1));
  it.runIf(HAS_REAL_FILES)('finds nothing in real transcripts', () => {
    const found = [...lines(REAL_FILES)].filter((line, n) => n % REAL_LINES_STEP === 0 && finds(line).length > 0);
    expect(found).toEqual([]);
  });
});

function* lines(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && entry.name.endsWith('.jsonl'))
      yield* readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n');
  }
}

const LINES = 1_000;

describe('J5: values that only resemble secrets', () => {
  const { text } = createRedactor();
  const random = createRandom(7);
  const digest = (kind: string, n: number) => createHash(kind).update(`${n} ${random.int(1e9)}`);
  const hex = (n: number, chars: number) => digest('sha512', n).digest('hex').slice(0, chars);
  const uuid = (n: number) => hex(n, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const base64 = (n: number) => digest('sha512', n).digest('base64');
  const MAKERS: Record<string, (n: number) => string> = {
    'ids of messages': (n) => JSON.stringify({ uuid: uuid(n), parentUuid: uuid(n + 1), sessionId: uuid(n + 2) }),
    'ids of calls': (n) => `toolu_01${hex(n, 22)} msg_01${hex(n, 22)} req_011${hex(n, 21)}`,
    commits: (n) => `${hex(n, 40)} fix: the ferry leaves at ${n}`,
    'digests of files': (n) => `${hex(n, 64)}  src/file-${n}.ts`,
    'a lock file': (n) => `"integrity": "sha512-${base64(n)}",`,
    'images of containers': (n) => `node:24@sha256:${hex(n, 64)}`,
    'signatures of thinking': (n) =>
      JSON.stringify({ type: 'thinking', thinking: 'Hm.', signature: base64(n).repeat(4) }),
    pictures: (n) => JSON.stringify({ type: 'base64', media_type: 'image/png', data: base64(n).repeat(20) }),
    addresses: (n) => `https://example.org/files/${hex(n, 32)}/page?version=${n}`,
  };

  it.each(Object.entries(MAKERS))('%s: changes at most one line in a thousand', (_, make) => {
    const changed = Array.from({ length: LINES }, (_each, n) => make(n)).filter((line) => text(line).value !== line);
    expect(changed.slice(1)).toEqual([]);
  });
});
