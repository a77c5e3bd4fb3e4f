import { describe, expect, it } from 'vitest';
import { type BudgetNote, budgetFromJournal, markOf, periodOf, stateOf } from './budget.ts';
import { toJournal } from './journal-note.ts';
import type { JsonObject } from './transcript.ts';

describe('budgets', () => {
  it.each([
    ['day', '2026-11-15', '2026-11-15', '2026-11-15'],
    ['week', '2026-11-15', '2026-11-09', '2026-11-15'],
    ['week', '2026-11-16', '2026-11-16', '2026-11-22'],
    ['month', '2026-11-15', '2026-11-01', '2026-11-30'],
    ['month', '2026-12-31', '2026-12-01', '2026-12-31'],
    ['month', '2028-02-29', '2028-02-01', '2028-02-29'],
    ['month', '2027-02-01', '2027-02-01', '2027-02-28'],
  ] as const)('the %s of %s is from %s to %s', (period, day, first, last) => {
    expect(periodOf(period, day)).toEqual({ first, last });
  });

  it.each([
    [0, null, 'within'],
    [799, null, 'within'],
    [800, 80, 'near'],
    [999, 80, 'near'],
    [1_000, 100, 'exceeded'],
    [5_000, 100, 'exceeded'],
  ])('%i of 1000 reach the threshold %j', (spent, mark, state) => {
    expect([markOf(spent, 1_000), stateOf(spent, 1_000)]).toEqual([mark, state]);
  });

  it('are restored from the journal, and nothing else is', () => {
    const set: BudgetNote = {
      what: 'budget_set',
      id: 'b1',
      at: '2026-11-15T12:00:00.000Z',
      period: 'day',
      workspaceKey: null,
      amountNanos: 5,
    };
    const removed: BudgetNote = { what: 'budget_removed', id: 'b1', at: set.at };
    expect([set, removed].map((note) => budgetFromJournal(toJournal(note)))).toEqual([set, removed]);
    const changes: readonly JsonObject[] = [
      { format: 2 },
      { at: 1 },
      { what: 'x' },
      { period: 'year' },
      { amountNanos: '5' },
      { id: null },
    ];
    for (const change of changes) expect(budgetFromJournal({ ...toJournal(set), ...change })).toBeNull();
  });
});
