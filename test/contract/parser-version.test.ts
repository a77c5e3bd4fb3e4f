import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PARSER_VERSION } from '../../src/transcript/parser-version.ts';
import { type Digests, digestOfRows, withDigest } from '../support/row-digests.ts';

const FILE = new URL('row-digests.json', import.meta.url);
const readDigests = () => JSON.parse(readFileSync(FILE, 'utf8')) as Digests;

describe('PARSER_VERSION', () => {
  it('is raised whenever the fixtures produce different rows (RECORD_ROWS=1 records the rows of a new version)', () => {
    const digest = digestOfRows();
    const mode = process.env.RECORD_ROWS;
    if (mode !== undefined) {
      const digests = withDigest(readDigests(), PARSER_VERSION, digest, mode === 'replace');
      writeFileSync(FILE, `${JSON.stringify(digests, null, 2)}\n`);
    }
    const advice = 'The parser produces other rows than recorded: see "Changing the parser" in CONTRIBUTING.md';
    expect(readDigests()[PARSER_VERSION], advice).toBe(digest);
  });

  it('keeps the digest of a version that is already recorded', () => {
    const recorded = { 5: 'aa', 6: 'bb' };
    expect(() => withDigest(recorded, 6, 'cc', false)).toThrow('Raise PARSER_VERSION');
    expect(withDigest(recorded, 6, 'bb', false)).toEqual(recorded);
    expect(withDigest(recorded, 7, 'cc', false)).toEqual({ ...recorded, 7: 'cc' });
    expect(withDigest(recorded, 6, 'cc', true)).toEqual({ 5: 'aa', 6: 'cc' });
  });
});
