import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createSearchFile, openSearchFile } from './search-file.ts';

const WORDS_PER_SEGMENT = 20_000;

it('a dozen large segments of the index are not merged yet: an import would write each word more often', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'search.db');
  createSearchFile(path);
  using database = openSearchFile(path);
  const insert = database.prepare('INSERT INTO search_index (rowid, words, parts) VALUES (?, ?, ?)');
  for (let segment = 1; segment <= 12; segment += 1) {
    const words = Array.from({ length: WORDS_PER_SEGMENT }, (_, at) => `segment${segment}word${at}`);
    insert.run(segment, words.join(' '), '');
  }
  const { segments } = database.prepare('SELECT count(DISTINCT segid) AS segments FROM search_index_idx').get() ?? {};
  expect(segments).toBe(12);
});
