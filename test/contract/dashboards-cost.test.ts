import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsQuery } from '../../src/reading/session-query.ts';
import { type ApiProgram, openApiProgram } from '../support/api-program.ts';
import { createTalk, text } from '../support/claude-home.ts';
import { NOW, PROGRAMS } from '../support/programs.ts';

const ZONE = 'Asia/Kathmandu';
/** A session that starts on the first branch and later works on the others. */
const BRANCHES = ['first', 'second', 'third'] as const;
const DAYS = ['2026-11-02', '2026-11-03', '2026-11-03'] as const;
const sum = (rows: readonly { readonly cost_nanos: number | null }[]) =>
  rows.reduce((all, { cost_nanos }) => all + (cost_nanos ?? 0), 0);

describe.each(PROGRAMS)('figures of the cost dashboard ($name)', (kind) => {
  let program: ApiProgram;
  beforeAll(async () => {
    program = await openApiProgram(kind);
  });
  afterAll(() => program[Symbol.asyncDispose]());

  it('periods agree with the cost report, each with the period before it', async () => {
    const { client } = program;
    const { periods } = await client.get('/cost/periods', { query: { zone: ZONE } });
    expect(periods.map(({ days }) => days)).toEqual([1, 7, 30]);
    for (const { since, until, total, before } of periods) {
      for (const range of [{ since, until, total }, before]) {
        const query = { zone: ZONE, since: range.since, until: range.until };
        expect(range.total).toEqual((await client.get('/cost', { query })).total);
      }
      expect(Date.parse(since) - Date.parse(before.since)).toBe(Date.parse(until) - Date.parse(before.until));
    }
    expect(periods[0]?.until).toBe(new Date(NOW).toISOString().slice(0, 10));
  });

  it('every breakdown adds up to the cost report of the same days', async () => {
    const { client } = program;
    const days = await client.get('/cost', { query: { zone: ZONE } });
    const breakdown = await client.get('/cost/breakdown', { query: { zone: ZONE } });
    expect(breakdown.total).toEqual(days.total);
    for (const { key, cost_nanos } of days.rows)
      expect([key, sum(breakdown.days.filter(({ day }) => day === key))]).toEqual([key, cost_nanos]);
    const workspaces = await client.get('/cost', { query: { by: 'workspace' } });
    for (const { key, cost_nanos } of workspaces.rows) {
      const own = breakdown.places.filter(({ workspace_key }) => workspace_key === key);
      expect([key, sum(own)]).toEqual([key, cost_nanos]);
    }
    const models = await client.get('/cost', { query: { by: 'model' } });
    for (const { key, cost_nanos } of models.rows)
      expect([key, sum(breakdown.rates.filter(({ model }) => model === key))]).toEqual([key, cost_nanos ?? 0]);
    for (const place of breakdown.places) {
      const query = { zone: ZONE, workspace: place.workspace_key, branch: place.branch };
      const { sessions } = await client.get('/cost/sessions', { query });
      expect([sessions.length, sum(sessions)]).toEqual([place.sessions, place.cost_nanos]);
    }
  });

  it('the cache savings follow from the prices of each message', async () => {
    const { client, app } = program;
    const [{ cache }, { rows }] = await Promise.all([client.get('/cost/breakdown'), client.get('/prices')]);
    const messages = await app.store.engine.kysely
      .selectFrom('transcript_messages as m')
      .innerJoin('sessions as s', (join) =>
        join.onRef('s.id', '=', 'm.session_id').onRef('s.revision', '=', 'm.revision'),
      )
      .select(['m.rate_id', 'm.cache_read', 'm.cache_write', 'm.cache_write_1h'])
      .where('m.counted', '=', true)
      .where('m.rate_id', 'is not', null)
      .execute();
    const saved = messages.reduce((all, message) => {
      const rates = rows.find(({ id }) => id === message.rate_id)?.usd_per_million;
      if (rates === undefined) throw new Error(`no price ${message.rate_id}`);
      const [read, write, hour] = [message.cache_read ?? 0, message.cache_write ?? 0, message.cache_write_1h ?? 0];
      const uncached = (read + write) * rates.input;
      const cached = read * rates.cache_read + (write - hour) * rates.cache_write_5m + hour * rates.cache_write_1h;
      return all + (uncached - cached) * 1_000;
    }, 0);
    expect(messages.length).toBeGreaterThan(10);
    expect(cache).toMatchObject({ saved_nanos: Math.round(saved), unknown_messages: 0 });
    expect(cache.saved_nanos).toBeGreaterThan(0);
  });

  it('the link of a figure finds exactly the sessions behind it', async () => {
    const { client } = program;
    const breakdown = await client.get('/cost/breakdown', { query: { zone: ZONE } });
    const links = [
      ...breakdown.days.map(({ day, model, sessions }) => ({
        q: sessionsQuery({ since: day, until: day, models: [model] }),
        sessions,
      })),
      ...breakdown.places
        .filter(({ branch }) => branch !== '')
        .map(({ workspace_key: workspace, branch, sessions }) => ({
          q: sessionsQuery({ workspace, branch }),
          sessions,
        })),
    ];
    expect(links.length).toBeGreaterThan(breakdown.days.length);
    for (const { q, sessions } of links) {
      const found = await client.get('/sessions', { query: { q, zone: ZONE, all: true, limit: 200 } });
      expect([q, found.sessions.length]).toEqual([q, sessions]);
    }
  });

  it('the cost of a branch opens its sessions, including those that used it only briefly', async () => {
    const { client, app, claudeHome } = program;
    const id = 'b4a7c4e5-0000-4000-8000-000000000000';
    const talk = createTalk(id, { startedAt: `${DAYS[0]}T10:00:00.000Z` });
    const lines = BRANCHES.flatMap((gitBranch, at) =>
      [talk.user('Go on.'), talk.assistant(`msg_${gitBranch}`, text('Done.'), { input: 1_000, output: 50 })].map(
        (line) => ({ ...line, gitBranch, timestamp: `${DAYS[at]}T10:0${at}:00.000Z` }),
      ),
    );
    const folder = join(claudeHome, 'projects/-home-ada-shop');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await app.importNew();
    for (const range of [{}, ...DAYS.map((day) => ({ since: day, until: day }))]) {
      const { places } = await client.get('/cost/breakdown', { query: { zone: 'UTC', ...range } });
      const own = places.filter(({ workspace_key }) => workspace_key.endsWith('/shop'));
      expect(own).toHaveLength('since' in range ? BRANCHES.filter((_, at) => DAYS[at] === range.since).length : 3);
      for (const branch of BRANCHES) {
        const workspace = own[0]?.workspace_key ?? '';
        const q = sessionsQuery({ ...range, workspace, branch });
        const found = await client.get('/sessions', { query: { q, zone: 'UTC', all: true, limit: 200 } });
        const behind = own.some((place) => place.branch === branch) ? [id] : [];
        expect([q, found.sessions.map((session) => session.id)]).toEqual([q, behind]);
      }
    }
    const named = await client.get('/sessions', { query: { q: 'branch:=third', all: true } });
    expect(named.sessions.map((session) => session.id)).toEqual([id]);
  });
});
