import { describe, expect, it } from 'vitest';
import { explainCost } from '../../src/app/cost/cost.ts';
import { createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const ALL = { by: 'day', timezone: 'UTC', since: null, until: null } as const;

describe.each(PROGRAMS)('explaining a cost, on $name', ({ create }) => {
  it('shows list prices and the difference to the costs recorded by an old client', async () => {
    using home = createClaudeHome();
    const talk = createTalk(ID);
    home.write(`-home-ada-shop/${ID}.jsonl`, [
      talk.user('Count.'),
      { ...talk.assistant('msg_1', text('Yes.'), { input: 3, output: 40 }), costUSD: 0.5 },
      talk.assistant('msg_2', text('?'), { input: 1, output: 1 }, 'llama-9'),
    ]);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew({ rowsOnly: true });
    const { rates, line_costs, rules } = await explainCost(ALL, program.config);
    const nanos = 3 * 5_000 + 40 * 25_000 + 100 * 500 + 10 * 6_250;
    expect(rates).toEqual([
      {
        model: 'claude-opus-4-6',
        rate_id: 'claude-opus-4-6',
        messages: 1,
        cost_nanos: nanos,
        per_million_usd: [5, 25, 0.5, 6.25, 10],
      },
      { model: 'llama-9', rate_id: null, messages: 1, cost_nanos: 0, per_million_usd: null },
    ]);
    expect(line_costs).toEqual({ sessions: 1, client_cost_nanos: 500_000_000, our_cost_nanos: nanos });
    expect(rules.join(' ')).toContain('counts once');
    expect((await explainCost({ ...ALL, since: '2030-01-01' }, program.config)).rates).toEqual([]);
  });

  it('states how far our figure is above or below that of the client', async () => {
    using home = createClaudeHome();
    const talk = createTalk(ID);
    home.write(`-home-ada-shop/${ID}.jsonl`, [
      talk.user('Count.'),
      { ...talk.assistant('msg_1', text('Yes.'), { input: 200_000, output: 0 }), costUSD: 1.5 },
    ]);
    await using program = await create(home.path);
    {
      await using app = await program.open();
      await app.importNew({ rowsOnly: true });
      const { kysely } = app.store.engine;
      const { metadata } = await kysely.selectFrom('sessions').select('metadata').executeTakeFirstOrThrow();
      const client_cost = { cost_nanos: 1_250_000_000, line_cost_nanos: 1_500_000_000 };
      await kysely
        .updateTable('sessions')
        .set({ metadata: JSON.stringify({ ...JSON.parse(metadata), client_cost }) })
        .execute();
    }
    const world = { config: program.config, openApp: () => program.open(), columns: 400 };
    const { out } = await runCommand(['cost', '--explain', '--no-import'], world);
    // Regression: the sign of the first difference was reversed.
    expect(out).toContain('Cost reported by Claude Code: $1.25 for 1 session that reports it');
    expect(out).toContain('calculated by fuel-code: $1.00 (−$0.25).');
    expect(out).toContain('calculated by fuel-code: $1.00 (−$0.50).');
  });

  it('shows the price of a long context', async () => {
    using home = createClaudeHome();
    const talk = createTalk(ID);
    const long = talk.assistant('msg_1', text('Yes.'), { input: 100_001, output: 1 }, 'claude-haiku-5-5');
    home.write(`-home-ada-shop/${ID}.jsonl`, [talk.user('Count.'), long]);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew({ rowsOnly: true });
    const { rates } = await explainCost(ALL, program.config);
    expect(rates).toMatchObject([{ rate_id: 'claude-haiku-5-5+long', per_million_usd: [0.5, 2.5, 0.05, 0.625, 1] }]);
  });
});
