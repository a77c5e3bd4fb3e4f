import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionRow } from '../../src/api/sessions.ts';
import { createCommands, sendTo } from '../../src/app/commands.ts';
import { rebuild } from '../../src/app/rebuild.ts';
import { BUILT_IN_VIEWS } from '../../src/domain/saved-view.ts';
import { SESSION_SORTS, type SessionSort, SORT_ORDERS } from '../../src/domain/session-sort.ts';
import { formatTerm } from '../../src/reading/query/terms.ts';
import { type ApiProgram, openApiProgram } from '../support/api-program.ts';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { fixedClock, PROGRAMS, silentLog } from '../support/programs.ts';

const programs: ApiProgram[] = [];
beforeAll(async () => {
  for (const program of PROGRAMS) programs.push(await openApiProgram(program));
});
afterAll(async () => {
  for (const program of programs) await program[Symbol.asyncDispose]();
});

const SORTS = Object.keys(SESSION_SORTS) as SessionSort[];

const VALUES: Partial<Record<SessionSort, (row: SessionRow) => string | number | null>> = {
  time: ({ started_at }) => started_at,
  cost: ({ cost_estimate_usd }) => cost_estimate_usd,
  duration: ({ duration_ms }) => duration_ms,
  tokens: ({ tokens_in, tokens_out, cache_read_tokens, cache_write_tokens }) =>
    (tokens_in ?? 0) + (tokens_out ?? 0) + (cache_read_tokens ?? 0) + (cache_write_tokens ?? 0),
  messages: ({ total_messages }) => total_messages,
  title: ({ title }) => title?.toLowerCase() ?? null,
  workspace: ({ workspace_name }) => workspace_name.toLowerCase(),
};

describe.each(PROGRAMS.map(({ name }, index) => ({ name, index })))('the session list on $name', ({ index }) => {
  const api = () => programs[index] as ApiProgram;
  const list = (query: Record<string, unknown>) => api().client.get('/sessions', { query: { limit: 200, ...query } });
  const idsOf = async (q: string) => (await list({ q })).sessions.map(({ id }) => id);

  it.each(SORTS)('is sorted by %s in both directions, and pages of one session give the same order', async (sort) => {
    for (const order of SORT_ORDERS) {
      const { sessions } = await list({ sort, order, all: true });
      const valueOf = VALUES[sort];
      const values = sessions.map((row) => valueOf?.(row) ?? null).filter((value) => value !== null);
      const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      expect(values, `${sort} ${order}`).toEqual(order === 'asc' ? sorted : sorted.reverse());
      const paged: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ sort, order, all: true, limit: 1, cursor });
        paged.push(...page.sessions.map(({ id }) => id));
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(paged).toEqual(sessions.map(({ id }) => id));
    }
  });

  it('rejects a cursor of another order, and invalid ones', async () => {
    const { next_cursor } = await list({ sort: 'cost', limit: 1 });
    for (const query of [{ sort: 'title' }, { sort: 'cost', order: 'asc' }, {}]) {
      await expect(list({ ...query, cursor: next_cursor ?? '' })).rejects.toMatchObject({ code: 'usage' });
    }
    const forged = Buffer.from(JSON.stringify({ by: 'cost', way: 'desc', v: 'x', i: 'y' })).toString('base64url');
    await expect(list({ sort: 'cost', cursor: forged })).rejects.toMatchObject({ code: 'usage' });
    await expect(list({ sort: 'size' })).rejects.toMatchObject({ code: 'usage' });
  });

  it('a facet used as a filter finds exactly as many sessions as counted', async () => {
    await api().client.patch('/sessions', { body: { session_ids: [await newestId(api())], add_tags: ['ferry'] } });
    for (const q of [undefined, 'has:commit', 'model:claude -has:plan']) {
      const report = await api().client.get('/facets', { query: { q } });
      const { sessions } = await list({ q });
      expect(report.sessions).toBe(sessions.length);
      const dollars = sessions.reduce((sum, { cost_estimate_usd }) => sum + (cost_estimate_usd ?? 0), 0);
      expect(report.cost_nanos / 1e9).toBeCloseTo(dollars, 8);
      for (const { field, values } of report.facets) {
        for (const { value, sessions: count } of values) {
          const term = formatTerm(field, value);
          expect([term, (await idsOf([q, term].filter(Boolean).join(' '))).length]).toEqual([term, count]);
        }
      }
    }
    const { facets } = await api().client.get('/facets');
    expect(facets.map(({ field }) => field)).toEqual(['workspace', 'branch', 'model', 'tag', 'kind', 'is', 'has']);
  });

  it('tells workspaces of the same name apart, by label and by filter', async () => {
    const { client } = api();
    const { workspaces } = await client.get('/workspaces');
    const [first, second] = workspaces.filter(({ sessions }) => sessions > 0);
    if (first === undefined || second === undefined) throw new Error('There are no two workspaces.');
    const rename = (workspace_id: string, display_name: string) =>
      client.patch('/workspaces/:workspace_id', { params: { workspace_id }, body: { display_name } });
    await rename(second.id, first.display_name);
    const { facets } = await client.get('/facets');
    const values = facets.find(({ field }) => field === 'workspace')?.values ?? [];
    const named = values.filter(({ label }) => label.startsWith(`${first.display_name} (`));
    expect(named).toHaveLength(2);
    expect(new Set(named.map(({ label }) => label)).size).toBe(2);
    for (const { value, sessions } of named) {
      expect(value).not.toMatch(/^ws_/);
      expect((await idsOf(formatTerm('workspace', value) ?? '')).length).toBe(sessions);
    }
    await rename(second.id, second.display_name);
  });

  it('finds exactly one branch with =, and others that contain it without', async () => {
    const { facets } = await api().client.get('/facets');
    const { value = '', label = '' } = facets.find(({ field }) => field === 'branch')?.values[0] ?? {};
    expect(value).toBe(`=${label}`);
    const part = label.slice(0, -1);
    expect(await idsOf(`branch:${part}`)).not.toEqual([]);
    expect(await idsOf(`branch:=${part}`)).toEqual([]);
    expect(await idsOf(`branch:=${label.toUpperCase()}`)).toEqual(await idsOf(`branch:=${label}`));
  });

  it("adds up each day of a period in the reader's time zone", async () => {
    for (const zone of ['UTC', 'Pacific/Auckland', 'America/New_York']) {
      const { days } = await api().client.get('/session-days', { query: { zone, days: 366 } });
      expect(days).toHaveLength(366);
      expect(days.map(({ day }) => day)).toEqual(days.map(({ day }) => day).toSorted());
      const { sessions } = await list({ zone, after: days[0]?.day });
      expect(days.reduce((sum, day) => sum + day.sessions, 0)).toBe(sessions.length);
      const busy = days.filter((day) => day.sessions > 0);
      expect(busy.length).toBeGreaterThan(0);
      for (const { day, sessions: count, cost_nanos } of busy) {
        const next = days[days.findIndex((each) => each.day === day) + 1]?.day ?? '2100-01-01';
        const found = (await list({ zone, q: `after:${day} before:${next}` })).sessions;
        expect([day, found.length]).toEqual([day, count]);
        expect(cost_nanos / 1e9).toBeCloseTo(
          found.reduce((sum, { cost_estimate_usd }) => sum + (cost_estimate_usd ?? 0), 0),
          8,
        );
      }
    }
  });

  it('changes several sessions at once and says what happened to each', async () => {
    const [first = '', second = ''] = (await list({})).sessions.map(({ id }) => id);
    const { results } = await api().client.patch('/sessions', {
      body: { session_ids: [first, second, 'nobody', first], add_tags: ['Later', 'a/b'], is_pinned: true },
    });
    expect(results).toEqual([
      { session_id: first, is_changed: true, error: null },
      { session_id: second, is_changed: true, error: null },
      { session_id: 'nobody', is_changed: false, error: { code: 'not_found', message: expect.any(String) } },
    ]);
    const pinned = (await list({ q: 'is:pinned tag:later' })).sessions;
    expect(new Set(pinned.map(({ id }) => id))).toEqual(new Set([first, second]));
    expect(pinned.every(({ is_pinned, tags }) => is_pinned && tags.includes('a/b'))).toBe(true);
    const bad = await api().client.patch('/sessions', { body: { session_ids: [first], add_tags: ['two words'] } });
    expect(bad.results).toMatchObject([{ is_changed: false, error: { code: 'usage' } }]);
    await api().client.patch('/sessions', {
      body: { session_ids: [first, second], remove_tags: ['later', 'a/b'], is_pinned: false },
    });
    expect(await idsOf('is:pinned tag:later')).toEqual([]);
    await expect(api().client.patch('/sessions', { body: { session_ids: [first] } })).rejects.toMatchObject({
      code: 'usage',
    });
  });

  it('keeps named views: saved, changed, removed; an invalid name or query is rejected', async () => {
    const { client } = api();
    const saved = await client.post('/views', { body: { name: ' Ferry bugs ', q: 'tag:ferry kind:debugging' } });
    expect(saved).toMatchObject({ name: 'Ferry bugs', q: 'tag:ferry kind:debugging', sort: null, group: null });
    await expect(client.post('/views', { body: { name: 'ferry BUGS', q: '' } })).rejects.toMatchObject({
      code: 'conflict',
    });
    for (const q of ['some words', 'modle:opus', 'has:nothing', '(']) {
      await expect(client.post('/views', { body: { name: q, q } }), q).rejects.toMatchObject({ code: 'bad_query' });
    }
    await expect(client.post('/views', { body: { name: '  ', q: '' } })).rejects.toMatchObject({ code: 'usage' });
    const other = await client.post('/views', { body: { name: 'Dear', q: '', sort: 'cost', group: 'workspace' } });
    const params = { view_id: saved.id };
    await expect(client.patch('/views/:view_id', { params, body: { name: 'dear' } })).rejects.toMatchObject({
      code: 'conflict',
    });
    const changed = await client.patch('/views/:view_id', { params, body: { q: 'tag:ferry', order: 'asc' } });
    expect(new Set((await client.get('/views')).views)).toEqual(new Set([changed, other]));
    expect(changed).toMatchObject({ name: 'Ferry bugs', q: 'tag:ferry', order: 'asc' });
    for (const { id: view_id } of [saved, other]) await client.delete('/views/:view_id', { params: { view_id } });
    expect((await client.get('/views')).views).toEqual([]);
    await expect(client.delete('/views/:view_id', { params })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('answers every built-in view', async () => {
    const counts: Record<string, number> = {};
    for (const { name, view } of BUILT_IN_VIEWS) {
      counts[name] = (await list({ q: view.q === '' ? undefined : view.q })).sessions.length;
    }
    expect(Object.keys(counts)).toEqual(['All', 'Live', 'Pinned', 'Failed tests', '> $5']);
    expect(counts['All']).toBeGreaterThan(0);
    expect(counts['Failed tests']).toBeLessThan(counts['All'] ?? 0);
  });
});

async function newestId({ client }: ApiProgram): Promise<string> {
  return (await client.get('/sessions', { query: { limit: 1 } })).sessions[0]?.id ?? '';
}

const ID = '11111111-1111-4111-8111-111111111111';

describe.each(PROGRAMS)('a custom title on $name', ({ create }) => {
  it('is shown and found, survives growth and a rebuild, and can be reset to the automatic one', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    const talk = createTalk(ID);
    home.write(`-w/${ID}.jsonl`, [talk.user('Repair the clock.')]);
    const read = async (app: Awaited<ReturnType<typeof program.open>>) =>
      app.get('/sessions/:id', { params: { id: ID } });
    let automatic: string | null = null;
    {
      await using app = await program.open();
      await app.importNew();
      automatic = (await read(app)).title;
      const send = sendTo(createCommands(app, fixedClock, () => {}));
      const title = (text: string | null) => send('PATCH /sessions/:id', { params: { id: ID }, body: { title: text } });
      expect(await title('  Winter\n time ')).toMatchObject({ title: 'Winter time' });
      expect(await send('PATCH /sessions/:id', { params: { id: ID }, body: { summary: 'Mine.' } })).toMatchObject({
        title: 'Winter time',
        summary: 'Mine.',
      });
      expect((await app.get('/search', { query: { q: 'winter', limit: 5 } })).total.sessions).toBe(1);
      await expect(title('x'.repeat(301))).rejects.toMatchObject({ code: 'too_large' });
      home.append(`-w/${ID}.jsonl`, [talk.user('And the bell.')]);
      await app.importNew();
      expect(await read(app)).toMatchObject({ title: 'Winter time', summary: 'Mine.', user_messages: 2 });
      await send('POST /views', { body: { name: 'Kept', q: 'is:pinned' } });
    }
    await rebuild({ config: program.config, clock: fixedClock, log: silentLog }, {});
    await using app = await program.open();
    expect(await read(app)).toMatchObject({ title: 'Winter time', summary: 'Mine.' });
    expect((await app.get('/views')).views).toMatchObject([{ name: 'Kept' }]);
    const send = sendTo(createCommands(app, fixedClock, () => {}));
    expect(await send('PATCH /sessions/:id', { params: { id: ID }, body: { title: ' ' } })).toMatchObject({
      title: automatic,
      summary: 'Mine.',
    });
  });
});
