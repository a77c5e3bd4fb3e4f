import { expect, test } from 'vitest';
import type { Checkup } from '../api/checkup.ts';
import { healthCards, healthSentence, rescueSentence } from './health.ts';

const NOW = new Date('2026-11-16T12:00:00.000Z');
const GOOD: Checkup = {
  checks: [],
  files: { found: 206, archived: 206, waiting: 0, empty: 0, ignored: 0, skipped: 0 },
  newest_archived_at: '2026-11-16T11:59:56.000Z',
  expiring: { files: 12, not_captured: 0, days: 7, next_days_left: 6 },
  is_full: false,
};
const NONE = { files: 0, not_captured: 0, days: 7, next_days_left: null };
const bad = { name: 'disk', state: 'bad', message: 'full', is_damage: true, files: [] } as const;

test.each<[string, Partial<Checkup>]>([
  ['All 206 files archived, the newest 4 s ago. 12 would be deleted within 7 days and are safe here.', {}],
  ['All 206 files archived, the newest 4 s ago.', { expiring: NONE }],
  [
    '200 of 206 files archived, the newest 4 s ago; 6 have new content that is not archived yet. Claude Code deletes 12 within 7 days, and 2 of them are not archived yet.',
    { files: { ...GOOD.files, archived: 200, waiting: 6 }, expiring: { ...GOOD.expiring, not_captured: 2 } },
  ],
  ['No transcripts found.', { files: { ...GOOD.files, found: 3, archived: 0, empty: 3 }, expiring: NONE }],
  [
    'All 206 files archived. 1 file or folder could not be read. 1 check failed.',
    { files: { ...GOOD.files, skipped: 1 }, newest_archived_at: null, expiring: NONE, checks: [bad] },
  ],
])('%s', (sentence, given) => {
  expect(healthSentence({ ...GOOD, ...given }, NOW)).toBe(sentence);
});

test('every check has a card, even a new one', () => {
  const checks = ['hooks', 'disk', 'something new'].map((name) => ({ ...bad, name }));
  const shown = healthCards({ ...GOOD, checks }).flatMap((card) => card.checks.map(({ name }) => [card.title, name]));
  expect(shown).toEqual([
    ['Capture', 'hooks'],
    ['Storage', 'disk'],
    ['Server', 'something new'],
  ]);
});

const of = (sessions: number, would_be_deleted: number, first_import_at: string | null = '2026-11-16T11:00:00.000Z') =>
  rescueSentence({ sessions, would_be_deleted, first_import_at }, NOW);

test('the first import is news for a day', () => {
  expect(of(218, 31)).toBe('218 sessions archived; 31 of them would have been deleted this week.');
  expect(of(3, 3)).toBe('3 sessions archived; all of them would have been deleted this week.');
  expect(of(1, 1)).toBe('1 session archived; it would have been deleted this week.');
  expect(of(5, 0)).toBe('5 sessions archived. They stay here, whatever Claude Code deletes.');
  expect(of(1, 0)).toBe('1 session archived. It stays here, whatever Claude Code deletes.');
  expect(of(5, 1, '2026-11-14T11:00:00.000Z')).toBeNull();
  expect(of(0, 0)).toBeNull();
  expect(of(5, 1, null)).toBeNull();
});
