import { expect, test } from 'vitest';
import { makeSession } from '../../test/browser/support/make-rows.ts';
import { type ListRow, mergeFirstPage, sessionsOf, toListRows } from './list-rows.ts';
import { errorsOf, outcomeOf } from './session-facts.ts';

const NOW = new Date(2026, 10, 16, 12);
const at = (day: number, cost_estimate_usd: number | null, fields: Partial<Parameters<typeof makeSession>[0]> = {}) =>
  makeSession({
    id: `s-${day}-${cost_estimate_usd}`,
    title: `Session ${day} ${cost_estimate_usd}`,
    started_at: new Date(2026, 10, day, 9).toISOString(),
    cost_estimate_usd,
    ...fields,
  });
const shown = (row: ListRow) => {
  if (row.kind === 'heading') return `${row.label}: ${row.sessions}, ${row.cost}`;
  return row.kind === 'fold' ? `${row.session.title} × ${row.members.length}` : row.share;
};
const byDay = { group: 'day', now: NOW, open: new Set<string>() } as const;

test('sessions are listed below their day, with their cost relative to the day', () => {
  const rows = toListRows([at(16, 2), at(16, 8), at(16, null), at(15, 0), at(3, 1)], byDay);
  expect(rows.map(shown)).toEqual(['Today: 3, 10', 0.25, 1, 0, 'Yesterday: 1, 0', 0, 'Tuesday 3 November: 1, 1', 1]);
});

test('sessions are listed below their workspace, or without headings', () => {
  const sessions = [at(16, 2, { workspace_name: 'a' }), at(15, 8, { workspace_name: 'b' })];
  expect(toListRows(sessions, { ...byDay, group: 'workspace' }).map(shown)).toEqual(['a: 1, 2', 1, 'b: 1, 8', 1]);
  expect(toListRows(sessions, { ...byDay, group: 'none' }).map(shown)).toEqual([0.25, 1]);
});

test('repeated automation of a day is one row that opens; pinned and tagged sessions stay separate', () => {
  const warmup = (id: string, fields = {}) => at(16, 1, { id, title: 'Warmup', ...fields });
  const sessions = [
    warmup('a'),
    at(16, 4),
    warmup('b'),
    warmup('c', { is_pinned: true }),
    warmup('d', { lifecycle: 'capturing' }),
    warmup('e', { workspace_id: 'elsewhere' }),
    warmup('f'),
    at(15, 1, { id: 'g', title: 'Warmup' }),
  ];
  const closed = toListRows(sessions, byDay);
  expect(closed.map((row) => (row.kind === 'session' ? row.session.id : shown(row)))).toEqual([
    'Today: 7, 10',
    'Warmup × 3',
    's-16-4',
    'c',
    'd',
    'e',
    'Yesterday: 1, 1',
    'g',
  ]);
  const fold = closed[1];
  expect(sessionsOf(fold).map(({ id }) => id)).toEqual(['a', 'b', 'f']);
  const open = toListRows(sessions, { ...byDay, open: new Set([fold?.key ?? '']) });
  expect(open.slice(1, 6).map(({ key }) => key)).toEqual([fold?.key, 'a', 'b', 'f', 's-16-4']);
});

test('a reloaded first page replaces the old one and loses nothing after it', () => {
  const row = (day: number, id: string) => at(day, 1, { id });
  const pages = [[row(14, 'c'), row(13, 'gone'), row(12, 'b')], [row(10, 'a')]];
  const ids = (first: readonly ReturnType<typeof row>[] | undefined, all = pages) =>
    mergeFirstPage(first, all, true).map(({ id }) => id);
  expect(ids(undefined)).toEqual(['c', 'gone', 'b', 'a']);
  expect(ids([row(15, 'new'), row(14, 'c'), row(12.5, 'x')])).toEqual(['new', 'c', 'x', 'b', 'a']);
  expect(ids([row(15, 'new')], pages.slice(0, 1))).toEqual(['new']);
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

test('failed calls and API errors are counted together', () => {
  expect(errorsOf({ work: null })).toBe(0);
  expect(errorsOf({ work: { lines_added: 1, lines_removed: 1, commits: 1, failed_calls: 2, api_errors: 3 } })).toBe(5);
});
