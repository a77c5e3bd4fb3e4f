import { describe, expect, it } from 'vitest';
import type { FoundFile } from './discover.ts';
import { findExpiring, findLost, withCleanupDays } from './retention.ts';

const NOW = new Date('2026-11-15T12:00:00.000Z');
const DAY_MS = 86_400_000;

function file(path: string, ageDays: number): FoundFile {
  const mtimeMs = NOW.getTime() - ageDays * DAY_MS;
  return { path, absolutePath: path, kind: 'main', sessionId: path, agentId: null, sizeBytes: 1, mtimeMs, inode: path };
}

describe('retention', () => {
  it('C8: names the files that go within a week, the next one first, and whether we have them', () => {
    const files = [file('new', 1), file('soon', 25), file('due', 31), file('edge', 23)];
    const expiring = findExpiring(files, { cleanupDays: 30, isSet: false }, ({ path }) => path === 'soon', NOW);
    expect(expiring.map(({ path, daysLeft, isCaptured }) => [path, daysLeft, isCaptured])).toEqual([
      ['due', -1, false],
      ['soon', 5, true],
      ['edge', 7, false],
    ]);
  });

  it('has nothing to say when transcripts are kept for good', () => {
    expect(findExpiring([file('old', 4_000)], { cleanupDays: 99_999, isSet: true }, () => false, NOW)).toEqual([]);
  });

  it('knows sessions of which only prompts are left', () => {
    const history = '{"display":"a","sessionId":"s1"}\n{"display":"b","sessionId":"s2"}\nbroken\n{"sessionId": "s1"}\n';
    expect(findLost(history, (id) => id === 's2')).toEqual(['s1']);
  });

  it.each([
    [null, '{\n  "cleanupPeriodDays": 9\n}\n'],
    ['{}', '{\n  "cleanupPeriodDays": 9\n}'],
    ['{\n  // mine\n  "a": 1\n}\n', '{\n  "cleanupPeriodDays": 9,\n  // mine\n  "a": 1\n}\n'],
    ['{"cleanupPeriodDays": 30, "a": 1}', '{"cleanupPeriodDays": 9, "a": 1}'],
    ['{"cleanupPeriodDays": 9}', '{"cleanupPeriodDays": 9}'],
    ['{\r\n\t"a": 1\r\n}', '{\r\n\t"cleanupPeriodDays": 9,\r\n\t"a": 1\r\n}'],
  ])('changes %j and nothing else in it', (before, after) => {
    expect(withCleanupDays(before, 9)).toBe(after);
  });

  it('leaves settings alone that it does not understand', () => {
    expect(() => withCleanupDays('[]', 9)).toThrow(/not a JSON object/);
  });
});
