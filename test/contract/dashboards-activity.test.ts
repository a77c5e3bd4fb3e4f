import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiProgram, openApiProgram } from '../support/api-program.ts';
import { PROGRAMS } from '../support/programs.ts';

const ALL = { since: '2020-01-01', until: '2030-01-01', zone: 'Asia/Kathmandu' };

describe.each(PROGRAMS)('activity for the timeline ($name)', (kind) => {
  let program: ApiProgram;
  beforeAll(async () => {
    program = await openApiProgram(kind);
  });
  afterAll(() => program[Symbol.asyncDispose]());

  it('has the same sessions and git activity as the timeline in the terminal', async () => {
    const { client } = program;
    const { sessions, git_activity, is_cut } = await client.get('/activity', { query: ALL });
    const { items } = await client.get('/timeline', { query: { limit: 200 } });
    const listed = items.flatMap((item) => (item.kind === 'session' ? [item.session.id] : []));
    expect(sessions.map(({ id }) => id).toSorted()).toEqual(listed.toSorted());
    const git = items.flatMap((item) => ('git_activity' in item ? [item.git_activity].flat() : []));
    expect(git_activity.map(({ at, type }) => `${at} ${type}`).toSorted()).toEqual(
      git.map(({ timestamp, type }) => `${timestamp} ${type}`).toSorted(),
    );
    expect(is_cut).toBe(false);
  });

  it('has a span for each turn, which starts with its prompt', async () => {
    const { client } = program;
    const { sessions } = await client.get('/activity', { query: ALL });
    expect(sessions.flatMap(({ turns }) => turns).length).toBeGreaterThan(sessions.length);
    for (const { id, turns } of sessions) {
      const outline = await client.get('/sessions/:id/outline', { params: { id } });
      for (const [start, end, ordinal] of turns) {
        expect(end).toBeGreaterThanOrEqual(start);
        expect([id, outline.turns.ordinal.includes(ordinal ?? -1)]).toEqual([id, true]);
      }
    }
  });

  it('is limited to the requested days and sessions', async () => {
    const { client } = program;
    const all = await client.get('/activity', { query: ALL });
    const first = all.sessions[0];
    const day = new Date(first?.turns[0]?.[0] ?? 0).toISOString().slice(0, 10);
    const one = await client.get('/activity', { query: { since: day, until: day, zone: 'UTC' } });
    expect(one.sessions.map(({ id }) => id)).toContain(first?.id);
    expect(one.sessions.length).toBeLessThan(all.sessions.length);
    const own = await client.get('/activity', { query: { ...ALL, q: `session:${first?.id}` } });
    expect(own.sessions.map(({ id }) => id)).toEqual([first?.id]);
    expect(own.git_activity.every(({ session_id }) => session_id === first?.id)).toBe(true);
    await expect(client.get('/activity', { query: { ...ALL, since: '2031-01-01' } })).rejects.toMatchObject({
      code: 'usage',
    });
  });

  it('lists the prompts of a session page by page, as its outline has them', async () => {
    const { client } = program;
    const { sessions } = await client.get('/sessions', { query: { limit: 200 } });
    let pages = 0;
    for (const { id } of sessions) {
      const params = { id };
      const { turns } = await client.get('/sessions/:id/outline', { params });
      const listed = [];
      for (let after: number | null | undefined; after !== null; pages += 1) {
        const page = await client.get('/sessions/:id/prompts', { params, query: { limit: 2, after } });
        expect(page.prompts.length).toBeLessThanOrEqual(2);
        listed.push(...page.prompts);
        after = page.next_after;
      }
      const ordinals = listed.map(({ ordinal }) => ordinal);
      expect(ordinals).toEqual([...new Set(ordinals)].toSorted((a, b) => a - b));
      expect(ordinals.length).toBeGreaterThan(0);
      for (const { ordinal, excerpt, cost_nanos } of listed) {
        const turn = turns.ordinal.indexOf(ordinal);
        expect({ id, excerpt, cost_nanos, agent: turns.agent[turn] }).toEqual({
          id,
          excerpt: turns.excerpt[turn],
          cost_nanos: turns.cost[turn],
          agent: -1,
        });
      }
    }
    expect(pages).toBeGreaterThan(sessions.length);
  });

  it('says how many sessions the first import saved', async () => {
    const { client } = program;
    const { sessions } = await client.get('/sessions', { query: { limit: 200 } });
    const rescue = await client.get('/rescue');
    expect(rescue.sessions).toBe(sessions.length);
    expect(rescue.would_be_deleted).toBeLessThanOrEqual(rescue.sessions);
    expect(Date.parse(rescue.first_import_at ?? '')).not.toBeNaN();
  });
});
