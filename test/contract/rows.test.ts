import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { generateRows } from '../support/generate-rows.ts';
import { STORES } from '../support/stores.ts';

const ROWS_FILE = new URL('../../src/store/rows.ts', import.meta.url);

describe.each(STORES)('row types on $name', ({ open }) => {
  it('are those of the migrated database (UPDATE_ROWS=1 rewrites the file)', async () => {
    await using store = await open();
    const generated = await generateRows(store.engine);
    if (process.env.UPDATE_ROWS === '1') await writeFile(ROWS_FILE, generated);
    expect(await readFile(ROWS_FILE, 'utf8')).toBe(generated);
  });
});
