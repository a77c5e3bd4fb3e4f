import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { issueBrowserKey } from '../../src/app/access-keys.ts';
import type { App } from '../../src/app/open-app.ts';
import { connectServer } from '../../src/client/prove-server.ts';
import { countShipments } from '../../src/store/queries/shipping/shipments.ts';
import { type ClaudeHome, createTalk } from '../support/claude-home.ts';
import { PROGRAMS, type Program } from '../support/programs.ts';
import { runProgram } from '../support/run-program.ts';
import { createPair, type Device, fetchFrom, type Pair, SERVER_URL, shipTo } from '../support/ship-pair.ts';

const ID = '11111111-2222-4333-8444-555555555555';

describe.each(PROGRAMS)('a token for each device ($name)', ({ create }) => {
  let pair: Pair;
  let claude: ClaudeHome;
  let device: Device;
  let program: Program;
  let server: App;

  beforeEach(async () => {
    pair = await createPair(create);
    ({ claude, device, program, server } = pair);
  });
  afterEach(() => pair[Symbol.asyncDispose]());

  const devices = (...args: string[]) => runProgram(['devices', ...args], { env: program.env });

  async function add(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await devices('add', ...args);
    expect([code, stderr]).toEqual([0, expect.stringContaining('not shown again')]);
    expect(stdout).toMatch(/^dev_[0-9a-f]{16}_[0-9a-f]{64}\n$/);
    return stdout.trim();
  }

  const shipWith = (token: string) => shipTo(device, { fetch: fetchFrom(server), token });
  const waiting = () =>
    countShipments(device.app.store.engine.kysely, { server: SERVER_URL, deviceId: device.app.device.id });
  const say = (text: string) =>
    claude.append(`-home-ada-shop/${ID}.jsonl`, [createTalk(ID, { prefix: text }).user(text)]);

  it('B8: ships; after revocation the device is informed, loses nothing, and continues immediately with another token', async () => {
    const token = await add('laptop');
    say('a1');
    await device.app.importNew();
    expect(await shipWith(token)).toMatchObject({ files: 1, paused: null });

    expect((await devices('revoke', 'laptop')).stdout).toContain('no longer valid');
    say('b2');
    await device.app.importNew();
    expect(await shipWith(token)).toMatchObject({ files: 0, refused: 0, paused: expect.stringContaining('revoked') });
    expect(await waiting()).toEqual({ waiting: 1, refused: 0 });

    const another = await add('laptop');
    expect(await shipWith(another)).toMatchObject({ files: 1, paused: null });
    expect(await waiting()).toEqual({ waiting: 0, refused: 0 });
    await server.importNew();
    expect((await server.get('/sessions/:id', { params: { id: ID } })).total_messages).toBe(2);
  });

  it('is stored as a hash only, and listed with its last use', async () => {
    const token = await add('laptop');
    await add('builder', '--write-only');
    say('a1');
    await device.app.importNew();
    await shipWith(token);
    const rows = await server.store.engine.kysely.selectFrom('device_tokens').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token.slice(-64));
    const { stdout } = await devices('tokens', '--json');
    expect(JSON.parse(stdout).tokens).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'laptop', may: 'read and write', last_used_at: expect.any(String) as string }),
        expect.objectContaining({ name: 'builder', may: 'write', last_used_at: null }),
      ]),
    );
    expect((await devices('tokens')).stdout).toMatch(/laptop/);
    expect((await devices('add', 'laptop')).code).toBe(2);
    expect((await devices('revoke', 'nobody')).code).toBe(3);
    expect((await devices('add')).code).toBe(2);
    expect((await devices('rename', 'laptop')).code).toBe(2);
    expect((await devices('smash', 'laptop')).code).toBe(2);
    expect((await devices('add', 'x', '--remote')).code).toBe(2);
  });

  it('browsers are listed and revoked by a prefix of their id', async () => {
    const { id } = await issueBrowserKey(server.store.engine.kysely, 'Firefox on Linux', new Date());
    expect((await devices('browsers')).stdout).toContain('Firefox on Linux');
    expect(JSON.parse((await devices('browsers', '--json')).stdout).browsers).toMatchObject([{ id }]);
    expect((await devices('revoke-browser')).code).toBe(2);
    expect((await devices('revoke-browser', 'nothing')).code).toBe(3);
    expect((await devices('revoke-browser', id.slice(0, 6))).stdout).toContain(
      'Revoked the access of Firefox on Linux.',
    );
    expect((await devices('browsers')).stdout).toContain('No browsers with access.');
  });

  it('with --write-only can upload sessions but read none', async () => {
    const token = await add('builder', '--write-only');
    say('a1');
    await device.app.importNew();
    expect(await shipWith(token)).toMatchObject({ files: 1, paused: null });
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetchFrom(server)(new URL('/api/sessions', SERVER_URL), { headers });
    expect(response.status).toBe(403);
  });

  // Regression: a write-only token could replace the text of another device's session.
  it('E16: is valid for one device only', async () => {
    const token = await add('laptop');
    say('a1');
    await device.app.importNew();
    expect(await shipWith(token)).toMatchObject({ files: 1, paused: null });
    const stolen = await add('builder', '--write-only');
    const { id, name, hostname, os, arch } = device.app.device;
    const victim = { id, name, hostname, os, arch };
    const send = (path: string, body: string, headers: Record<string, string>) =>
      fetchFrom(server)(new URL(path, SERVER_URL), {
        method: 'POST',
        headers: { authorization: `Bearer ${stolen}`, ...headers },
        body,
      });
    const json = { 'content-type': 'application/json' };
    const line = JSON.stringify(createTalk(ID, { prefix: 'x' }).user('Replaced.'));
    const event = {
      id: '01HF00000000000000000000E1',
      type: 'session.end',
      timestamp: new Date(0).toISOString(),
      session_id: ID,
      data: {},
    };
    const attempts = [
      send(`/api/sessions/${ID}/transcript/upload`, line, {}),
      send(`/api/sessions/${ID}/transcript/upload`, line, { 'fuel-session': JSON.stringify({ device: victim }) }),
      send('/api/events/ingest', JSON.stringify({ device: victim, events: [event] }), json),
      send('/api/git/ingest', JSON.stringify({ device: victim, order: 1, items: [{}] }), json),
    ];
    for (const attempt of attempts) expect((await attempt).status).toBe(403);
    const own = { ...victim, id: 'builder-1' };
    const described = { 'fuel-session': JSON.stringify({ device: own }) };
    expect((await send(`/api/sessions/${ID}/transcript/upload`, line, described)).status).toBe(409);
    expect((await send(`/api/sessions/${ID}/transcript/upload`, line, {})).status).toBe(403);
    await server.importNew();
    expect(await server.get('/sessions/:id', { params: { id: ID } })).toMatchObject({
      total_messages: 1,
      device_id: id,
    });
  });

  it('L9: is sent only after the server has proved that it knows the token', async () => {
    const token = await add('laptop');
    const sent: (string | null)[] = [];
    const transport = (url: string, init: RequestInit) => {
      sent.push(new Headers(init.headers).get('authorization'));
      return fetchFrom(server)(url, init);
    };
    const origin = new URL(SERVER_URL).origin;
    const client = await connectServer({ origin, token, transport });
    expect(await client.get('/status', {})).toMatchObject({ sessions: 0 });
    expect(sent).toEqual([null, `Bearer ${token}`]);
    await devices('revoke', 'laptop');
    sent.length = 0;
    await expect(connectServer({ origin, token, transport })).rejects.toMatchObject({ code: 'unauthorized' });
    const unknown = `dev_${'0'.repeat(16)}_${'0'.repeat(64)}`;
    await expect(connectServer({ origin, token: unknown, transport })).rejects.toMatchObject({ code: 'unauthorized' });
    expect(sent).toEqual([null, null]);
  });
});
