import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FuelError } from '../../src/domain/errors.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { fixedClock, NOW, PROGRAMS, type Program } from '../support/programs.ts';
import { type CommandWorld, runCommand } from '../support/run-command.ts';
import { createPair, fetchFrom, shipTo } from '../support/ship-pair.ts';

const ID = 'aaaaaaaa-0000-4000-8000-000000000000';
const GONE = 'bbbbbbbb-0000-4000-8000-000000000000';
const LATER = 'cccccccc-0000-4000-8000-000000000000';
/** After the pause caused by the unreachable server. */
const later = { ...fixedClock, now: () => new Date(NOW.getTime() + 60_000) };
const SECRET = `ghp_${'a1B2'.repeat(9)}`;

describe.each(PROGRAMS)('emit ($name)', ({ create }) => {
  let claude: ClaudeHome;
  let program: Program;
  const runWith = (more: Partial<CommandWorld>, ...words: string[]) =>
    runCommand(words, { config: program.config, openApp: program.open, ...more });
  const run = (...words: string[]) => runWith({}, ...words);
  const emit = async (...words: string[]) => JSON.parse((await run('emit', ...words, '--json')).out);
  const events = async (...words: string[]) => {
    const { out, error } = await run('events', ...words, '--json');
    if (error !== null) throw error;
    return (JSON.parse(out) as { events: Record<string, unknown>[] }).events;
  };
  const talkOf = (id: string) => {
    const talk = createTalk(id);
    return [talk.user('Hello.'), talk.assistant(`m-${id}`, text('Hi.'), { input: 1, output: 1 })];
  };

  beforeAll(async () => {
    claude = createClaudeHome();
    for (const id of [ID, GONE]) claude.write(`-home-ada-shop/${id}.jsonl`, talkOf(id));
    program = await create(claude.path);
    await run('backfill');
    await run('delete', GONE, '--yes');
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
    claude[Symbol.dispose]();
  });

  it('stores type, data, time and workspace, and every interface shows them', async () => {
    const at = '2026-11-02T08:00:00.000Z';
    const data = '{"build":1,"env":"test"}';
    const words = ['deploy', 'env=production', 'build:=482', '--data', data, '--time', at, '--workspace', 'shop'];
    const emitted = await emit(...words);
    expect(emitted).toMatchObject({ schema_version: 1, status: 'stored', workspace: 'shop', session_id: null });
    const stored = { id: emitted.id, type: 'deploy', timestamp: at, data: { env: 'production', build: 482 } };
    expect(await events('--scripts')).toMatchObject([stored]);
    expect(
      await events('--type', 'deploy', '--workspace', 'shop', '--since', '2026-11-02', '--until', '2026-11-02'),
    ).toHaveLength(1);
    expect(await events('--scripts', '--since', '2026-11-03')).toEqual([]);
    const items = JSON.parse((await run('timeline', '--json')).out).items as { kind: string }[];
    expect(items.filter(({ kind }) => kind === 'event')).toMatchObject([{ at, workspace_name: 'shop', event: stored }]);
    expect((await run('timeline')).out).toContain('◆ shop · deploy build=482 env=production');
    expect((await run('timeline', '--workspace', 'shop', '--csv')).out).toContain(
      `${at},event,,deploy,build=482 env=production`,
    );
    expect((await run('timeline', '--branch', 'main')).out).not.toContain('deploy');
    expect((await run('events', '--ndjson', '--fields', 'type,data.env')).out).toBe(
      '{"type":"deploy","data":{"env":"production"}}\n',
    );
  });

  it('belongs to a session, even one that is imported later', async () => {
    expect(await emit('review', '--session', 'aaaaaaaa', 'verdict=approved')).toMatchObject({ session_id: ID });
    expect((await run('session', ID, '--events')).out).toContain('\n    "verdict": "approved"');
    expect(await emit('review', '--session', LATER)).toMatchObject({ session_id: LATER, status: 'stored' });
    expect(await events('--type', 'review')).toHaveLength(2);
    claude.write(`-home-ada-shop/${LATER}.jsonl`, talkOf(LATER));
    await run('backfill');
    expect(await events('--session', LATER)).toMatchObject([{ type: 'review', session_id: LATER }]);
    expect((await run('emit', 'review', '--session', 'ffff')).error?.exitCode).toBe(3);
  });

  it('stores an event with the same key once', async () => {
    const first = await emit('ci', '--id', 'job 7', 'try:=1');
    const second = await emit('ci', '--id', 'job 7', 'try:=2');
    expect([first.status, second.status, second.id]).toEqual(['stored', 'duplicate', first.id]);
    expect(await events('--type', 'ci')).toMatchObject([{ data: { try: 1 } }]);
  });

  it.each([
    ['an invalid type', ['de ploy'], 2, 'Invalid event type'],
    ['a type of hooks', ['session.end', '--session', ID], 2, 'reserved for hooks'],
    ['a type of hooks in capitals', ['Hook.x'], 2, 'reserved for hooks'],
    ['data that is not JSON', ['x', '--data', '{a'], 2, 'The data is not JSON'],
    ['data that is not an object', ['x', '--data', '[1]'], 2, 'must be a JSON object'],
    ['an argument that is no pair', ['x', 'env'], 2, 'Invalid argument "env"'],
    ['a value that is not JSON', ['x', 'n:=one'], 2, 'The value of n is not JSON'],
    ['a session in the data', ['x', `session_id=${ID}`], 2, 'must not have a field session_id'],
    ['a time in the future', ['x', '--time', '2099-01-01'], 2, 'is in the future'],
    ['too much data', ['x', `a=${'é'.repeat(17_000)}`], 2, 'an event holds up to'],
    ['an empty key', ['x', '--id', ' '], 2, '--id must have'],
    ['an unknown workspace', ['x', '--workspace', 'nowhere'], 3, 'No workspace named'],
    ['a deleted session', ['x', '--session', GONE], 3, 'was deleted'],
  ])('rejects %s', async (_, words, exitCode, message) => {
    const before = await events();
    const { error, out } = await run('emit', ...words);
    expect([error?.exitCode, out]).toEqual([exitCode, '']);
    expect(error?.message).toContain(message);
    expect(await events()).toEqual(before);
  });

  it('reads data from standard input, within limits', async () => {
    await runWith({ input: ' {"lines": ["a", "b"]}\n' }, 'emit', 'input', '--data', '-');
    expect(await events('--type', 'input')).toMatchObject([{ data: { lines: ['a', 'b'] } }]);
    const huge = await runWith({ input: ' '.repeat(100_000) }, 'emit', 'input', '--data', '-');
    expect(huge.error?.code).toBe('too_large');
  });

  it('waits in the spool while the database is unavailable, and keeps its key', async () => {
    const away = { openApp: () => Promise.reject(new FuelError('store_unavailable', 'Away.')) };
    const { out, err, error } = await runWith(away, 'emit', 'night', '--id', 'n1', '--session', ID, '--json');
    expect([error, JSON.parse(out).status]).toEqual([null, 'queued']);
    expect(err).toContain('the next import stores the event');
    await runWith(away, 'emit', 'night', '--id', 'n1', '--session', ID);
    expect((await runWith(away, 'emit', 'night', '--workspace', 'shop')).error?.exitCode).toBe(6);
    expect(await events('--type', 'night')).toMatchObject([{ session_id: ID, id: JSON.parse(out).id }]);
    expect((await emit('night', '--id', 'n1')).status).toBe('duplicate');
    expect(JSON.parse((await run('queue', 'status', '--json')).out)).toMatchObject({ entries: 0 });
  });

  it('is redacted in CSV', async () => {
    await emit('leak', `token=${SECRET}`);
    for (const words of [['events'], ['events', '--fields', 'type,data'], ['timeline', '-n', '200']]) {
      expect((await run(...words, '--csv')).out).toContain('leak');
      expect((await run(...words, '--csv')).out).not.toContain(SECRET);
    }
    expect((await run('events', '--csv', '--raw')).out).toContain(SECRET);
  });

  it('survives a rebuild, and is deleted with its session', async () => {
    const withoutTime = async () => (await events('-n', '1000')).map(({ ingested_at: _, ...event }) => event);
    const before = await withoutTime();
    expect(before.length).toBeGreaterThan(5);
    expect((await run('rebuild')).error).toBeNull();
    expect(await withoutTime()).toEqual(before);
    await run('delete', ID, '--yes');
    expect((await events()).filter(({ session_id }) => session_id === ID)).toEqual([]);
    expect(await events('--type', 'deploy')).toHaveLength(1);
  });
});

describe.each(PROGRAMS)('emit with a server ($name)', ({ create }) => {
  it('arrives there with its workspace or session, once', async () => {
    await using pair = await createPair(create);
    const { claude, device, server } = pair;
    claude.write(`-home-ada-shop/${ID}.jsonl`, [createTalk(ID).user('Hello.')]);
    await device.app.importNew();
    const world = {
      config: device.app.config,
      openApp: async () => ({ ...device.app, [Symbol.asyncDispose]: async () => {} }),
    };
    const away = await runCommand(['emit', 'deploy', '--workspace', 'shop', 'n:=1', '--json'], world);
    expect(JSON.parse(away.out)).toMatchObject({ status: 'stored', is_shipped: false });
    await runCommand(['emit', 'review', '--session', ID], world);
    for (const _ of [1, 2]) await shipTo(device, { fetch: fetchFrom(server), clock: later });
    const { events } = await server.get('/events', { query: { limit: 10, emitted: true } });
    expect(events.map(({ type, data }) => [type, data])).toEqual(
      expect.arrayContaining([
        ['deploy', { n: 1 }],
        ['review', { session_id: ID }],
      ]),
    );
    expect(events).toHaveLength(2);
    const { items } = await server.get('/timeline', { query: { limit: 10, types: ['event'] } });
    expect(items.map((item) => item.kind === 'event' && item.workspace_name)).toContain('shop');
  });
});
