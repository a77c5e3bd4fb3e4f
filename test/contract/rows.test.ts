import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { generateRows, listColumns } from '../support/generate-rows.ts';
import { STORES } from '../support/stores.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
const ROWS_FILE = new URL('../../src/store/rows.ts', import.meta.url);

describe.each(STORES)('row types on $name', ({ open }) => {
  it('match the migrated database (UPDATE_ROWS=1 rewrites the file)', async () => {
    await using store = await open();
    const generated = await generateRows(store.engine);
    if (process.env.UPDATE_ROWS === '1') await writeFile(ROWS_FILE, generated);
    expect(await readFile(ROWS_FILE, 'utf8')).toBe(generated);
  });

  // Regression: these columns were never filled.
  it('have no column that the code never uses', async () => {
    await using store = await open();
    const columns = await listColumns(store.engine);
    const words = new Set(sources().flatMap((text) => text.match(/\w+/g) ?? []));
    expect(columns.filter(({ name }) => !words.has(name)).map(({ table, name }) => `${table}.${name}`)).toEqual([]);
  });
});

/** Everything but the migrations and the generated row types, which name every column. */
function sources(): readonly string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|^store\/(?:migrations\/|rows\.ts)/.test(path))
    .map((path) => readFileSync(join(SRC, path), 'utf8'));
}
