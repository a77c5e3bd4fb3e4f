import { describe, expect, it } from 'vitest';
import type { CostReport } from '../../src/api/usage.ts';
import { answerCost, type CostDeps } from '../../src/app/cost/cost.ts';
import type { CostGroup } from '../../src/domain/cost.ts';
import { MAX_TOKENS } from '../../src/domain/usage.ts';
import { createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { fixedClock, PROGRAMS, type Program } from '../support/programs.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const HUGE = Number.MAX_SAFE_INTEGER;
/** Enough capped counts for their cost to exceed the exact integers. */
const MANY = 30_000;

type Line = ReturnType<ReturnType<typeof createTalk>['assistant']>;

function withUsage(line: Line, usage: object): object {
  return { ...line, message: { ...line.message, usage } };
}

/** One ordinary answer among answers with impossible counts. */
function oddLines(): readonly object[] {
  const talk = createTalk(ID);
  const answer = (id: string) => talk.assistant(id, text('.'), { input: 1, output: 1 });
  const huge = {
    input_tokens: HUGE,
    output_tokens: HUGE,
    cache_read_input_tokens: HUGE,
    cache_creation_input_tokens: HUGE,
    cache_creation: { ephemeral_5m_input_tokens: HUGE, ephemeral_1h_input_tokens: HUGE },
    server_tool_use: { web_search_requests: HUGE },
  };
  return [
    talk.user('Count.'),
    talk.assistant('msg_ordinary', text('Yes.'), { input: 3, output: 40 }),
    withUsage(answer('msg_odd'), { input_tokens: '7', output_tokens: -5, cache_read_input_tokens: 1.5 }),
    ...Array.from({ length: MANY }, (_, at) => withUsage(answer(`msg_huge_${at}`), huge)),
    { type: 'system', subtype: 'turn_duration', durationMs: HUGE, sessionId: ID },
    { type: 'cost-state', totalCostUSD: 1e300, modelUsage: {}, sessionId: ID },
  ];
}

async function costBy(program: Program, by: CostGroup, importNew: CostDeps['importNew']): Promise<CostReport> {
  const query = { by, timezone: 'UTC', since: null, until: null };
  return answerCost(query, { config: program.config, clock: fixedClock, importNew });
}

describe.each(PROGRAMS)('counts that no message can have, on $name', ({ create }) => {
  it('are limited and counted as an anomaly, and no sum fails', async () => {
    using home = createClaudeHome();
    home.write(`-home-ada-shop/${ID}.jsonl`, oddLines());
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew({ rowsOnly: true });
    const session = await app.get('/sessions/:id', { params: { id: ID } });
    expect(session.anomalies).toMatchObject({ implausible_count: MANY, shape_error: 1 });
    expect(session.tokens_out).toBe(40 + MANY * MAX_TOKENS);
    const report = await costBy(program, 'session', () => Promise.resolve(true));
    expect(report.total).toMatchObject({ tokens_out: 40 + MANY * MAX_TOKENS, cost_nanos: Number.MAX_SAFE_INTEGER });
    expect(Number.isSafeInteger(report.client?.client_cost_nanos)).toBe(true);
    const usage = await app.get('/usage', { query: { by: ['model', 'day'], zone: 'UTC' } });
    expect(usage.total.tokens_out).toBe(40 + MANY * MAX_TOKENS);
    expect(await app.get('/tools', { query: { limit: 10 } })).toEqual({ tools: [] });
  });

  it('are limited to the same figures before an import', async () => {
    using home = createClaudeHome();
    home.write(`-home-ada-shop/${ID}.jsonl`, oddLines());
    await using program = await create(home.path);
    const { total } = await costBy(program, 'day', () => Promise.resolve(false));
    expect(total).toMatchObject({ tokens_out: 40 + MANY * MAX_TOKENS, cost_nanos: Number.MAX_SAFE_INTEGER });
  });
});
