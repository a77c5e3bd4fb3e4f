import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FoundFile } from './discover.ts';
import { findExpiring, readRetention, sessionsInHistory, withCleanupDays } from './retention.ts';

const NOW = new Date('2026-11-15T12:00:00.000Z');
const DAY_MS = 86_400_000;

function file(path: string, ageDays: number): FoundFile {
  const mtimeMs = NOW.getTime() - ageDays * DAY_MS;
  return {
    root: '',
    path,
    absolutePath: path,
    kind: 'main',
    sessionId: path,
    agentId: null,
    sizeBytes: 1,
    mtimeMs,
    inode: path,
  };
}

describe('retention', () => {
  it('C8: lists the files that expire within a week, the earliest first, and whether they are archived', () => {
    const files = [file('new', 1), file('soon', 25), file('due', 31), file('edge', 23)];
    const expiring = findExpiring(files, { cleanupDays: 30, isSet: false }, ({ path }) => path === 'soon', NOW);
    expect(expiring.map(({ path, days_left, is_captured }) => [path, days_left, is_captured])).toEqual([
      ['due', -1, false],
      ['soon', 5, true],
      ['edge', 7, false],
    ]);
  });

  it('reports nothing when transcripts are never deleted', () => {
    expect(findExpiring([file('old', 4_000)], { cleanupDays: 99_999, isSet: true }, () => false, NOW)).toEqual([]);
  });

  it('finds the sessions of a prompt history', () => {
    const history = '{"display":"a","sessionId":"s1"}\n{"display":"b","sessionId":"s2"}\nbroken\n{"sessionId": "s1"}\n';
    expect([...sessionsInHistory(history)]).toEqual(['s1', 's2']);
  });

  it.each([
    ['{}\n', '{\n  "cleanupPeriodDays": 9\n}\n'],
    ['{\n  // mine\n  "a": 1\n}\n', '{\n  // mine\n  "a": 1,\n  "cleanupPeriodDays": 9\n}\n'],
    ['{"cleanupPeriodDays": 30, "a": 1}', '{"cleanupPeriodDays": 9, "a": 1}'],
    ['{"cleanupPeriodDays": 9}', '{"cleanupPeriodDays": 9}'],
    ['{\r\n\t"a": 1\r\n}', '{\r\n\t"a": 1,\r\n\t"cleanupPeriodDays": 9\r\n}'],
    ['{"b": {"cleanupPeriodDays": 30}}\n', '{"b": {"cleanupPeriodDays": 30},"cleanupPeriodDays":9}\n'],
    [
      '{\n  // "cleanupPeriodDays": 30\n  "a": "\\"cleanupPeriodDays\\": 30"\n}\n',
      '{\n  // "cleanupPeriodDays": 30\n  "a": "\\"cleanupPeriodDays\\": 30",\n  "cleanupPeriodDays": 9\n}\n',
    ],
  ])('changes %j and nothing else in it', (before, after) => {
    expect(withCleanupDays(before, 9)).toBe(after);
  });

  it.each([
    ['[]', /not a JSON object/],
    ['{"a": oops}', /a value is missing/],
  ])('leaves settings alone that it does not understand: %s', (text, why) => {
    expect(() => withCleanupDays(text, 9)).toThrow(why);
  });

  it.each([
    ['{"cleanupPeriodDays": 90}', 90, true],
    ['\uFEFF{\r\n  "cleanupPeriodDays": 90, // long\r\n}', 90, true],
    ['{\n  // "cleanupPeriodDays": 90\n}', 30, false],
    ['{"env": {"cleanupPeriodDays": 90}}', 30, false],
    ['{"cleanupPeriodDays": 90, oops', 30, false],
  ])('reads %j as %i days', (text, cleanupDays, isSet) => {
    const folder = mkdtempSync(join(tmpdir(), 'fuel-code-retention-'));
    try {
      writeFileSync(join(folder, 'settings.json'), text);
      expect(readRetention(folder)).toEqual({ cleanupDays, isSet });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
