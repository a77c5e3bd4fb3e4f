import { getEventListeners, once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { PROGRAMS, type Program } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';
import { startProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';

const idOf = (at: number) => `${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`;

type Line = Readonly<Record<string, unknown>>;

describe.each(PROGRAMS)('watch ($name)', ({ create }) => {
  let claude: ClaudeHome;
  let program: Program;
  const run = (...words: string[]) => runCommand(words, { config: program.config, openApp: program.open });
  const write = (at: number, prompts: number) => {
    const talk = createTalk(idOf(at));
    const turns = Array.from({ length: prompts }, (_, turn) => [
      talk.user(`Prompt ${turn}`),
      talk.assistant(`m-${at}-${turn}`, text('Hi.'), { input: 10, output: 10 }),
    ]);
    claude.write(`-home-ada-shop/${idOf(at)}.jsonl`, turns.flat());
  };

  beforeAll(async () => {
    claude = createClaudeHome();
    write(1, 1);
    program = await create(claude.path);
    await run('backfill');
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
    claude[Symbol.dispose]();
  });

  /** Watches until the lines are as expected, then stops. */
  const watching = async (
    words: readonly string[],
    act: (seen: () => readonly Line[]) => Promise<unknown>,
    isDone: (lines: Line[]) => boolean,
  ) => {
    const stop = new AbortController();
    let lines: Line[] = [];
    const onOut = (out: string) => {
      lines = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
    };
    const world = { config: program.config, openApp: program.open, signal: stop.signal, onOut };
    const watched = runCommand(['watch', '--json', '--no-import', ...words], world);
    await until(() => expect(lines).not.toEqual([]));
    await act(() => lines);
    await until(() => expect(isDone(lines)).toBe(true));
    stop.abort();
    expect((await watched).error).toBeNull();
    return lines;
  };
  const cursorOf = (lines: readonly Line[]) =>
    String(lines.findLast(({ cursor }) => typeof cursor === 'string')?.cursor);

  it('prints new, changed, ended and deleted sessions, and continues from a cursor', async () => {
    const isDeleted = (lines: Line[]) => lines.at(-1)?.change === 'deleted';
    const lines = await watching(
      [],
      async (seen) => {
        write(2, 1);
        await run('backfill');
        await until(() => expect(seen().some(({ total_messages }) => total_messages === 2)).toBe(true));
        await run('delete', idOf(2), '--yes');
      },
      isDeleted,
    );
    expect(lines[0]).toEqual({ type: 'hello', schema_version: 1, cursor: expect.stringMatching(/^[0-9a-f]{8}-\d+$/) });
    const ofTwo = lines.filter(({ id }) => id === idOf(2));
    expect(ofTwo.map(({ change }) => change)).toEqual(expect.arrayContaining(['new', 'deleted']));
    expect(ofTwo.at(-1)).toEqual({ type: 'session', change: 'deleted', id: idOf(2), cursor: cursorOf(lines) });
    expect(ofTwo.find(({ total_messages }) => total_messages === 2)).toMatchObject({
      type: 'session',
      workspace_name: 'shop',
      title: 'Prompt 0',
      cost_estimate_usd: expect.any(Number),
    });
    write(3, 1);
    await run('backfill');
    const later = await watching(
      ['--since', cursorOf(lines)],
      async () => {},
      (all) => all.length > 1,
    );
    expect(later.slice(1)).toMatchObject([{ id: idOf(3), change: 'new', total_messages: 2 }]);
  });

  it('distinguishes a session that continued and ended since the cursor from one that changed otherwise', async () => {
    const since = async (cursor: string) =>
      watching(
        ['--since', cursor],
        async () => {},
        (lines) => lines.length > 1,
      );
    const first = await watching(
      [],
      async () => {},
      (lines) => lines.length > 0,
    );
    await run('tag', idOf(1), 'tea');
    const tagged = await since(cursorOf(first));
    expect(tagged.slice(1)).toMatchObject([{ id: idOf(1), change: 'changed' }]);
    write(1, 2);
    await run('backfill');
    expect((await since(cursorOf(tagged))).slice(1)).toMatchObject([
      { id: idOf(1), change: 'ended', total_messages: 4 },
    ]);
  });

  it('lists every change, however many there are', async () => {
    const [first] = await watching(
      [],
      async () => {},
      (lines) => lines.length > 0,
    );
    const app = await program.open();
    const row = await app.store.engine.kysely
      .selectFrom('sessions')
      .selectAll()
      .where('id', '=', idOf(1))
      .executeTakeFirstOrThrow();
    const { workspace_id, device_id, started_at, created_at, updated_at } = row;
    const MANY = 1_100;
    const rows = Array.from({ length: MANY }, (_, at) => ({
      id: `many-${at}`,
      workspace_id,
      device_id,
      started_at,
      created_at,
      updated_at,
      lifecycle: 'detected' as const,
      parse_status: 'pending' as const,
    }));
    for (let at = 0; at < MANY; at += 100) {
      await app.store.engine.kysely
        .insertInto('sessions')
        .values(rows.slice(at, at + 100))
        .execute();
    }
    const lines = await watching(
      ['--since', String(first?.cursor)],
      async () => {},
      (all) => all.length === MANY + 1,
    );
    expect(new Set(lines.slice(1).map(({ id }) => id)).size).toBe(MANY);
    await app.store.engine.kysely.deleteFrom('sessions').where('id', 'like', 'many-%').execute();
    await app.close();
  });

  it('waits for a slow reader: a session that changed many times meanwhile is one line', async () => {
    const stop = new AbortController();
    let [lines, release]: [readonly string[], () => void] = [[], () => {}];
    const onOut = (out: string) => (lines = out.trimEnd().split('\n'));
    const reader = {
      onOut: (out: string) => void onOut(out),
      drain: () => new Promise<void>((done) => (release = done)),
    };
    const world = { config: program.config, openApp: program.open, signal: stop.signal, ...reader };
    const watched = runCommand(['watch', '--json', '--no-import'], world);
    await until(() => expect(lines).toHaveLength(1));
    for (const tag of 'abcdefghij') await run('tag', idOf(1), `slow-${tag}`);
    expect(lines).toHaveLength(1);
    const readLine = async (count: number) => {
      release();
      await until(() => expect(lines).toHaveLength(count));
      return JSON.parse(lines.at(-1) ?? '') as Line;
    };
    expect(await readLine(2)).toMatchObject({ id: idOf(1), change: 'changed' });
    const waiting = getEventListeners(stop.signal, 'abort').length;
    for (const tag of 'abcdefghij') await run('tag', idOf(1), '--remove', `slow-${tag}`);
    expect(await readLine(3)).toMatchObject({ id: idOf(1), change: 'changed' });
    // Nothing is buffered per line either.
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(waiting);
    stop.abort();
    expect((await watched).error).toBeNull();
    expect(lines).toHaveLength(3);
  });

  it('reports a cursor from another database, and rejects an invalid one', async () => {
    const [line] = await watching(
      ['--since', 'ffffffff-3'],
      async () => {},
      (lines) => lines.length > 0,
    );
    expect(line).toMatchObject({ type: 'reset', schema_version: 1 });
    expect((await run('watch', '--since', 'yesterday')).error).toMatchObject({
      exitCode: 2,
      message: '"yesterday" is not a cursor.',
    });
  });

  it('prints sentences for people', async () => {
    const stop = new AbortController();
    let out = '';
    const world = {
      config: program.config,
      openApp: program.open,
      signal: stop.signal,
      onOut: (text: string) => (out = text),
    };
    const watched = runCommand(['watch'], world);
    // It imports changes.
    write(4, 1);
    await until(() => expect(out).toMatch(/^00000004 {2}(new|changed|ended) .* shop Prompt 0$/m));
    stop.abort();
    expect((await watched).err).toContain('Waiting for changes.');
  });
});

describe('watch as a process', () => {
  it('ends with 130 at Ctrl-C, and with 0 when the reader closes the pipe', async () => {
    using claude = createClaudeHome();
    const { create } = PROGRAMS[0] as (typeof PROGRAMS)[number];
    await using program = await create(claude.path);
    const start = () => startProgram(['watch', '--json'], { env: { ...program.env } });
    const interrupted = start();
    await once(createInterface({ input: interrupted.stdout }), 'line');
    interrupted.kill('SIGINT');
    expect((await once(interrupted, 'close'))[0]).toBe(130);
    const piped = start();
    await once(piped.stdout, 'data');
    piped.stdout.destroy();
    claude.write(`-home-ada-shop/${idOf(1)}.jsonl`, [createTalk(idOf(1)).user('Hello.')]);
    expect((await once(piped, 'exit'))[0]).toBe(0);
  });
});
