import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewShare } from '../../src/api/shares.ts';
import { createCommands, sendTo } from '../../src/app/commands.ts';
import { type App, openApp } from '../../src/app/open-app.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import type { BlobStore, Clock } from '../../src/domain/ports.ts';
import { MAX_SHARES } from '../../src/domain/requests.ts';
import { CANARIES } from '../../src/redact/testing/secrets.ts';
import { createServerApp, type ServerApp } from '../../src/server/app.ts';
import { makeShare } from '../../src/share/make-share.ts';
import { sweepShares } from '../../src/share/stored-shares.ts';
import { listShareParts } from '../../src/store/queries/people/shares.ts';
import { withQueries } from '../browser/support/empty-data.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { collect } from '../support/collect.ts';
import { fixedClock, NOW, PROGRAMS, type Program, silentLog } from '../support/programs.ts';

const TOKEN = 'ab'.repeat(32);
const ID = 'aaaaaaaa-2222-4333-8444-555555555555';
const FILE = `-home-ada-shop/${ID}.jsonl`;
const DAY_MS = 24 * 60 * 60_000;
const SECRET = CANARIES.find(({ kind }) => kind === 'github-token')?.secret ?? '';
const MEGABYTE = 1024 * 1024;

const usage = { input: 3, output: 40 };
const later = (days: number): Clock => ({ ...fixedClock, now: () => new Date(NOW.getTime() + days * DAY_MS) });

interface Served {
  readonly app: App;
  readonly server: ServerApp;
  readonly client: Client;
  readonly logged: readonly string[];
}

function serve(app: App, clock: Clock = fixedClock): Served {
  const logged: string[] = [];
  const note = (message: string, fields?: object) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const server = createServerApp({
    token: TOKEN,
    version: '1.2.3',
    hosts: () => new Set(['localhost']),
    data: app,
    commands: createCommands(app, clock, () => {}),
    openDemo: async () => app,
    files: new Map(),
    log: { warn: note, error: note },
  });
  const transport = (url: string, init: RequestInit) => server.request(url, init);
  const client = createClient({ origin: 'http://localhost', token: () => TOKEN, transport });
  return { app, server, client, logged };
}

describe.each(PROGRAMS)('H20: links to shared pages ($name)', ({ create }) => {
  let claude: ClaudeHome;
  let program: Program;
  let served: Served;
  const talk = createTalk(ID);
  beforeAll(async () => {
    claude = createClaudeHome();
    claude.write(FILE, [
      talk.user(`Deploy with ${SECRET}`),
      ...Array.from({ length: 5 }, (_, n) =>
        talk.assistant(`msg_1${n}`, text(`Long: ${'word '.repeat(50_000)}`), usage),
      ),
      talk.assistant('msg_2', text('It is deployed.'), usage),
    ]);
    program = await create(claude.path);
    served = serve(await program.open());
    await served.app.importNew();
  });
  afterAll(async () => {
    await served.app.close();
    await program[Symbol.asyncDispose]();
    claude[Symbol.dispose]();
  });

  const share = (body: { expires_in?: number; note?: string } = {}) =>
    served.client.post('/sessions/:id/shares', { params: { id: ID }, body });
  const open = (path: string, { server }: Served = served) => server.request(path);
  const partsOf = ({ id }: { id: string }) => listShareParts(served.app.store.engine.kysely, id);
  const blobsThere = async (parts: readonly string[]) =>
    (await Promise.all(parts.map((sha256) => served.app.blobs.has(sha256)))).filter(Boolean).length;
  const sweepAt = ({ now }: Clock, ignoresProject = (_folder: string) => false) =>
    sweepShares({ engine: served.app.store.engine, blobs: served.app.blobs, now, ignoresProject });

  it('anyone with the link reads the page without a token, redacted and kept out of search engines', async () => {
    const made = await share({ note: 'for Ben' });
    expect(made).toMatchObject({
      session_id: ID,
      note: 'for Ben',
      redacted: { 'github-token': expect.any(Number) as number },
    });
    expect(made.expires_at).toBe(new Date(NOW.getTime() + 7 * DAY_MS).toISOString());
    expect(made.url).toBe(`http://localhost${made.path}`);
    const response = await open(made.path);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-robots-tag': expect.stringContaining('noindex') as string,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox$/) as string,
      'content-length': String(made.size_bytes),
    });
    const page = await response.text();
    expect(page).toContain('It is deployed.');
    expect(page).not.toContain(SECRET);
    expect(Buffer.byteLength(page)).toBe(made.size_bytes);
    expect(made.size_bytes).toBeGreaterThan(MEGABYTE);
    expect(await partsOf(made)).toHaveLength(2);
    const head = await served.server.request(made.path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('H8: the secret of a link is stored nowhere', async () => {
    const made = await share();
    const token = made.path.slice('/s/'.length);
    expect(token).toMatch(/^[\w-]{22}$/);
    expect(Buffer.from(token, 'base64url')).toHaveLength(16);
    const rows = await served.app.store.engine.kysely.selectFrom('shares').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    const { shares } = await served.client.get('/shares');
    expect(JSON.stringify(shares)).not.toContain(token);
    expect(shares.map(({ id }) => id)).toContain(made.id);
  });

  it('an unknown, mistyped, expired or revoked link, or one whose session is gone, gets the same answer', async () => {
    const [revoked, gone, expired] = [await share(), await share(), await share({ expires_in: 60 })];
    await served.client.delete('/shares/:share_id', { params: { share_id: revoked.id } });
    const { kysely } = served.app.store.engine;
    await kysely.updateTable('shares').set({ session_id: 'gone' }).where('id', '=', gone.id).execute();
    const tomorrow = serve(await openApp({ config: program.config, clock: later(1), log: silentLog }));
    const answers = [
      await open(`/s/${'A'.repeat(22)}`),
      await open(`/s/${expired.path.slice(3, -1)}`),
      await open('/s/%00..%2f'),
      await open(revoked.path),
      await open(gone.path),
      await open(expired.path, tomorrow),
    ];
    const seen = await Promise.all(
      answers.map(async (answer) => [answer.status, Object.fromEntries(answer.headers), await answer.text()]),
    );
    for (const answer of seen) expect(answer).toEqual(seen[0]);
    expect(seen[0]?.[0]).toBe(404);
    expect(seen[0]?.[2]).toContain('Page not found.');
    expect((await open(expired.path)).status).toBe(200);
    expect((await tomorrow.client.get('/shares')).shares.map(({ id }) => id)).not.toContain(expired.id);
    await tomorrow.app.close();
  });

  it('a shared page contains no messages that arrived after the preview', async () => {
    const made = await share();
    const before = await (await open(made.path)).text();
    claude.append(FILE, [talk.assistant('msg_3', text('And then the cat came.'), usage)]);
    await served.app.importNew();
    expect(await (await open(made.path)).text()).toBe(before);
    expect(before).not.toContain('the cat came');
    expect(await (await open((await share()).path)).text()).toContain('the cat came');
  });

  it('revoking a link removes its page and nothing else', async () => {
    const [first, second] = [await share(), await share()];
    const [parts, others] = [await partsOf(first), await partsOf(second)];
    expect(await blobsThere(parts)).toBe(2);
    await served.client.delete('/shares/:share_id', { params: { share_id: first.id } });
    expect([await blobsThere(parts), await blobsThere(others)]).toEqual([0, 2]);
    expect((await open(second.path)).status).toBe(200);
    const { shares } = await served.client.get('/sessions/:id/shares', { params: { id: ID } });
    expect(shares.map(({ id }) => id)).not.toContain(first.id);
    await expect(served.client.delete('/shares/:share_id', { params: { share_id: first.id } })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('a revoked link stops working at once, even if its page can only be removed later', async () => {
    const made = await share();
    const parts = await partsOf(made);
    const blobs: BlobStore = { ...served.app.blobs, delete: () => Promise.reject(new Error('the bucket is away')) };
    const send = sendTo(createCommands({ ...served.app, blobs }, fixedClock, () => {}));
    await expect(send('DELETE /shares/:share_id', { params: { share_id: ' ' } })).rejects.toThrow('is empty');
    await expect(send('DELETE /shares/:share_id', { params: { share_id: made.id } })).rejects.toThrow(
      'the bucket is away',
    );
    expect((await open(made.path)).status).toBe(404);
    expect(await blobsThere(parts)).toBe(2);
    await sweepAt(fixedClock);
    expect(await blobsThere(parts)).toBe(0);
  });

  it('only expired pages are swept', async () => {
    const [short, long] = [await share({ expires_in: 3_600 }), await share({ expires_in: 30 * 24 * 3_600 })];
    const [parts, others] = [await partsOf(short), await partsOf(long)];
    await sweepAt(later(10));
    expect([await blobsThere(parts), await blobsThere(others)]).toEqual([0, 2]);
    expect(await sweepAt(later(10))).toBe(0);
  });

  it('J14: an excluded project loses its links', async () => {
    const made = await share();
    const parts = await partsOf(made);
    await sweepAt(fixedClock, (folder) => folder === '-home-ada-other');
    expect(await blobsThere(parts)).toBe(2);
    await sweepAt(fixedClock, (folder) => folder === '-home-ada-shop');
    expect(await blobsThere(parts)).toBe(0);
    expect((await open(made.path)).status).toBe(404);
  });

  it('the program sweeps by its own configuration and clock', async () => {
    const [ignored, expired] = [await share(), await share({ expires_in: 3_600 })];
    await served.app.sweep();
    expect([(await open(ignored.path)).status, (await open(expired.path)).status]).toEqual([200, 200]);
    const tomorrow = await openApp({ config: program.config, clock: later(1), log: silentLog });
    await tomorrow.sweep();
    expect([await blobsThere(await partsOf(ignored)), await partsOf(expired)]).toEqual([2, []]);
    await tomorrow.close();
    const config = { ...program.config, ignore: ['/home/ada/shop'] };
    const optedOut = await openApp({ config, clock: fixedClock, log: silentLog });
    await optedOut.sweep();
    await optedOut.close();
    expect((await open(ignored.path)).status).toBe(404);
  });

  it('an unfinished page is never shown, and is swept once no process can be working on it', async () => {
    const blobs: BlobStore = { ...served.app.blobs };
    let puts = 0;
    blobs.put = async (bytes, sha256) => {
      if (++puts > 1) throw new Error('the disk is full');
      return served.app.blobs.put(bytes, sha256);
    };
    const before = await collect(served.app.blobs.list());
    await expect(makeShare({ ...(await served.app.openSharing()), blobs }, ID, {})).rejects.toThrow('the disk is full');
    const left = (await collect(served.app.blobs.list())).length - before.length;
    expect([left, (await served.client.get('/shares')).shares.length]).toEqual([1, 0]);
    await sweepAt(fixedClock);
    expect((await collect(served.app.blobs.list())).length - before.length).toBe(1);
    await sweepAt(later(0.5));
    expect((await collect(served.app.blobs.list())).toSorted()).toEqual(before.toSorted());
  });

  it('a session that keeps growing cannot be shared as one state', async () => {
    const before = await collect(served.app.blobs.list());
    const sharing = await served.app.openSharing();
    let count = 0;
    const { get } = withQueries(served.app, {
      'GET /sessions/:id': async (input) => ({
        ...(await served.app.queries['GET /sessions/:id'](input)),
        total_messages: count++,
      }),
    });
    await expect(makeShare({ ...sharing, get }, ID, {})).rejects.toMatchObject({ code: 'busy' });
    expect((await collect(served.app.blobs.list())).toSorted()).toEqual(before.toSorted());
  });

  it('a preview shows what would be shared and stores nothing', async () => {
    const before = await collect(served.app.blobs.list());
    const preview = await served.client.get('/sessions/:id/shares/preview', { params: { id: ID.slice(0, 8) } });
    const made = await share();
    const { session_id, title, redacted } = made;
    expect(preview).toMatchObject({ session_id, title, redacted, size_bytes: made.size_bytes });
    expect(preview.file_name).toMatch(/^deploy-with-[a-z0-9-]+\.html$/);
    await served.client.delete('/shares/:share_id', { params: { share_id: made.id } });
    expect((await collect(served.app.blobs.list())).toSorted()).toEqual(before.toSorted());
  });

  it.each([{ expires_in: 59 }, { expires_in: 366 * 24 * 3_600 }, { expires_in: 1.5 }, { note: 'x'.repeat(501) }])(
    'rejects %j',
    async (body) => {
      await expect(share(body)).rejects.toMatchObject({ code: 'usage' });
    },
  );

  it('J11: the secret is in no log, even when the page cannot be read', async () => {
    const made: NewShare = await share();
    const broken = serve({ ...served.app, openShare: () => Promise.reject(new Error('broken')) });
    expect((await broken.server.request(made.path)).status).toBe(500);
    expect(broken.logged.join('')).toContain('request failed');
    expect(broken.logged.join('')).not.toContain(made.path.slice(3));
  });

  it('the number of links is limited', async () => {
    const { kysely } = served.app.store.engine;
    const { count } = await kysely
      .selectFrom('shares')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    const row = { session_id: ID, title: '', state: 'ready', created_at: NOW.toISOString() };
    const rows = Array.from({ length: MAX_SHARES - count }, (_, n) => `many-${n}`).map((id) => ({
      ...row,
      id,
    }));
    const values = rows.map((each) => ({ ...each, token_sha256: each.id, expires_at: later(1).now().toISOString() }));
    for (let at = 0; at < values.length; at += 100)
      await kysely
        .insertInto('shares')
        .values(values.slice(at, at + 100))
        .execute();
    await expect(share()).rejects.toMatchObject({ code: 'usage', hint: expect.stringContaining('shares') as string });
    await kysely.deleteFrom('shares').where('id', 'like', 'many-%').execute();
    expect((await share()).session_id).toBe(ID);
  });
});
