import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { COST_GROUPS } from '../../src/domain/cost.ts';
import { FuelError } from '../../src/domain/errors.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { PROGRAMS, type Program } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

/** More than one page. */
const SESSIONS = 210;
const idOf = (at: number) => `${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`;
const MODELS = ['claude-opus-4-6', 'claude-haiku-4-5', 'claude-sonnet-4-5', 'claude-unknown-9'];

type Row = Readonly<Record<string, unknown>>;

describe.each(PROGRAMS)('output for programs ($name)', ({ create }) => {
  let claude: ClaudeHome;
  let program: Program;
  const run = (...words: string[]) =>
    runCommand([...words, '--no-import'], { config: program.config, openApp: program.open });
  const lines = async (...words: string[]) => rowsIn((await run(...words)).out);

  beforeAll(async () => {
    claude = createClaudeHome();
    for (let at = 0; at < SESSIONS; at++) {
      const id = idOf(at);
      const startedAt = new Date(Date.UTC(2026, 8, 1 + (at % 40), at % 24, at % 60)).toISOString();
      const talk = createTalk(id, { startedAt });
      const use = { input: 1 + 7 * at, output: 3 + 11 * (at % 13) };
      claude.write(`-home-ada-shop/${id}.jsonl`, [
        talk.user(at % 2 === 0 ? `=HYPERLINK("x") kettle ${at}` : `-kettle ${at}`),
        talk.assistant(`m${at}`, toolUse(`t${at}`, 'Bash', { command: 'ls' }), use, MODELS[at % 4]),
        talk.result(`t${at}`, 'a b'),
        talk.assistant(`n${at}`, text('Done.'), { input: 1, output: 1 }, 'claude-haiku-4-5'),
      ]);
    }
    program = await create(claude.path);
    await runCommand(['backfill'], { config: program.config, openApp: program.open });
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
    claude[Symbol.dispose]();
  });

  it.each(COST_GROUPS)('the costs in `cost --by %s --csv` add up to the total of the same question', async (by) => {
    const { total } = JSON.parse((await run('cost', '--by', by, '--json')).out) as { total: Record<string, number> };
    expect(total.cost_nanos).toBeGreaterThan(0);
    for (const more of by === 'model' || by === 'day' ? [[], ['--breakdown']] : [[]]) {
      const rows = csvIn((await run('cost', '--by', by, '--csv', ...more)).out);
      for (const column of ['messages', 'tokens_in', 'tokens_out', 'cost_nanos', 'subagent_cost_nanos']) {
        expect([column, sum(rows, column)]).toEqual([column, BigInt(total[column] ?? -1) * NANO]);
      }
      expect(sum(rows, 'cost_usd')).toBe(BigInt(total.cost_nanos ?? -1));
    }
  });

  it('the costs in `sessions --csv` and `stats --csv` add up to the same total', async () => {
    const { total } = JSON.parse((await run('cost', '--json')).out) as { total: { cost_nanos: number } };
    const sessions = csvIn((await run('sessions', '--all', '--csv')).out);
    expect(sessions).toHaveLength(SESSIONS);
    expect(sum(sessions, 'cost_estimate_usd')).toBe(BigInt(total.cost_nanos));
    expect(sum(csvIn((await run('stats', '--csv')).out), 'cost_usd')).toBe(BigInt(total.cost_nanos));
    const [day] = csvIn((await run('cost', '--csv')).out).toReversed();
    const ofDay = await run('sessions', '--all', '--csv', '--since', day?.key ?? '', '--fields', 'cost_estimate_usd');
    expect(sum(csvIn(ofDay.out), 'cost_estimate_usd')).toBe(sum([day ?? {}], 'cost_usd'));
  });

  it('I7: no cell of any CSV is a formula, and the text is not lost', async () => {
    const outputs = [
      'sessions --all',
      'search kettle -n 100',
      'timeline -n 200',
      'cost --by session',
      'sessions --all --fields title',
    ];
    for (const words of outputs) {
      const { out } = await run(...words.split(' '), '--csv');
      const cells = csvRows(out).flat();
      expect(cells.filter((cell) => /^[=+@\t\r\n]|^-(?![\d.])/.test(cell))).toEqual([]);
      expect([words, cells.some((cell) => cell.startsWith(`'=HYPERLINK("x") kettle`))]).toEqual([words, true]);
    }
  });

  it.each([
    ['sessions --all', '/sessions', 'id'],
    ['search kettle -n 10000', '/search', 'session_id'],
    ['timeline -n 10000', '/timeline', 'session.id'],
  ])('`%s --ndjson` prints the first page before it requests the last', async (words, path, field) => {
    const seen: number[] = [];
    let printed = '';
    const openApp = async () => watchGets(await program.open(), path, () => seen.push(rowsIn(printed).length));
    const { out, error } = await runCommand([...words.split(' '), '--no-import', '--ndjson', '--fields', field], {
      config: program.config,
      openApp,
      onOut: (text) => {
        printed = text;
      },
    });
    expect(error).toBeNull();
    expect(rowsIn(out)).toHaveLength(SESSIONS);
    expect(new Set(out.split('\n')).size).toBe(SESSIONS + 1);
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.every((count, at) => (at === 0 ? count === 0 : count > 0))).toBe(true);
  });

  it('reports that a list is incomplete, and fails with the code of the cause', async () => {
    let asked = 0;
    const openApp = async () =>
      watchGets(await program.open(), '/sessions', () => {
        if (++asked === 2) throw new FuelError('timeout', 'The database query timed out.', { hint: 'Try again.' });
      });
    const world = { config: program.config, openApp };
    const { out, error } = await runCommand(['sessions', '--all', '--ndjson', '--no-import'], world);
    expect(rowsIn(out)).toHaveLength(200);
    expect(error).toMatchObject({
      exitCode: 5,
      hint: 'Try again.',
      message: 'The list is incomplete: it broke off after 200 rows. The database query timed out.',
    });
  });

  it.each([
    ['sessions', 'titel', 'title'],
    ['search kettle', 'hits.knid', 'hits.kind'],
    ['timeline', 'session.titel', 'session.title'],
    ['cost', 'cost_usdd', 'cost_usd'],
    ['stats', 'mesages', 'messages'],
    ['tools', 'cals', 'calls'],
    ['files', 'pth', 'path'],
    ['workspaces', 'sesions', 'sessions'],
    [`session ${idOf(1)} --transcript`, 'rol', 'role'],
    [`session ${idOf(1)} --steps`, 'stp', 'step'],
  ])('`%s --fields %s` suggests %s', async (words, wrong, right) => {
    if (words === 'files') return expect((await run('files', '--ndjson', '--fields', wrong)).out).toBe('');
    for (const format of words.startsWith('session ') ? ['--ndjson', '--json'] : ['--ndjson', '--json', '--csv']) {
      const { out, error } = await run(...words.split(' '), format, '--fields', wrong);
      expect([out, error?.exitCode]).toEqual(['', 2]);
      expect(error?.hint).toContain(`Did you mean ${right}?`);
    }
  });

  it('the lists of reports and of sessions are lines too', async () => {
    const { rows } = JSON.parse((await run('cost', '--by', 'model', '--json')).out) as { rows: Row[] };
    expect(await lines('cost', '--by', 'model', '--ndjson')).toEqual(rows);
    expect(await lines('cost', '--by', 'model', '--ndjson', '--fields', 'key')).toEqual(
      rows.map(({ key }) => ({ key })),
    );
    const { days } = JSON.parse((await run('stats', '--json')).out) as { days: Row[] };
    expect(await lines('stats', '--ndjson')).toEqual(days);
    const { messages } = JSON.parse((await run('session', idOf(1), '--transcript', '--json')).out) as {
      messages: Row[];
    };
    expect(await lines('session', idOf(1), '--transcript', '--ndjson')).toEqual(messages);
    expect((await run('session', idOf(1), '--ndjson')).error?.message).toContain('--ndjson requires a list');
  });

  it('a search without a match prints nothing and exits with 1', async () => {
    const { out, error } = await run('search', 'teapot', '--ndjson');
    expect([out, error?.exitCode]).toEqual(['', 1]);
  });
});

const NANO = 1_000_000_000n;

/** The exact sum of a column of decimals, in billionths. */
function sum(rows: readonly Readonly<Record<string, string>>[], column: string): bigint {
  return rows.reduce((total, row) => {
    const [, whole = '0', fraction = ''] = /^(\d+)(?:\.(\d{1,9}))?$/.exec(row[column] || '0') ?? [];
    expect(row[column] ?? '').toMatch(/^(\d+(\.\d{1,9})?)?$/);
    return total + BigInt(whole) * NANO + BigInt(fraction.padEnd(9, '0'));
  }, 0n);
}

function rowsIn(out: string): readonly Row[] {
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

function csvIn(out: string): readonly Record<string, string>[] {
  const [header = [], ...rows] = csvRows(out);
  return rows.map((row) => Object.fromEntries(row.map((cell, at) => [header[at] ?? '', cell])));
}

/** An RFC 4180 reader, independent of the writer. */
function csvRows(out: string): readonly (readonly string[])[] {
  const cells = out.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n)/g);
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of cells) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

/** The program, with a callback before each request to one path. */
function watchGets(app: App, path: string, onGet: () => void): App {
  const get = (asked: string, ...rest: unknown[]) => {
    if (asked === path) onGet();
    return (app.get as (...words: unknown[]) => unknown)(asked, ...rest);
  };
  return new Proxy(app, { get: (target, name) => (name === 'get' ? get : Reflect.get(target, name)) });
}
