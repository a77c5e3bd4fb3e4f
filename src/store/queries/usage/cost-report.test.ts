import { describe, expect, it } from 'vitest';
import type { CostQuery, CostSession, UsageCell } from '../../../domain/cost.ts';
import { timeSlot } from '../../../domain/usage.ts';
import { type CostFigures, makeCostReport } from './cost-report.ts';

const NOW = new Date('2026-11-15T12:30:00Z');
const PRICES = { book_date: '2026-11-15', sources: ['a list'], user_file: null };

function cell(given: Partial<UsageCell> & { readonly at?: string } = {}): UsageCell {
  const { at = '2026-11-15T12:00:00Z', ...rest } = given;
  const place = { sessionId: 's1', slot: timeSlot(at), model: 'opus', branch: 'main', isSubagent: false };
  const tokens = { tokensIn: 1, tokensOut: 2, cacheRead: 30, cacheWrite: 4, cacheWrite1h: 3 };
  return { ...place, ...tokens, messages: 1, unpricedMessages: 0, costNanos: 100, ...rest };
}

function report(
  cells: readonly UsageCell[],
  query: Partial<CostQuery> = {},
  sessions: Readonly<Record<string, Partial<CostSession>>> = {},
) {
  const known = Object.entries(sessions).map(([id, facts]): [string, CostSession] => [
    id,
    { title: null, workspace: named(''), device: named(''), pullRequests: [], ...facts },
  ]);
  const figures: CostFigures = {
    source: 'store',
    cells,
    sessions: new Map(known),
    prices: PRICES,
    client: null,
    unreadable: 0,
    budgets: [],
    now: NOW,
    deleted_sessions: 0,
  };
  return makeCostReport({ by: 'day', timezone: 'UTC', since: null, until: null, ...query }, figures);
}

const named = (key: string) => ({ key, label: key });
const keysOf = ({ rows }: ReturnType<typeof report>) => rows.map(({ key, cost_nanos }) => [key, cost_nanos]);

describe('a report of costs', () => {
  it('adds up every figure and shows the share of sub-agents', () => {
    const { rows, total } = report([
      cell(),
      cell({ sessionId: 's2', isSubagent: true, costNanos: 11, model: 'haiku' }),
    ]);
    const sums = {
      messages: 2,
      tokens_in: 2,
      tokens_out: 4,
      cache_read_tokens: 60,
      cache_write_tokens: 8,
      cache_write_1h_tokens: 6,
      cost_nanos: 111,
      cost_usd: 1.11e-7,
      subagent_cost_nanos: 11,
      subagent_cost_usd: 1.1e-8,
      unpriced_messages: 0,
    };
    expect(rows).toEqual([{ key: '2026-11-15', label: '2026-11-15', sessions: 2, models: ['haiku', 'opus'], ...sums }]);
    expect(total).toEqual({ sessions: 2, ...sums });
  });

  it('has days, weeks and months of the given time zone, oldest first', () => {
    const cells = [
      cell({ at: '2026-11-15T20:00:00Z', costNanos: 1 }),
      cell({ at: '2026-11-15T17:00:00Z', costNanos: 10 }),
      cell({ at: '2026-11-30T18:15:00Z', costNanos: 100 }),
    ];
    const timezone = 'Asia/Kathmandu';
    expect(keysOf(report(cells, { timezone }))).toEqual([
      ['2026-11-15', 10],
      ['2026-11-16', 1],
      ['2026-12-01', 100],
    ]);
    expect(report(cells, { timezone, by: 'week' }).rows.map(({ key, label }) => [key, label])).toEqual([
      ['2026-11-09', '2026-W46'],
      ['2026-11-16', '2026-W47'],
      ['2026-11-30', '2026-W49'],
    ]);
    expect(keysOf(report(cells, { timezone, by: 'month' }))).toEqual([
      ['2026-11', 11],
      ['2026-12', 100],
    ]);
  });

  it('includes both days of the range, to the quarter of an hour, even when an hour is missing', () => {
    const cells = ['2026-03-08T04:45:00Z', '2026-03-08T05:00:00Z', '2026-03-09T03:45:00Z', '2026-03-09T04:00:00Z'].map(
      (at, n) => cell({ at, costNanos: 10 ** n }),
    );
    const query = { timezone: 'America/New_York', since: '2026-03-08', until: '2026-03-08' };
    expect(report(cells, query).total.cost_nanos).toBe(110);
    expect(report(cells, { ...query, by: 'model' }).total.cost_nanos).toBe(110);
    expect(report(cells, { ...query, until: null }).total.cost_nanos).toBe(1_110);
    expect(report(cells, { ...query, since: null }).total.cost_nanos).toBe(111);
  });

  it('has blocks of five hours, whose start depends on usage before the range', () => {
    const cells = ['2026-11-14T22:30:00Z', '2026-11-15T02:45:00Z', '2026-11-15T03:10:00Z', '2026-11-15T11:50:00Z'].map(
      (at, n) => cell({ at, costNanos: 10 ** n }),
    );
    const whole = report(cells, { by: 'block' });
    expect(whole.rows.map(({ key, label, cost_nanos }) => [key, label, cost_nanos])).toEqual([
      ['2026-11-14T22:00:00.000Z', '2026-11-14 22:00–03:00', 11],
      ['2026-11-15T03:00:00.000Z', '2026-11-15 03:00–08:00', 100],
      ['2026-11-15T11:00:00.000Z', '2026-11-15 11:00–16:00', 1_000],
    ]);
    const today = report(cells, { by: 'block', since: '2026-11-15' });
    expect(today.rows.map(({ key, cost_nanos }) => [key.slice(8, 16), cost_nanos])).toEqual([
      ['14T22:00', 10],
      ['15T03:00', 100],
      ['15T11:00', 1_000],
    ]);
    expect(today.total).toEqual(report(cells, { since: '2026-11-15' }).total);
    expect(report(cells, { by: 'block', timezone: 'Asia/Kathmandu' }).rows[2]?.label).toBe('2026-11-15 16:45–21:45');
  });

  it('has the burn rate of the whole current block, and of no other', () => {
    const cells = [
      cell({ at: '2026-11-15T12:10:00Z', costNanos: 2_000_000_000 }),
      cell({ at: '2026-11-15T04:00:00Z' }),
    ];
    const { active_block } = report(cells, { by: 'block', until: '2026-11-14' });
    expect(active_block).toMatchObject({
      starts_at: '2026-11-15T12:00:00.000Z',
      ends_at: '2026-11-15T17:00:00.000Z',
      minutes_left: 270,
      total: { sessions: 1, messages: 1, cost_usd: 2 },
      tokens: 37,
      tokens_per_minute: 37 / 30,
      cost_usd_per_hour: 4,
      projected_tokens: 37 * 10,
      projected_cost_usd: 20,
    });
    expect(report(cells.slice(1), { by: 'block' }).active_block).toBeNull();
    expect(report(cells).active_block).toBeNull();
    const unpriced = report([cell({ unpricedMessages: 1, costNanos: 0 })], { by: 'block' }).active_block;
    expect(unpriced).toMatchObject({ cost_usd_per_hour: null, projected_cost_usd: null, projected_tokens: 37 * 10 });
  });

  it('has the most expensive first unless it is by time', () => {
    const cells = [cell({ model: 'b', costNanos: 5 }), cell({ model: 'a', costNanos: 5 }), cell({ model: 'c' })];
    expect(keysOf(report(cells, { by: 'model' }))).toEqual([
      ['c', 100],
      ['a', 5],
      ['b', 5],
    ]);
  });

  it('names sessions, workspaces, devices and branches, and sessions without any', () => {
    const cells = [cell(), cell({ sessionId: 's2', branch: '', costNanos: 7 })];
    const sessions = { s1: { title: 'Fix it', workspace: { key: 'github.com/a/b', label: 'b' }, device: named('d1') } };
    const labels = (by: CostQuery['by']) => report(cells, { by }, sessions).rows.map(({ key, label }) => [key, label]);
    expect(labels('session')).toEqual([
      ['s1', 'Fix it'],
      ['s2', 's2'],
    ]);
    expect(labels('workspace')).toEqual([
      ['github.com/a/b', 'b'],
      ['', '(none)'],
    ]);
    expect(labels('device')).toEqual([
      ['d1', 'd1'],
      ['', '(none)'],
    ]);
    expect(labels('branch')).toEqual([
      ['main', 'main'],
      ['', '(none)'],
    ]);
  });

  it('counts a session with several pull requests once, under all of them', () => {
    const cells = [cell(), cell({ sessionId: 's2', costNanos: 7 }), cell({ sessionId: 's3', costNanos: 3 })];
    const sessions = { s1: { pullRequests: ['a/b#1', 'a/b#2'] }, s2: { pullRequests: ['a/b#1'] } };
    const found = report(cells, { by: 'pr' }, sessions);
    expect(found.rows.map(({ key, label, cost_nanos }) => [key, label, cost_nanos])).toEqual([
      ['a/b#1, a/b#2', 'a/b#1, #2', 100],
      ['a/b#1', 'a/b#1', 7],
      ['', '(none)', 3],
    ]);
    expect(found.total.cost_nanos).toBe(110);
  });

  it('never shows an unknown price as zero', () => {
    const unknown = cell({ model: 'llama', costNanos: 0, unpricedMessages: 1 });
    const { rows, total, unknown_models } = report([unknown, cell()], { by: 'model' });
    expect(rows.map(({ key, cost_nanos, cost_usd }) => [key, cost_nanos, cost_usd])).toEqual([
      ['opus', 100, 1e-7],
      ['llama', null, null],
    ]);
    expect(total).toMatchObject({ cost_nanos: 100, unpriced_messages: 1 });
    expect(unknown_models).toEqual([{ model: 'llama', messages: 1, tokens: 37 }]);
  });

  it('counts usage without a time only in the total', () => {
    const cells = [{ ...cell({ costNanos: 7 }), slot: null }, cell()];
    expect(report(cells).rows.map(({ label, cost_nanos }) => [label, cost_nanos])).toEqual([
      ['(no time)', 7],
      ['2026-11-15', 100],
    ]);
    expect(report(cells, { since: '2020-01-01' }).total.cost_nanos).toBe(100);
  });

  it('is empty without usage', () => {
    expect(report([])).toMatchObject({ rows: [], total: { cost_nanos: 0, messages: 0, sessions: 0 } });
  });
});
