import { expect, test } from 'vitest';
import { rescueSentence } from './rescue.ts';

const NOW = new Date('2026-11-16T12:00:00.000Z');
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
