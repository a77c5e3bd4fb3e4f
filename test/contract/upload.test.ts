import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_CHUNK_BYTES, storedSchema, transcriptAnswer, type Upload } from '../../src/api/ingest.ts';
import type { App } from '../../src/app/open-app.ts';
import { readGeneration } from '../../src/archive/archive-bytes.ts';
import { MAX_UPLOADS_AT_ONCE } from '../../src/server/limits.ts';
import { listGenerations } from '../../src/store/queries/archive/archive.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { PROGRAMS, type Program } from '../support/programs.ts';
import { fetchFrom, SERVER_URL, TOKEN } from '../support/ship-pair.ts';
import { recordJournal } from '../support/silent-journal.ts';
import { until } from '../support/until.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const OTHER_ID = '11222222-2222-4333-8444-555555555555';
const NOW = '2026-11-15T12:00:00.000Z';
const JSON_TYPE = { 'content-type': 'application/json' };
const DEVICE = { id: 'laptop-1', name: 'laptop', hostname: 'laptop.local', os: 'linux', arch: 'x64' };
const hashOf = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const talk = createTalk(ID);
const FIRST = `${JSON.stringify(talk.user('Hello.'))}\n`;
const SECOND = `${JSON.stringify(talk.assistant('m1', text('Hi.'), { input: 1, output: 1 }))}\n`;

interface Sent {
  readonly whole?: string;
  readonly from?: number;
  readonly to?: number;
  readonly generation?: number;
  readonly isCurrent?: boolean;
  readonly device?: typeof DEVICE;
  readonly describe?: (upload: Upload) => object;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

function describeChunk({
  whole = FIRST,
  from = 0,
  to = whole.length,
  generation = 1,
  isCurrent = true,
  device = DEVICE,
}: Sent) {
  const chunk = whole.slice(from, to);
  const upload: Upload = {
    format: 1,
    device,
    file: {
      root: '/home/ada/.claude',
      path: `projects/-p/${ID}.jsonl`,
      kind: 'main',
      state: 'captured',
      session_id: ID,
      agent_id: null,
      mtime_ms: 1_794_700_000_000,
      inode: '1:2',
    },
    generation: {
      number: generation,
      is_current: isCurrent,
      size_bytes: whole.length,
      head_sha256: hashOf(whole),
      tail_sha256: hashOf(whole),
      sha256: hashOf(whole),
    },
    workspace: null,
    chunk: { offset: from, size_bytes: chunk.length, sha256: hashOf(chunk) },
  };
  return { upload, chunk };
}

describe.each(PROGRAMS)('uploads ($name)', ({ create }) => {
  let nothing: ClaudeHome;
  let program: Program;
  let app: App;
  let serverFetch: typeof fetch;

  beforeEach(async () => {
    nothing = createClaudeHome();
    program = await create(nothing.path);
    app = await program.open();
    serverFetch = fetchFrom(app);
  });
  afterEach(async () => {
    await app.close();
    await program[Symbol.asyncDispose]();
    nothing[Symbol.dispose]();
  });

  const post = (path: string, body: string | ReadableStream<Uint8Array>, headers: Record<string, string>) =>
    serverFetch(new URL(path, SERVER_URL), {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      body,
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    });

  async function send(sent: Sent) {
    const { upload, chunk } = describeChunk(sent);
    const header = JSON.stringify(sent.describe?.(upload) ?? upload);
    const response = await post('/api/files/upload', sent.body ?? chunk, { 'fuel-upload': header, ...sent.headers });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  const upload = (body: string | ReadableStream<Uint8Array>, id = ID) =>
    post(`/api/sessions/${id}/transcript/upload`, body, {});

  async function generations(): Promise<string[]> {
    const { engine } = app.store;
    const rows = await listGenerations(engine.kysely);
    const read = rows.map(async ({ sourceFileId: id, number: generation }) => {
      return Buffer.concat(
        await Array.fromAsync(readGeneration({ engine, blobs: app.blobs }, { id, generation })),
      ).toString();
    });
    return Promise.all(read);
  }

  it('confirms a chunk only after the journal is on the disk', async () => {
    const { journal, calls } = recordJournal(app.journal);
    serverFetch = fetchFrom({ ...app, journal });
    expect(await send({ whole: FIRST })).toMatchObject({ status: 200, body: { status: 'uploaded' } });
    expect(calls.at(-1)).toBe('flush');
  });

  it('accepts a file in chunks, and a repeated chunk as already uploaded', async () => {
    const whole = FIRST + SECOND;
    expect(await send({ whole, to: 100 })).toMatchObject({
      status: 200,
      body: { status: 'uploaded', size_bytes: 100 },
    });
    expect(await send({ whole, from: 100 })).toMatchObject({ status: 200, body: { size_bytes: whole.length } });
    const again = await send({ whole, from: 100 });
    expect(again).toMatchObject({ status: 200, body: { status: 'already_uploaded', size_bytes: whole.length } });
    expect(storedSchema.parse(again.body)).toEqual(again.body);
    expect(await generations()).toEqual([whole]);
    await app.importNew();
    expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({
      device_id: DEVICE.id,
      total_messages: 2,
    });
  });

  it('E3: stores a chunk once that two senders upload at the same time', async () => {
    const both = await Promise.all([send({}), send({})]);
    expect(both.map(({ status }) => status).every((status) => status === 200 || status === 503)).toBe(true);
    expect((await send({})).status).toBe(200);
    expect(await generations()).toEqual([FIRST]);
  });

  it('E4, E9: stores nothing of a chunk that does not match its declaration', async () => {
    const flipped = `X${FIRST.slice(1)}`;
    for (const body of [flipped, FIRST.slice(1), `${FIRST}more`, ''])
      expect(await send({ body })).toMatchObject({ status: 422, body: { error: { code: 'digest_mismatch' } } });
    expect(await generations()).toEqual([]);
  });

  it('E5: reports its size when a chunk starts beyond it', async () => {
    expect(await send({ from: 10 })).toMatchObject({
      status: 409,
      body: { size_bytes: 0, error: { code: 'conflict' } },
    });
    await send({ to: 10 });
    expect(await send({ from: 20 })).toMatchObject({ status: 409, body: { size_bytes: 10 } });
    expect(await generations()).toEqual([FIRST.slice(0, 10)]);
  });

  it('E6, E7: different bytes become a new generation, and the old one is kept', async () => {
    await send({});
    expect(await send({ whole: SECOND })).toMatchObject({ status: 412, body: { generation: 2 } });
    expect(await send({ whole: SECOND, generation: 2 })).toMatchObject({ status: 200 });
    expect(await send({ whole: FIRST })).toMatchObject({ status: 412, body: { generation: 3 } });
    expect(await send({ whole: FIRST, isCurrent: false })).toMatchObject({ body: { status: 'already_uploaded' } });
    expect(await generations()).toEqual([FIRST, SECOND]);
  });

  it('E7: a generation whose digest does not match is rejected', async () => {
    const wrong = (described: Upload) => ({
      ...described,
      generation: { ...described.generation, sha256: hashOf('x') },
    });
    expect(await send({ describe: wrong })).toMatchObject({ status: 412 });
    expect(await generations()).toEqual([]);
  });

  // Regression: another device could add messages to a session, or replace its text.
  it('E16: the same path on two devices is two files, and a session takes bytes from its own device only', async () => {
    await send({});
    const other = { ...DEVICE, id: 'laptop-2' };
    expect(await send({ device: other, whole: SECOND })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', message: expect.stringContaining('another device') as string } },
    });
    expect(await generations()).toEqual([FIRST]);
    const elsewhere = (described: Upload) => ({ ...described, file: { ...described.file, session_id: OTHER_ID } });
    expect(await send({ device: other, whole: SECOND, describe: elsewhere })).toMatchObject({ status: 200 });
    expect((await generations()).toSorted()).toEqual([FIRST, SECOND].toSorted());
    const event = { id: '01HF00000000000000000000E1', type: 'session.end', timestamp: NOW, session_id: ID, data: {} };
    const told = await post('/api/events/ingest', JSON.stringify({ device: other, events: [event] }), JSON_TYPE);
    expect(await told.json()).toMatchObject({ results: [{ status: 'rejected' }] });
    await app.importNew();
    expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({
      total_messages: 1,
      device_id: DEVICE.id,
    });
  });

  it('E16: a device cannot append to the file of another device, even if the beginning matches', async () => {
    await send({});
    const other = { ...DEVICE, id: 'laptop-2' };
    const elsewhere = (described: Upload) => ({ ...described, file: { ...described.file, session_id: OTHER_ID } });
    const rest = { whole: FIRST + SECOND, from: FIRST.length, device: other };
    const appended = await send({ ...rest, describe: elsewhere });
    // It is asked for the beginning of its own file; the other device's file is not used.
    expect(appended).toMatchObject({ status: 409, body: { size_bytes: 0 } });
    expect((await send(rest)).status).toBe(409);
    expect(await generations()).toEqual([FIRST]);
  });

  it('E16: files that another device uploaded before the session was known are not part of it', async () => {
    const beside = (described: Upload) => ({
      ...described,
      file: { ...described.file, kind: 'agent', agent_id: 'a1', path: `projects/-p/${ID}/subagents/agent-a1.jsonl` },
    });
    await send({ device: { ...DEVICE, id: 'laptop-2' }, whole: SECOND, describe: beside });
    await app.store.engine.kysely.deleteFrom('sessions').execute();
    await send({});
    await app.importNew();
    expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({
      total_messages: 1,
      subagent_count: 0,
      device_id: DEVICE.id,
    });
  });

  it('a session takes bytes from both of two merged devices, also after a rebuild', async () => {
    await send({});
    const other = { ...DEVICE, id: 'laptop-2', name: 'other' };
    const elsewhere = (described: Upload) => ({ ...described, file: { ...described.file, session_id: OTHER_ID } });
    await send({ device: other, whole: SECOND, describe: elsewhere });
    const patch = (body: object) =>
      serverFetch(new URL('/api/devices/laptop-2', SERVER_URL), {
        method: 'PATCH',
        headers: { authorization: `Bearer ${TOKEN}`, ...JSON_TYPE },
        body: JSON.stringify(body),
      });
    expect(await (await patch({ name: 'Old laptop' })).json()).toMatchObject({ id: 'laptop-2', name: 'Old laptop' });
    await send({ device: other, whole: SECOND, describe: elsewhere });
    expect(await app.get('/devices/:device_id', { params: { device_id: 'Old laptop' } })).toMatchObject({
      id: 'laptop-2',
      status: 'online',
    });
    expect(await (await patch({ merge_into: 'laptop-1' })).json()).toMatchObject({
      id: 'laptop-1',
      merged: ['laptop-2'],
    });
    await app.importNew();
    const names = (await app.get('/devices')).devices.map(({ id }) => id);
    expect(names).not.toContain('laptop-2');
    expect(await app.get('/sessions/:id', { params: { id: OTHER_ID } })).toMatchObject({ device_id: 'laptop-1' });
    const more = { ...DEVICE, id: 'laptop-2', name: 'other' };
    const beside = (described: Upload) => ({
      ...described,
      file: { ...described.file, path: `projects/-q/${ID}.jsonl` },
    });
    expect(await send({ device: more, whole: SECOND, describe: beside })).toMatchObject({ status: 200 });
    await app.importNew();
    expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({ total_messages: 2 });
    const detail = await app.get('/devices/:device_id', { params: { device_id: 'laptop-1' } });
    expect(detail.workspaces).toMatchObject([{ sessions: 2 }]);
    expect((await patch({ merge_into: app.device.id, name: 'x' })).status).toBe(400);
  });

  it('rejects a device with the id of the server itself', async () => {
    expect(await send({ device: { ...DEVICE, id: app.device.id } })).toMatchObject({ status: 400 });
    expect(await generations()).toEqual([]);
  });

  it('E19: asks a device with another upload format to update', async () => {
    expect((await send({ describe: (described) => ({ ...described, format: 2 }) })).status).toBe(426);
  });

  it('E10: rejects a body over the limit without reading it', async () => {
    const long = await send({ headers: { 'content-length': String(MAX_CHUNK_BYTES + 1) } });
    expect(long).toMatchObject({ status: 413, body: { error: { code: 'too_large' } } });
  });

  it.each(['', '{', '[]', '{"format":1}', '"x"'])('rejects %j as a description', async (header) => {
    const response = await post('/api/files/upload', FIRST, { 'fuel-upload': header });
    expect(response.status).toBe(400);
  });

  it('E8: concurrent large uploads are read only as fast as they are stored', async () => {
    await send({});
    const stored = Promise.withResolvers<void>();
    let waiting = 0;
    const put: App['blobs']['put'] = async (...given) => {
      waiting += 1;
      await stored.promise;
      return app.blobs.put(...given);
    };
    serverFetch = fetchFrom({ ...app, blobs: { ...app.blobs, put } });
    const line = Buffer.from(`${JSON.stringify(talk.user('x'.repeat(1_000_000)))}\n`);
    let taken = 0;
    const large = () => {
      let lines = 30;
      return new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (lines-- === 0) return controller.close();
          taken += line.length;
          controller.enqueue(line);
        },
      });
    };
    const clients = Array.from({ length: 10 }, () => upload(large()));
    await until(() => expect(waiting).toBe(MAX_UPLOADS_AT_ONCE));
    // Everything that can happen before the disk continues has happened.
    for (let turn = 0; turn < 100; turn++) await setImmediate();
    // One chunk for each, plus buffers between the source and the reader.
    expect(taken).toBeLessThan(MAX_UPLOADS_AT_ONCE * (MAX_CHUNK_BYTES + 4 * line.length) + 10 * 2 * line.length);
    stored.resolve();
    const statuses = (await Promise.all(clients)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10 - MAX_UPLOADS_AT_ONCE);
    expect(statuses.filter((status) => status !== 429).every((status) => status < 300 || status === 503)).toBe(true);
  });

  it('E15: a device that disappears in the middle of a chunk leaves nothing behind and occupies no upload slot', async () => {
    await send({});
    const kept = async () => [
      await Array.fromAsync(app.blobs.list()),
      readdirSync(program.config.home, { recursive: true })
        .filter((name) => !String(name).startsWith('fuel.db'))
        .sort(),
      await generations(),
    ];
    const before = await kept();
    const { upload: described } = describeChunk({ whole: FIRST + SECOND, from: FIRST.length });
    for (let n = 0; n <= MAX_UPLOADS_AT_ONCE; n++) {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(Buffer.from(SECOND.slice(0, 20)));
          controller.error(new Error('The device is gone.'));
        },
      });
      const response = await post('/api/files/upload', body, { 'fuel-upload': JSON.stringify(described) });
      expect(response.status).toBe(400);
    }
    expect(await kept()).toEqual(before);
    expect((await send({ whole: FIRST + SECOND, from: FIRST.length })).status).toBe(200);
  });

  it('H19: limits concurrent uploads and tells the others when to retry', async () => {
    const held: ReadableStreamDefaultController<Uint8Array>[] = [];
    await send({});
    const bodies = Array.from({ length: MAX_UPLOADS_AT_ONCE }, () =>
      upload(new ReadableStream({ start: (controller) => void held.push(controller) })),
    );
    const late = await upload('x');
    expect([late.status, late.headers.get('retry-after')]).toEqual([429, '1']);
    for (const controller of held) {
      controller.enqueue(Buffer.from(FIRST));
      controller.close();
    }
    for (const response of await Promise.all(bodies)) expect([200, 503]).toContain(response.status);
    expect((await upload(FIRST)).status).toBe(200);
  });

  describe('of a whole transcript', () => {
    const described = (more: object = {}) => ({ 'fuel-session': JSON.stringify({ device: DEVICE, ...more }) });
    const uploadAs = (body: string, headers: Record<string, string>, id = ID) =>
      post(`/api/sessions/${id}/transcript/upload`, body, headers);

    // Regression: an upload after the start event was answered with 404.
    it('need only a start event first', async () => {
      const data = { source: 'startup', cwd: '/w' };
      const event = { id: '01HF00000000000000000000E1', type: 'session.start', timestamp: NOW, session_id: ID, data };
      await post('/api/events/ingest', JSON.stringify({ device: DEVICE, events: [event] }), JSON_TYPE);
      expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({
        lifecycle: 'detected',
        source: 'startup',
      });
      expect((await upload(FIRST)).status).toBe(202);
      expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({
        lifecycle: 'capturing',
        source: 'startup',
      });
      await app.importNew();
      expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({
        total_messages: 1,
        source: 'startup',
      });
    });

    it('or a description of the session', async () => {
      const unknown = await upload(FIRST);
      expect(unknown.status).toBe(404);
      expect(await unknown.text()).toContain('Fuel-Session');
      const workspace = { canonical_id: 'github.com/ada/shop', display_name: 'shop' };
      expect((await uploadAs(FIRST, described({ source: 'fork', workspace }))).status).toBe(202);
      await app.importNew();
      expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({
        source: 'fork',
        workspace_name: 'shop',
        device_id: DEVICE.id,
        total_messages: 1,
      });
      const stranger = { 'fuel-session': JSON.stringify({ device: { ...DEVICE, id: 'laptop-2' } }) };
      expect((await uploadAs(SECOND, stranger)).status).toBe(409);
      expect((await uploadAs(FIRST, { 'fuel-session': '{}' })).status).toBe(400);
    });

    it('accept a prefix of an id', async () => {
      await send({});
      expect((await upload(FIRST + SECOND, ID.slice(0, 8))).status).toBe(202);
      expect((await upload(FIRST, '9999')).status).toBe(404);
      const elsewhere = (given: Upload) => ({
        ...given,
        file: { ...given.file, session_id: OTHER_ID, path: `projects/-p/${OTHER_ID}.jsonl` },
      });
      await send({ describe: elsewhere });
      expect((await upload(FIRST, ID.slice(0, 2))).status).toBe(409);
    });

    // Regression: an empty or junk upload became the current generation.
    it.each(['', '\n\n', 'nonsense', '[]\n', '{"no":"type"}\n', '\u0000\u0001'])(
      'are rejected when they contain %j',
      async (junk) => {
        await send({});
        const response = await upload(junk);
        expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('no transcript lines')]);
        expect(await generations()).toEqual([FIRST]);
      },
    );

    it('belong to the session and its device; different bytes become a new generation, equal ones are already known', async () => {
      await send({});
      const longer = FIRST + SECOND;
      const first = await upload(longer);
      const answer = transcriptAnswer.parse(await first.json());
      expect([first.status, answer.status, answer.generation]).toEqual([202, 'uploaded', 2]);
      const again = await upload(longer);
      expect([again.status, await again.json()]).toEqual([200, { ...answer, status: 'already_uploaded' }]);
      expect(await generations()).toEqual([FIRST, longer]);
      await app.importNew();
      expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({
        total_messages: 2,
        device_id: DEVICE.id,
      });
    });

    it('arrive in pieces of any size and are stored in larger ones', async () => {
      await send({});
      const line = `${JSON.stringify(talk.user('x'.repeat(60_000)))}\n`;
      const lines = 400;
      let given = 0;
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (given++ < lines) controller.enqueue(Buffer.from(line));
          else controller.close();
        },
      });
      const answer = await (await upload(body)).json();
      expect(answer).toMatchObject({ size_bytes: lines * line.length, sha256: hashOf(line.repeat(lines)) });
    });

    it('change nothing when they are cut off', async () => {
      await send({});
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(Buffer.from(SECOND));
          controller.error(new Error('cut'));
        },
      });
      expect((await upload(body)).status).toBe(400);
      expect(await generations()).toEqual([FIRST]);
    });

    it('need a known session', async () => {
      expect((await upload(FIRST)).status).toBe(404);
    });
  });

  describe('of events', () => {
    const ingest = async (body: unknown) => {
      const response = await post('/api/events/ingest', JSON.stringify(body), { 'content-type': 'application/json' });
      return { status: response.status, body: await response.json() };
    };
    const event = {
      id: '01M7FH87G0V0WW1NTNVTWYY6JK',
      type: 'session.end',
      timestamp: '2026-11-01T10:00:00.000Z',
      session_id: ID,
      data: { end_reason: 'exit' },
    };

    it('report the outcome of each', async () => {
      const events = [event, { ...event, id: 'no ulid' }, 7, event];
      expect(await ingest({ device: DEVICE, events })).toEqual({
        status: 200,
        body: {
          results: [
            { id: event.id, status: 'accepted' },
            { id: 'no ulid', status: 'rejected', reason: expect.stringContaining('ULID') },
            { id: null, status: 'rejected', reason: expect.any(String) },
            { id: event.id, status: 'duplicate' },
          ],
        },
      });
    });

    it.each([{}, { device: DEVICE }, { device: DEVICE, events: [] }, [], null])('reject %j', async (body) => {
      expect(await ingest(body)).toMatchObject({ status: 400 });
    });
  });

  it('H6: everything needs the token', async () => {
    for (const path of ['/api/files/upload', '/api/events/ingest', `/api/sessions/${ID}/transcript/upload`]) {
      expect((await post(path, FIRST, { authorization: 'Bearer wrong' })).status).toBe(401);
      expect((await post(path, FIRST, { origin: 'https://evil.example' })).status).toBe(403);
    }
    expect(await generations()).toEqual([]);
  });
});
