import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimAlert, markAlertSent } from '../../src/store/queries/people/budgets.ts';
import { type ApiProgram, openApiProgram, TOKEN } from '../support/api-program.ts';
import { NOW, PROGRAMS } from '../support/programs.ts';

const ZONE = 'Asia/Kathmandu';
const BEARER = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

describe.each(PROGRAMS)('budgets over the API ($name)', (kind) => {
  let program: ApiProgram;
  beforeAll(async () => {
    program = await openApiProgram(kind);
  });
  afterAll(() => program[Symbol.asyncDispose]());

  const set = (period: 'day' | 'week' | 'month', amount_usd: number, workspace_id?: string) =>
    program.client.post('/budgets', {
      query: { zone: ZONE },
      body: { period, amount_usd, ...(workspace_id === undefined ? {} : { workspace_id }) },
    });
  const list = async () => (await program.client.get('/budgets', { query: { zone: ZONE } })).budgets;

  it('count what costs count, in all and per workspace', async () => {
    const [workspace] = (await program.client.get('/cost', { query: { by: 'workspace', zone: ZONE } })).rows;
    await set('month', 1_000);
    await set('week', 0.01);
    await set('day', 500, workspace?.label);
    const budgets = await list();
    expect(budgets.map(({ period, workspace: name, state }) => [period, name, state])).toEqual([
      ['day', workspace?.label, 'within'],
      ['week', null, 'exceeded'],
      ['month', null, 'within'],
    ]);
    for (const { first_day: since, last_day: until, spent_nanos, workspace_key } of budgets) {
      const by = workspace_key === null ? 'day' : 'workspace';
      const { rows, total } = await program.client.get('/cost', { query: { by, zone: ZONE, since, until } });
      const own = rows.find(({ key }) => key === workspace_key)?.cost_nanos ?? 0;
      expect(spent_nanos).toBe(workspace_key === null ? total.cost_nanos : own);
    }
    expect(budgets.some(({ spent_nanos }) => spent_nanos > 0)).toBe(true);
    expect((await program.client.get('/cost', { query: { zone: ZONE, until: '2020-01-01' } })).budgets).toEqual(
      budgets,
    );
  });

  it('are unique per period and workspace; setting one again changes it', async () => {
    const before = await list();
    const { budgets } = await set('month', 12.34);
    expect(budgets.length).toBe(before.length);
    const [id, amount] = [budgets.at(-1)?.id, budgets.at(-1)?.amount_usd];
    expect([id, amount]).toEqual([before.at(-1)?.id, 12.34]);
  });

  it('follow a workspace that is merged into another', async () => {
    const [from, into] = (await program.client.get('/workspaces')).workspaces;
    await set('month', 77, from?.id);
    await program.client.patch('/workspaces/:workspace_id', {
      params: { workspace_id: from?.id ?? '' },
      body: { merge_into: into?.id ?? '' },
    });
    const merged = (await list()).find(({ amount_usd }) => amount_usd === 77);
    expect(merged).toMatchObject({ workspace: into?.display_name, workspace_key: into?.canonical_id });
  });

  it('are removed by their id', async () => {
    const [first] = await list();
    const params = { budget_id: first?.id ?? '' };
    expect(await program.client.delete('/budgets/:budget_id', { params })).toEqual({ ok: true });
    expect((await list()).map(({ id }) => id)).not.toContain(first?.id);
    await expect(program.client.delete('/budgets/:budget_id', { params })).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([
    { period: 'year', amount_usd: 1 },
    { period: 'day', amount_usd: 0 },
    { period: 'day', amount_usd: 1e9 },
    { period: 'day', amount_usd: '5' },
    { period: 'day', amount_usd: 5, workspace_id: '' },
    { period: 'day' },
  ])('rejects %j', async (body) => {
    const init = { method: 'POST', headers: BEARER, body: JSON.stringify(body) };
    expect((await program.server.request('/api/budgets', init)).status).toBe(400);
  });

  it('an unknown workspace has none', async () => {
    await expect(set('day', 5, 'nowhere')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a threshold is reported by one process, again after a failure, at most three times, and never after a success', async () => {
    const { engine } = program.app.store;
    const alert = { budgetId: 'b', firstDay: '2026-11-15', percent: 80 } as const;
    const claim = (minute: number) =>
      engine.transaction((tx) => claimAlert(tx, alert, new Date(NOW.getTime() + minute * 60_000)));
    const together = await Promise.all([claim(0), claim(0), claim(0)]);
    expect(together.filter(Boolean)).toHaveLength(1);
    expect([await claim(0.5), await claim(2), await claim(4), await claim(6)]).toEqual([false, true, true, false]);
    const next = { ...alert, firstDay: '2026-11-16' };
    expect(await engine.transaction((tx) => claimAlert(tx, next, NOW))).toBe(true);
    await markAlertSent(engine.kysely, { ...next, percent: 100 }, NOW.toISOString());
    const later = new Date(NOW.getTime() + 3_600_000);
    expect(await engine.transaction((tx) => claimAlert(tx, next, later))).toBe(false);
  });
});
