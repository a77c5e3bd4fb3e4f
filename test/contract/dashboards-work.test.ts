import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkCall } from '../../src/api/work.ts';
import type { Client } from '../../src/client/client.ts';
import { callSums } from '../../src/store/migrations/release-0.2-later.ts';
import { type ApiProgram, openApiProgram } from '../support/api-program.ts';
import { PROGRAMS } from '../support/programs.ts';

async function allCalls(
  client: Client,
  query: { readonly name?: string; readonly q?: string; readonly limit: number },
) {
  const calls: WorkCall[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.get('/tool-calls', { query: { ...query, cursor } });
    calls.push(...page.calls);
    if (page.next_cursor === null) return calls;
    cursor = page.next_cursor;
  }
}

describe.each(PROGRAMS)('tools and files of the dashboards ($name)', (kind) => {
  let program: ApiProgram;
  beforeAll(async () => {
    program = await openApiProgram(kind);
  });
  afterAll(() => program[Symbol.asyncDispose]());

  it('the number of calls of every tool matches the list of tools, with their arguments', async () => {
    const { client } = program;
    const { tools } = await client.get('/tools', { query: { limit: 1_000 } });
    const all = await allCalls(client, { limit: 7 });
    expect(new Set(all.map(({ session_id, id }) => `${session_id} ${id}`)).size).toBe(all.length);
    for (const { name, calls, errors, median_ms, p95_ms, longest_ms } of tools) {
      const own = all.filter((call) => call.name === name);
      expect([name, own.length]).toEqual([name, calls]);
      expect(await allCalls(client, { name, limit: 200 })).toEqual(own);
      expect(own.filter(({ status }) => status === 'error')).toHaveLength(errors);
      const sorted = own.flatMap(({ duration_ms: ms }) => (ms === null ? [] : [ms])).toSorted((a, b) => a - b);
      const rank = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? null;
      expect([name, median_ms, p95_ms, longest_ms]).toEqual([name, rank(0.5), rank(0.95), sorted.at(-1) ?? null]);
    }
    expect(all.filter(({ input }) => input !== null).length).toBeGreaterThan(all.length / 2);
    const failed = await client.get('/tool-calls', { query: { status: ['error'], limit: 200 } });
    expect(failed.calls).toEqual(all.filter(({ status }) => status === 'error'));
    await expect(client.get('/tool-calls', { query: { cursor: 'x' } })).rejects.toMatchObject({ code: 'usage' });
  });

  it('an upgrade sums up the calls and lines of stored sessions like a parse', async () => {
    const { engine } = program.app.store;
    const sums = () => sql`SELECT * FROM call_sums ORDER BY session_id, revision, position`.execute(engine.kysely);
    const lines = () => sql`SELECT id, lines_added, lines_removed FROM sessions ORDER BY id`.execute(engine.kysely);
    const parsed = [(await sums()).rows, (await lines()).rows];
    expect(parsed.map(({ length }) => length > 5)).toEqual([true, true]);
    const before = [
      'CREATE INDEX tool_calls_counted ON tool_calls (session_id)',
      'CREATE INDEX tool_calls_failed ON tool_calls (session_id)',
      'DROP INDEX sessions_with_client_cost',
      'ALTER TABLE sessions DROP COLUMN lines_added',
      'ALTER TABLE sessions DROP COLUMN lines_removed',
      'DROP TABLE call_sums',
    ];
    await engine.transaction(async (tx) => {
      for (const statement of [...before, ...callSums.statements(engine.columnTypes)])
        await sql.raw(statement).execute(tx);
    });
    expect([(await sums()).rows, (await lines()).rows]).toEqual(parsed);
  });

  it('a call is at the position it names in its session', async () => {
    const { client } = program;
    for (const call of (await allCalls(client, { limit: 200 })).slice(0, 10)) {
      const after = (call.ordinal ?? 0) - 1;
      const query = { after, limit: 1 };
      const { messages } = await client.get('/sessions/:id/transcript', { params: { id: call.session_id }, query });
      const block = messages[0]?.content_blocks.find(({ block_order }) => block_order === call.block);
      expect(block?.tool_use_id).toBe(call.id);
    }
  });

  it('the days of a tool add up to its calls when all sessions are recent', async () => {
    const { client } = program;
    const { tools } = await client.get('/tools', { query: { limit: 1_000 } });
    const days = await client.get('/tools/days', { query: { zone: 'Asia/Kathmandu' } });
    for (const { name, calls } of tools) {
      const own = days.tools.find((tool) => tool.name === name);
      expect([name, own?.calls.reduce((sum, each) => sum + each, 0)]).toEqual([name, calls]);
    }
  });

  it('the changes of a file add up to its lines, each with the prompt that asked for it', async () => {
    const { client } = program;
    const { files } = await client.get('/files', { query: { limit: 10_000 } });
    const written = files.filter(({ writes }) => writes > 0);
    expect(written.length).toBeGreaterThan(3);
    for (const { path, writes, lines_added, lines_removed } of written) {
      const { changes, next_cursor } = await client.get('/files/changes', { query: { path, limit: 100 } });
      const sum = (pick: (change: (typeof changes)[number]) => number) =>
        changes.reduce((all, one) => all + pick(one), 0);
      expect(next_cursor).toBeNull();
      expect([path, changes.length, sum((one) => one.lines_added), sum((one) => one.lines_removed)]).toEqual([
        path,
        writes,
        lines_added,
        lines_removed,
      ]);
      for (const { prompt, prompt_ordinal, ordinal } of changes) {
        expect(prompt).not.toBe('');
        expect(prompt_ordinal ?? -1).toBeLessThan(ordinal ?? -1);
      }
      const one = await client.get('/files/changes', { query: { path, limit: 1 } });
      expect(one.changes).toEqual(changes.slice(0, 1));
    }
    expect((await client.get('/files/changes', { query: { path: '/nowhere' } })).changes).toEqual([]);
  });
});
