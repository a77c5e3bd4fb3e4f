import { expect, test } from 'vitest';
import { makeSession } from '../../../test/browser/support/make-rows.ts';
import { outcomeOf, withDays } from './list-rows.ts';

const NOW = new Date(2026, 10, 16, 12);
const at = (day: number, cost_estimate_usd: number | null) =>
  makeSession({
    id: `s-${day}-${cost_estimate_usd}`,
    started_at: new Date(2026, 10, day, 9).toISOString(),
    cost_estimate_usd,
  });

test('sessions are listed below their day, with their cost relative to the day', () => {
  const rows = withDays([at(16, 2), at(16, 8), at(16, null), at(15, 0), at(3, 1)], NOW);
  expect(rows.map((row) => (row.kind === 'day' ? row.label : row.share))).toEqual([
    'Today',
    0.25,
    1,
    0,
    'Yesterday',
    0,
    'Tuesday 3 November',
    1,
  ]);
});

test.each([
  [
    'Asked “fix it”: 3 files edited (+4 −4). 4 prompts in all.',
    'narrative',
    '3 files edited (+4 −4). 4 prompts in all.',
  ],
  ['Asked “fix it”: no answer.', 'narrative', 'No answer.'],
  ['Scheduled task “check”: answered.', 'narrative', 'Scheduled task “check”: answered.'],
  ['Asked “why”: a note of mine.', 'human', 'Asked “why”: a note of mine.'],
  [null, null, ''],
] as const)('%s of %s', (summary, summary_kind, outcome) => {
  expect(outcomeOf({ summary, summary_kind })).toBe(outcome);
});
