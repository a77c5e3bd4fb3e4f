import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(`${ROOT}${file}`, 'utf8');
const ROW = /^\| ([A-M]\d+) \| (.+) \| (.+) \|$/gm;

const legend = [...read('docs/faults.md').matchAll(ROW)].map(([, id = '', , tests = '']) => ({ id, tests }));

/** Ids are in comments and test names; elsewhere such a word is a cell or a key. */
function idsIn(file: string): string[] {
  const said = [...read(file).matchAll(/\/\*\*?[\s\S]*?\*\/|\/\/.*|\b(?:it|test|describe)\b[^\n]*/g)];
  return said
    .flatMap(([text]) => [...text.matchAll(/(?:^|[\s(,'"`])([A-M](?:1\d|2[0-7]|[1-9]))(?=[:,. ]|$)/gm)])
    .map(([, id = '']) => id);
}

describe('docs/faults.md', () => {
  it('lists every id once', () => {
    const ids = legend.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(200);
  });

  it('lists every id that code and tests use', () => {
    const files = globSync(['src/**/*.{ts,tsx}', 'test/**/*.ts'], { cwd: ROOT });
    const known = new Set(legend.map(({ id }) => id));
    const unknown = files.flatMap((file) =>
      idsIn(file)
        .filter((id) => !known.has(id))
        .map((id) => `${file}: ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  it.each(legend)('$id has a test that names it, or a reason', ({ id, tests }) => {
    if (tests.startsWith('Not tested: ')) return;
    const files = [...tests.matchAll(/`([\w./-]+\.(?:ts|tsx|mjs))`/g)].map(([, file = '']) => file);
    expect(files).not.toEqual([]);
    // An id in a title, a message or a comment, also at the end of a range such as C1-C9; not a cell (A1) or a key.
    const named = new RegExp(String.raw`(?:^|[\s('"\`*,-])${id}(?=[:,. -])`, 'm');
    for (const file of files) expect(read(file), file).toMatch(named);
  });
});
