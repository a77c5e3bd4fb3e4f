import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COST_GROUPS } from '../../src/domain/cost.ts';
import { MAX_EXPORTS_AT_ONCE } from '../../src/server/limits.ts';
import { type ApiProgram, openApiProgram, TOKEN } from '../support/api-program.ts';
import { PROGRAMS } from '../support/programs.ts';

const BEARER = { authorization: `Bearer ${TOKEN}` };

describe.each(PROGRAMS)('figures, exports and workspaces over the API ($name)', (kind) => {
  let program: ApiProgram;
  beforeAll(async () => {
    program = await openApiProgram(kind);
  });
  afterAll(() => program[Symbol.asyncDispose]());

  const get = async (path: string) => program.server.request(`/api${path}`, { headers: BEARER });

  it('costs add up to the usage in every grouping, and the days of a range to the range', async () => {
    const { client } = program;
    const { total } = await client.get('/usage');
    for (const by of COST_GROUPS) {
      const report = await client.get('/cost', { query: { by, zone: 'Asia/Kathmandu' } });
      expect(report).toMatchObject({ by, timezone: 'Asia/Kathmandu', since: null, source: 'store', unreadable: 0 });
      expect(report.total).toMatchObject({ cost_nanos: total.cost_nanos, tokens_out: total.tokens_out });
      expect(report.rows.reduce((all, { cost_nanos }) => all + (cost_nanos ?? 0), 0)).toBe(total.cost_nanos);
      expect(report.rows.reduce((all, row) => all + row.cache_read_tokens, 0)).toBe(total.cache_read_tokens);
    }
    const days = (await client.get('/cost')).rows;
    const [since, until] = [days[0]?.key ?? '', days[1]?.key ?? ''];
    const some = await client.get('/cost', { query: { since, until } });
    expect(some.rows).toEqual(days.slice(0, 2));
    const models = await client.get('/cost', { query: { by: 'model', since, until } });
    expect(models.total).toEqual(some.total);
    for (const query of ['by=hour', 'since=someday', 'since=2026-02-30', 'zone=Mars/Olympus'])
      expect((await get(`/cost?${query}`)).status).toBe(400);
  });

  it('tools and files cover only the matching sessions', async () => {
    const { client } = program;
    const { sessions } = await client.get('/sessions', { query: { limit: 200 } });
    const all = (await client.get('/tools', { query: { limit: 10_000 } })).tools;
    expect(all.reduce((sum, { calls }) => sum + calls, 0)).toBe(
      sessions.reduce((sum, row) => sum + (row.tool_use_count ?? 0), 0),
    );
    expect((await client.get('/tools', { query: { limit: 1 } })).tools).toEqual(all.slice(0, 1));
    const one = sessions.find(({ tool_use_count }) => (tool_use_count ?? 0) > 0);
    const own = (await client.get('/tools', { query: { session_id: one?.id.slice(0, 8) } })).tools;
    expect(own.reduce((sum, { calls }) => sum + calls, 0)).toBe(one?.tool_use_count);
    const titled = (await client.get('/tools', { query: { title: one?.title ?? '' } })).tools;
    expect(titled).toEqual(own);
    const there = (await client.get('/files', { query: { workspace_id: one?.workspace_name } })).files;
    const everywhere = (await client.get('/files', { query: { limit: 10_000 } })).files;
    expect(there.length).toBeLessThan(everywhere.length);
    const path = (there[0]?.path ?? '').slice(-8);
    const named = (await client.get('/files', { query: { path, limit: 10_000 } })).files;
    expect(named).toEqual(everywhere.filter((file) => file.path.includes(path)));
    await expect(client.get('/tools', { query: { session_id: 'nobody' } })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(client.get('/files', { query: { device_id: 'no' } })).rejects.toMatchObject({ code: 'not_found' });
    expect((await get('/files?limit=10001')).status).toBe(400);
  });

  it('an export downloads everything that was parsed', async () => {
    const { client, server } = program;
    const { id, title } = (await client.get('/sessions')).sessions[0] ?? { id: '', title: null };
    const response = await client.get('/sessions/:id/export', {
      params: { id: id.slice(0, 8) },
      query: { format: 'parsed' },
    });
    const slug = title?.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    const name = `${slug}-${id.slice(0, 8)}.json`;
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''${name}`);
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    const { blocks, session } = (await response.json()) as { blocks: unknown[]; session: { messages: unknown[] } };
    const { messages } = await client.get('/sessions/:id/transcript', { params: { id } });
    expect(session.messages).toHaveLength(messages.length);
    expect(blocks).toHaveLength(messages.flatMap(({ content_blocks }) => content_blocks).length);
    expect((await get('/sessions/nobody/export')).status).toBe(404);
    const head = await server.request(`/api/sessions/${id}/export`, { method: 'HEAD', headers: BEARER });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('an export can be a complete web page', async () => {
    const { client, server } = program;
    const { id } = (await client.get('/sessions', { query: { has: 'subagent' } })).sessions[0] ?? { id: '' };
    const response = await client.get('/sessions/:id/export', { params: { id }, query: { format: 'html' } });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''[a-z0-9-]+\.html$/);
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    const text = await response.text();
    expect(text).toMatch(/^<!doctype html>[\s\S]+<details class="agent">[\s\S]+<\/html>\n$/);
    expect((await get(`/sessions/${id}/export?format=pdf`)).status).toBe(400);
    const head = await server.request(`/api/sessions/${id}/export?format=html`, { method: 'HEAD', headers: BEARER });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('H19: limits concurrent exports and frees the slot of a reader who disconnects', async () => {
    const { client } = program;
    const { id } = (await client.get('/sessions')).sessions[0] ?? { id: '' };
    const ask = () => get(`/sessions/${id}/export`);
    const open: Response[] = [];
    for (let at = 0; at < MAX_EXPORTS_AT_ONCE; at++) open.push(await ask());
    expect((await ask()).status).toBe(429);
    await open.pop()?.body?.cancel();
    const last = await ask();
    expect(last.status).toBe(200);
    for (const { body } of [...open, last]) await body?.cancel();
  });

  it('workspaces are renamed and merged, and sessions moved', async () => {
    const { client } = program;
    const [first, second] = (await client.get('/workspaces')).workspaces;
    const patch = (workspace_id: string, body: object) =>
      client.patch('/workspaces/:workspace_id', { params: { workspace_id }, body });
    const name = first?.display_name ?? '';
    expect(await patch(name, { display_name: ' New  name ' })).toMatchObject({
      id: first?.id,
      display_name: 'New name',
    });
    await expect(patch(name, { display_name: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    expect(await patch('New name', { display_name: name })).toMatchObject({ display_name: name });
    for (const body of [{}, { display_name: '' }, { display_name: 'a', merge_into: 'b' }, { merge_into: first?.id }])
      await expect(patch(first?.id ?? '', body)).rejects.toMatchObject({ code: 'usage' });
    const { sessions } = await client.get('/sessions', { query: { workspace_id: first?.id } });
    const params = { id: sessions[0]?.id ?? '' };
    const move = async (workspace_id: string) =>
      (await client.patch('/sessions/:id', { params, body: { workspace_id } })).workspace_id;
    expect(await move(second?.display_name ?? '')).toBe(second?.id);
    expect(await move(name)).toBe(first?.id);
    await expect(move('nowhere')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('no internal error was logged', () => {
    expect(program.failures).toEqual([]);
  });
});
