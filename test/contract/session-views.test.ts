import { describe, expect, it } from 'vitest';
import { type ClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { useImportedProgram } from '../support/use-program.ts';

const USAGE = { input: 7, output: 2 };
const ID = 'abababab-2222-4333-8444-555555555555';
const AGENT = 'a0123456789abcdef';

/** Two turns with a compaction between them, calls, and a sub-agent. */
function writeSession(home: ClaudeHome): void {
  const talk = createTalk(ID);
  const boundary = () => ({
    ...talk.user(''),
    type: 'system',
    subtype: 'compact_boundary',
    message: undefined,
    content: 'Conversation compacted',
    parentUuid: null,
    compactMetadata: { trigger: 'auto', preTokens: 150_000, postTokens: 9_000 },
  });
  home.write(`-home-ada-shop/${ID}.jsonl`, [
    talk.user('Fix the timetable of the ferry. Never skip a failing test!'),
    talk.assistant('msg_1', toolUse('call_1', 'Read', { file_path: '/home/ada/shop/ferry.ts' }), USAGE),
    talk.result('call_1', 'const ferry = 1;\n'.repeat(400)),
    talk.assistant('msg_2', toolUse('call_2', 'Read', { file_path: '/home/ada/shop/ferry.ts' }), USAGE),
    talk.result('call_2', 'const ferry = 1;\n'.repeat(400)),
    talk.assistant('msg_3', toolUse('call_3', 'Read', { file_path: '/home/ada/shop/harbour.ts' }), USAGE),
    talk.result('call_3', 'export {};'),
    boundary(),
    { ...talk.user('We read ferry.ts and fixed the timetable of the ferry.'), isCompactSummary: true },
    talk.user('And the harbour?'),
    talk.assistant('msg_4', toolUse('call_4', 'Agent', { description: 'Look', prompt: 'Look around' }), USAGE),
    { ...talk.result('call_4', `Done. agentId: ${AGENT}`), toolUseResult: { agentId: AGENT, status: 'completed' } },
    talk.assistant('msg_5', text('Done.'), USAGE),
  ]);
  const inside = createTalk(AGENT);
  const own = { sessionId: ID, agentId: AGENT, isSidechain: true };
  home.write(`-home-ada-shop/${ID}/subagents/agent-${AGENT}.jsonl`, [
    { ...inside.user('Look around'), ...own },
    {
      ...inside.assistant('msg_6', toolUse('call_6', 'Bash', { command: 'ls', description: 'List files' }), USAGE),
      ...own,
    },
    { ...inside.result('call_6', 'a b'), ...own },
    { ...inside.assistant('msg_7', text('Two files.'), USAGE), ...own },
  ]);
}

describe.each(PROGRAMS)('views of a session, on $name', ({ create }) => {
  const world = useImportedProgram(create, writeSession);
  const params = { id: ID };

  it('has the context of every answer, with parts that add up, and the drop at the compaction', async () => {
    const context = await world.app.get('/sessions/:id/context', { params });
    const outline = await world.app.get('/sessions/:id/outline', { params });
    const { points, parts } = context;
    const shown = outline.items.context.filter((tokens, at) => tokens !== null && outline.items.agent[at] === -1);
    expect(points.total).toEqual(shown);
    for (const [at, total] of points.total.entries())
      expect(points.by_part.reduce((sum, column) => sum + (column[at] ?? 0), 0)).toBe(total);
    expect(parts).toHaveLength(points.by_part.length);
    expect(context.window).toBe(200_000);
    expect(context.compactions).toMatchObject([{ point: 3, pre_tokens: 150_000, post_tokens: 9_000, kind: 'full' }]);
    const inside = await world.app.get('/sessions/:id/context', { params, query: { agent_id: AGENT } });
    expect(inside.points.total).toHaveLength(2);
  });

  it('finds what the summary of a compaction does not mention', async () => {
    const { compactions } = await world.app.get('/sessions/:id/context', { params });
    const path = '/sessions/:id/compactions/:compaction_id/diff';
    const diff = await world.app.get(path, { params: { ...params, compaction_id: compactions[0]?.id ?? '' } });
    expect(diff.items.map(({ kind, is_kept, parts }) => [kind, is_kept, parts.map((part) => part.is_kept)])).toEqual([
      ['prompt', false, [true, false]],
      ['file', true, [true]],
      ['file', false, [false]],
    ]);
    expect(diff).toMatchObject({ lost: 2, kept: 1, is_complete: true });
    expect(diff.summary).toContain('timetable of the ferry');
    await expect(world.app.get(path, { params: { ...params, compaction_id: 'nope' } })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('lists calls by time with their subject', async () => {
    const { calls, agents } = await world.app.get('/sessions/:id/waterfall', { params });
    expect(agents).toEqual([AGENT]);
    expect(calls.started_ms).toEqual(calls.started_ms.toSorted((a, b) => a - b));
    const subjects = calls.name.map((name, at) => [name, calls.subject[at], calls.agent[at]]);
    expect(subjects).toContainEqual(['Read', '/home/ada/shop/harbour.ts', -1]);
    expect(subjects).toContainEqual(['Bash', 'List files', 0]);
    expect(calls.ordinal).toHaveLength(5);
    const { messages } = await world.app.get('/sessions/:id/transcript', { params, query: { limit: 100 } });
    const named = calls.ordinal.map((ordinal, at) => {
      const blocks = messages.find((message) => message.ordinal === ordinal)?.content_blocks ?? [];
      return blocks.find(({ block_order }) => block_order === calls.block[at])?.tool_name;
    });
    expect(named).toEqual(calls.name);
  });

  it('costs by turn and agent add up to the cost of the session, to the nano-dollar', async () => {
    const costs = await world.app.get('/sessions/:id/costs', { params });
    const { total } = await world.app.get('/sessions/:id/usage', { params });
    const session = await world.app.get('/sessions/:id', { params });
    const report = await world.app.get('/cost', { query: { by: 'session', zone: 'UTC' } });
    const sum = costs.rows.reduce((all, { cost_nanos }) => all + (cost_nanos ?? 0), 0);
    expect(sum).toBeGreaterThan(0);
    expect([sum, costs.total]).toEqual([total.cost_nanos, total]);
    expect(report.total.cost_nanos).toBe(sum);
    expect(session.cost_estimate_usd).toBeCloseTo(sum / 1e9, 12);
    expect(new Set(costs.rows.map(({ agent_id }) => agent_id))).toEqual(new Set([null, AGENT]));
    expect(costs.files.map(({ path, reads, block }) => [path, reads, block])).toEqual([
      ['/home/ada/shop/ferry.ts', 2, 0],
      ['/home/ada/shop/harbour.ts', 1, 0],
    ]);
    expect(costs.files[0]?.tokens).toBeGreaterThan(2_000);
  });
});
