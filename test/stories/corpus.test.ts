import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { SessionRow } from '../../src/api/sessions.ts';
import { PROGRAMS } from '../support/programs.ts';

const GENERATOR = fileURLToPath(new URL('../../../shared/tools/make-corpus.mjs', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'fuel-code-corpus-'));
afterAll(() => rmSync(scratch, { recursive: true }));

interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheCreate5m: number;
  readonly cacheCreate1h: number;
  readonly cacheCreate: number;
  readonly cacheRead: number;
}

/** Dollars per million tokens: input and output. Cache writes cost 1.25 and 2 times the input, reads a tenth. */
const LIST_PRICES: Readonly<Record<string, readonly [number, number]>> = {
  'claude-opus-4-6': [5, 25],
  'claude-opus-4-5-20251101': [5, 25],
  'claude-sonnet-4-5-20250929': [3, 15],
  'claude-haiku-4-5-20251001': [1, 5],
};

/** Nano-dollars, calculated by hand. */
function costOf(model: string, tokens: Tokens): number {
  const [input, output] = LIST_PRICES[model] ?? [Number.NaN, Number.NaN];
  const { cacheCreate5m, cacheCreate1h, cacheRead } = tokens;
  const thousandths =
    tokens.input * input +
    tokens.output * output +
    cacheCreate5m * input * 1.25 +
    cacheCreate1h * input * 2 +
    cacheRead * input * 0.1;
  return Math.round(thousandths * 1_000);
}

describe.runIf(existsSync(GENERATOR)).each(PROGRAMS)('a generated home with known truth, on $name', ({ create }) => {
  it.each(['classic', 'modern', 'mixed'])('of the %s era is counted to the token and the nano-dollar', async (era) => {
    const out = join(scratch, `${era}-${Math.random()}`);
    execFileSync(process.execPath, [GENERATOR, '--out', out, '--size', 'XS', '--era', era], { stdio: 'ignore' });
    const truth = JSON.parse(readFileSync(join(out, 'ground-truth.json'), 'utf8')) as {
      tokensTotal: Tokens;
      tokensByModel: Record<string, Tokens>;
      sessions: { total: number };
    };
    await using program = await create(join(out, '.claude'));
    await using app = await program.open();
    expect((await app.importNew()).failed).toEqual([]);
    const { sessions } = await app.get('/sessions', { query: { limit: 200 } });
    const sum = (pick: (row: SessionRow) => number | null) =>
      sessions.reduce((total, row) => total + (pick(row) ?? 0), 0);
    expect(sessions).toHaveLength(truth.sessions.total);
    expect([
      sum((s) => s.tokens_in),
      sum((s) => s.tokens_out),
      sum((s) => s.cache_read_tokens),
      sum((s) => s.cache_write_tokens),
    ]).toEqual([
      truth.tokensTotal.input,
      truth.tokensTotal.output,
      truth.tokensTotal.cacheRead,
      truth.tokensTotal.cacheCreate,
    ]);
    const nanos = Object.entries(truth.tokensByModel).reduce(
      (total, [model, tokens]) => total + costOf(model, tokens),
      0,
    );
    const ours = await app.store.engine.kysely
      .selectFrom('sessions')
      .select(({ fn }) => fn.sum<number>('cost_nanos').as('nanos'))
      .executeTakeFirstOrThrow();
    expect(ours.nanos).toBe(nanos);
  });
});
