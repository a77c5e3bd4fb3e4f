import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CostReport } from '../../src/api/usage.ts';
import { answerCost, type CostDeps } from '../../src/app/cost/cost.ts';
import type { CostGroup, CostQuery } from '../../src/domain/cost.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { fixedClock, PROGRAMS, type Program } from '../support/programs.ts';
import { GENERATOR, HAS_GENERATOR } from '../support/shared-data.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const FORK = '99999999-2222-4333-8444-555555555555';
const DAY_2 = '2026-11-03T10:00:00.000Z';

/** Nano-dollars of an Opus 4.6 message with this many tokens, plus 100 read from and 10 written to the cache. */
const opus = (input: number, output: number) => input * 5_000 + output * 25_000 + 100 * 500 + 10 * 6_250;

/** A session, and a fork of it that copied its first message and continued two days later. */
function writeHome(home: ClaudeHome): void {
  const talk = createTalk(ID);
  const shared = [talk.user('Fix it.'), talk.assistant('msg_1', text('Yes.'), { input: 3, output: 40 })];
  const own = [talk.user('Go on.'), talk.assistant('msg_2', text('Done.'), { input: 5, output: 60 })];
  const links = [
    { type: 'pr-link', prNumber: 7, prUrl: 'https://example.test/7', prRepository: 'ada/shop', sessionId: ID },
    { type: 'pr-link', prNumber: 12, prUrl: 'https://example.test/12', prRepository: 'ada/shop', sessionId: ID },
    { type: 'cost-state', totalCostUSD: 0.01, modelUsage: {}, sessionId: ID },
  ];
  home.write(`-home-ada-shop/${ID}.jsonl`, [...shared, ...own, ...links]);
  const forked = createTalk(FORK, { startedAt: DAY_2, prefix: 'f' });
  home.write(`-home-ada-shop/${FORK}.jsonl`, [
    ...shared.map((line) => ({ ...line, sessionId: FORK })),
    forked.user('Another way.'),
    { ...forked.assistant('msg_9', text('Fine.'), { input: 2, output: 9 }), gitBranch: 'other' },
    forked.assistant('msg_10', text('?'), { input: 1, output: 1 }, 'llama-9'),
  ]);
  home.write(`-home-ada-shop/${FORK}/subagents/agent-a1.jsonl`, [
    {
      ...createTalk(FORK, { startedAt: DAY_2, prefix: 'a' }).assistant('msg_11', text('Seen.'), {
        input: 1,
        output: 2,
      }),
      isSidechain: true,
      agentId: 'a1',
    },
  ]);
}

const ALL = { timezone: 'UTC', since: null, until: null } as const;

/** Asks like the command; `imports` counts how often an import was requested. */
function createAsker(program: Program, deps: Partial<CostDeps> = {}) {
  const asked = { imports: 0 };
  const importNew = async () => {
    asked.imports += 1;
    await using app = await program.open();
    await app.importNew({ rowsOnly: true });
    return true;
  };
  const ask = (query: Partial<CostQuery> = {}) =>
    answerCost({ by: 'day', ...ALL, ...query }, { config: program.config, clock: fixedClock, importNew, ...deps });
  return { ask, asked };
}

const costs = ({ rows }: CostReport) => Object.fromEntries(rows.map(({ label, cost_nanos }) => [label, cost_nanos]));
const EVERYTHING = opus(3, 40) + opus(5, 60) + opus(2, 9) + opus(1, 2);

describe.each(PROGRAMS)('total cost, on $name', ({ create }) => {
  it('is counted once across forks, in every grouping', async () => {
    using home = createClaudeHome();
    writeHome(home);
    await using program = await create(home.path);
    const { ask } = createAsker(program);
    const by = async (group: CostGroup, query: Partial<CostQuery> = {}) => costs(await ask({ by: group, ...query }));
    const [first, second] = [opus(3, 40) + opus(5, 60), opus(2, 9) + opus(1, 2)];
    expect(await by('branch')).toEqual({ main: first + opus(1, 2), other: opus(2, 9) });
    expect(await by('day')).toEqual({ '2026-11-01': first, '2026-11-03': second });
    expect(await by('week')).toEqual({ '2026-W44': first, '2026-W45': second });
    expect(await by('month')).toEqual({ '2026-11': EVERYTHING });
    expect(Object.values(await by('block'))).toEqual([first, second]);
    expect(Object.values(await by('block', { since: '2026-11-02' }))).toEqual([second]);
    expect(await by('model')).toEqual({ 'claude-opus-4-6': EVERYTHING, 'llama-9': null });
    expect((await ask({ by: 'session' })).rows).toMatchObject([
      { key: ID, label: 'Fix it.', cost_nanos: first },
      { key: FORK, cost_nanos: second },
    ]);
    expect(await by('workspace')).toEqual({ shop: EVERYTHING });
    expect(Object.values(await by('device'))).toEqual([EVERYTHING]);
    expect(await by('pr')).toEqual({ 'ada/shop#7, #12': first, '(none)': second });
    expect(await by('day', { since: '2026-11-02' })).toEqual({ '2026-11-03': second });
    expect(await by('model', { until: '2026-11-02' })).toEqual({ 'claude-opus-4-6': first });
  });

  it('usage before the range decides where a block starts', async () => {
    using home = createClaudeHome();
    for (const [n, startedAt] of [
      '2026-11-03T22:30:00.000Z',
      '2026-11-04T02:45:00.000Z',
      '2026-11-04T03:10:00.000Z',
    ].entries()) {
      const id = `${n}aaaaaaa-2222-4333-8444-555555555555`;
      const talk = createTalk(id, { startedAt, prefix: `b${n}` });
      home.write(`-home-ada-shop/${id}.jsonl`, [
        talk.user('Go.'),
        talk.assistant(`msg_b${n}`, text('Yes.'), { input: n, output: 1 }),
      ]);
    }
    await using program = await create(home.path);
    const query = { by: 'block', since: '2026-11-04' } as const;
    const blocks = ({ rows }: CostReport) => rows.map(({ key, cost_nanos }) => [key.slice(0, 16), cost_nanos]);
    const expected = [
      ['2026-11-03T22:00', opus(1, 1)],
      ['2026-11-04T03:00', opus(2, 1)],
    ];
    const scanned = await createAsker(program, { maxCatchUpBytes: 0 }).ask(query);
    const stored = await createAsker(program).ask(query);
    expect([scanned.source, blocks(scanned)]).toEqual(['transcripts', expected]);
    expect([stored.source, blocks(stored)]).toEqual(['store', expected]);
  });

  it('names models without a price, the client’s own figures, and the source of prices', async () => {
    using home = createClaudeHome();
    writeHome(home);
    await using program = await create(home.path);
    const { ask } = createAsker(program);
    const { total, unknown_models, prices, client } = await ask({ by: 'branch' });
    expect(total).toMatchObject({
      sessions: 2,
      messages: 5,
      tokens_in: 12,
      tokens_out: 112,
      cache_read_tokens: 500,
      cache_write_tokens: 50,
      cost_nanos: EVERYTHING,
      subagent_cost_nanos: opus(1, 2),
      unpriced_messages: 1,
    });
    expect(unknown_models).toEqual([{ model: 'llama-9', messages: 1, tokens: 112 }]);
    expect(prices).toMatchObject({ book_date: expect.stringMatching(/^2026-/), user_file: null });
    expect(client).toEqual({
      sessions: 1,
      client_cost_nanos: 10_000_000,
      client_cost_usd: 0.01,
      our_cost_nanos: opus(3, 40) + opus(5, 60),
      our_cost_usd: (opus(3, 40) + opus(5, 60)) / 1e9,
    });
    expect((await ask({ since: '2026-11-02' })).client).toBeNull();
  });

  it('is the same from the transcripts and from the store in every cell', async () => {
    using home = createClaudeHome();
    writeHome(home);
    await using program = await create(home.path);
    const scanned = createAsker(program, { maxCatchUpBytes: 0 });
    const stored = createAsker(program);
    for (const by of ['day', 'week', 'month', 'block', 'model', 'session'] as const) {
      const fromFiles = await scanned.ask({ by });
      expect(fromFiles.source).toBe('transcripts');
      await stored.ask({ by: 'branch' });
      const fromStore = await stored.ask({ by });
      expect(fromStore.source).toBe('store');
      expect(fromFiles.total).toEqual(fromStore.total);
      const rows = ({ rows: all }: CostReport) => all.map(({ label: _, ...row }) => row);
      expect(rows(fromFiles)).toEqual(rows(fromStore));
      home.append(`-home-ada-shop/${ID}.jsonl`, [{ type: 'mode', mode: 'normal', sessionId: ID, by }]);
    }
    expect(scanned.asked.imports).toBe(0);
  });

  it('is the same before and after the import for an agent whose prompt names another session', async () => {
    using home = createClaudeHome();
    writeHome(home);
    // As Claude Code 2.0 writes the agents that it warms up when it resumes a session.
    const agent = { isSidechain: true, agentId: 'a322cc5' };
    home.write('-home-ada-shop/agent-a322cc5.jsonl', [
      { ...createTalk('77777777-2222-4333-8444-555555555555').user('Warmup'), ...agent },
      { ...createTalk(ID, { prefix: 'w' }).assistant('msg_12', text('Ready.'), { input: 1, output: 3 }), ...agent },
    ]);
    await using program = await create(home.path);
    const before = await createAsker(program, { maxCatchUpBytes: 0 }).ask({ by: 'session' });
    const after = await createAsker(program).ask({ by: 'session' });
    expect([before.source, after.source]).toEqual(['transcripts', 'store']);
    expect(after.total).toEqual(before.total);
    expect(after.rows.map(({ key }) => key).toSorted()).toEqual([ID, FORK]);
  });

  it('includes what exists only in the store, whatever changed on disk', async () => {
    using home = createClaudeHome();
    writeHome(home);
    await using program = await create(home.path);
    await createAsker(program).ask({ by: 'branch' });
    rmSync(join(home.path, `projects/-home-ada-shop/${ID}.jsonl`));
    const third = createTalk('33333333-2222-4333-8444-555555555555', { startedAt: DAY_2, prefix: 't' });
    home.write('-home-ada-shop/33333333-2222-4333-8444-555555555555.jsonl', [
      third.user('Hello.'),
      third.assistant('msg_20', text('Hello.'), { input: 7, output: 8 }),
    ]);
    const { ask, asked } = createAsker(program, { maxCatchUpBytes: 0 });
    const mixed = await ask();
    expect([mixed.source, asked.imports]).toEqual(['transcripts', 0]);
    expect(mixed.total).toMatchObject({ sessions: 3, messages: 6, cost_nanos: EVERYTHING + opus(7, 8) });
    const stored = await createAsker(program).ask({ by: 'branch' });
    expect(stored.total.cost_nanos).toBe(mixed.total.cost_nanos);
  });

  it('imports only new files first, and nothing if nothing is new', async () => {
    using home = createClaudeHome();
    writeHome(home);
    await using program = await create(home.path);
    const { ask, asked } = createAsker(program);
    expect((await ask({ by: 'branch' })).source).toBe('store');
    expect((await ask()).source).toBe('store');
    expect(asked.imports).toBe(1);
    const talk = createTalk(ID, { startedAt: DAY_2, prefix: 'n' });
    home.append(`-home-ada-shop/${ID}.jsonl`, [talk.assistant('msg_30', text('More.'), { input: 1, output: 1 })]);
    expect(await ask()).toMatchObject({ source: 'store', total: { cost_nanos: EVERYTHING + opus(1, 1) } });
    expect(asked.imports).toBe(2);
  });

  it('says how many sessions could not be read, and does not retry them', async () => {
    using home = createClaudeHome();
    writeHome(home);
    await using program = await create(home.path);
    await createAsker(program).ask({ by: 'branch' });
    {
      await using app = await program.open();
      await app.store.engine.kysely
        .updateTable('sessions')
        .set({ lifecycle: 'failed', parse_status: 'failed', parser_version: 0 })
        .where('id', '=', FORK)
        .execute();
    }
    const { ask, asked } = createAsker(program);
    expect(await ask()).toMatchObject({ source: 'store', unreadable: 1 });
    expect(asked.imports).toBe(0);
  });

  it('comes from the transcripts while another process imports', async () => {
    using home = createClaudeHome();
    writeHome(home);
    await using program = await create(home.path);
    await createAsker(program).ask({ by: 'branch' });
    home.append(`-home-ada-shop/${ID}.jsonl`, [{ type: 'mode', mode: 'normal', sessionId: ID }]);
    const waits: boolean[] = [];
    const { ask } = createAsker(program, {
      importNew: async (options) => {
        waits.push(options.waits);
        return false;
      },
    });
    expect(await ask()).toMatchObject({ source: 'transcripts', total: { cost_nanos: EVERYTHING } });
    expect(waits).toEqual([false]);
  });

  it('waits for the import when the transcripts are not enough: sessions that exist only in the rollups', async () => {
    using home = createClaudeHome();
    writeHome(home);
    await using program = await create(home.path);
    await createAsker(program).ask({ by: 'branch' });
    {
      await using app = await program.open();
      await app.store.engine.kysely
        .updateTable('sessions')
        .set({ archived_at: '2026-11-15T00:00:00.000Z' })
        .where('id', '=', ID)
        .execute();
    }
    home.append(`-home-ada-shop/${FORK}.jsonl`, [{ type: 'mode', mode: 'normal', sessionId: FORK }]);
    const { ask, asked } = createAsker(program, { maxCatchUpBytes: 0 });
    expect(await ask()).toMatchObject({ source: 'store', total: { cost_nanos: EVERYTHING } });
    expect(asked.imports).toBe(1);
  });
});

const scratch = mkdtempSync(join(tmpdir(), 'fuel-code-cost-'));
afterAll(() => rmSync(scratch, { recursive: true }));

interface Tokens {
  readonly messages: number;
  readonly input: number;
  readonly output: number;
  readonly cacheCreate5m: number;
  readonly cacheCreate1h: number;
  readonly cacheRead: number;
}

interface Truth {
  readonly tokensTotal: Tokens;
  readonly tokensByModel: Readonly<Record<string, Tokens>>;
  readonly sessions: { readonly total: number };
  readonly tokensByDay: Readonly<Record<string, Tokens>>;
  readonly perSession: Readonly<Record<string, { readonly tokens: Tokens }>>;
}

/** Dollars per million tokens: input and output. Cache writes cost 1.25 and 2 times the input, reads a tenth. */
const LIST_PRICES: Readonly<Record<string, readonly [number, number]>> = {
  'claude-opus-4-6': [5, 25],
  'claude-opus-4-5-20251101': [5, 25],
  'claude-sonnet-4-5-20250929': [3, 15],
  'claude-haiku-4-5-20251001': [1, 5],
};

function listCost(model: string, { input, output, cacheCreate5m, cacheCreate1h, cacheRead }: Tokens): number {
  const [into, out] = LIST_PRICES[model] ?? [Number.NaN, Number.NaN];
  const weighted = input + cacheCreate5m * 1.25 + cacheCreate1h * 2 + cacheRead * 0.1;
  return Math.round((weighted * into + output * out) * 1_000);
}

const truthRow = (tokens: Tokens) => [
  tokens.messages,
  tokens.input,
  tokens.output,
  tokens.cacheRead,
  tokens.cacheCreate5m + tokens.cacheCreate1h,
];

const reportRows = ({ rows }: CostReport) =>
  Object.fromEntries(
    rows.map((row) => [
      row.key,
      [row.messages, row.tokens_in, row.tokens_out, row.cache_read_tokens, row.cache_write_tokens],
    ]),
  );

describe.runIf(HAS_GENERATOR).each(PROGRAMS)('a generated home with known truth, on $name', ({ create }) => {
  it.each(['classic', 'modern', 'mixed'])('of the %s era is exact to the nano-dollar', async (era) => {
    const out = join(scratch, `${era}-${Math.random()}`);
    execFileSync(process.execPath, [GENERATOR, '--out', out, '--size', 'XS', '--era', era], { stdio: 'ignore' });
    const truth = JSON.parse(readFileSync(join(out, 'ground-truth.json'), 'utf8')) as Truth;
    const models = Object.entries(truth.tokensByModel);
    const nanos = Object.fromEntries(models.map(([model, tokens]) => [model, listCost(model, tokens)]));
    const named = (sums: Readonly<Record<string, Tokens>>) =>
      Object.fromEntries(Object.entries(sums).map(([name, tokens]) => [name, truthRow(tokens)]));
    const sessions = Object.entries(truth.perSession).filter(([, { tokens }]) => tokens.messages > 0);
    await using program = await create(join(out, '.claude'));
    const scanning = createAsker(program, { maxCatchUpBytes: 0 });
    const storing = createAsker(program);
    for (const { ask } of [scanning, storing]) {
      if (ask === storing.ask) await ask({ by: 'branch' });
      const byModel = await ask({ by: 'model' });
      expect(byModel.source).toBe(ask === storing.ask ? 'store' : 'transcripts');
      expect(costs(byModel)).toEqual(nanos);
      expect(byModel.total.cost_nanos).toBe(Object.values(nanos).reduce((a, b) => a + b, 0));
      expect(reportRows(byModel)).toEqual(named(truth.tokensByModel));
      expect(reportRows(await ask({ by: 'day' }))).toEqual(named(truth.tokensByDay));
      expect(reportRows(await ask({ by: 'session' }))).toEqual(
        named(Object.fromEntries(sessions.map(([id, { tokens }]) => [id, tokens]))),
      );
    }
    await using app = await program.open();
    const { sessions: rows } = await app.get('/sessions', { query: { limit: 200 } });
    expect(rows).toHaveLength(truth.sessions.total);
    const columns = ['tokens_in', 'tokens_out', 'cache_read_tokens', 'cache_write_tokens'] as const;
    expect(columns.map((column) => rows.reduce((sum, row) => sum + (row[column] ?? 0), 0))).toEqual(
      truthRow(truth.tokensTotal).slice(1),
    );
  });
});
