import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { App } from '../../src/app/open-app.ts';
import type { Endpoint } from '../../src/api/endpoint.ts';
import { API } from '../../src/api/table.ts';
import { FIELDS, VALUE_FIELDS } from '../../src/domain/session-fields.ts';
import type { UsageGroup } from '../../src/domain/usage.ts';
import { type ApiProgram, openApiProgram, TOKEN } from '../support/api-program.ts';
import { PROGRAMS } from '../support/programs.ts';

const BEARER = { authorization: `Bearer ${TOKEN}` };
const programs: ApiProgram[] = [];

beforeAll(async () => {
  for (const program of PROGRAMS) programs.push(await openApiProgram(program));
});
afterAll(async () => {
  for (const program of programs) await program[Symbol.asyncDispose]();
});

const table = Object.entries(API) as [string, Endpoint][];
/** Questions about sessions with a JSON answer; the rest have tests of their own. */
const questions = table.filter(([name, endpoint]) => {
  return name.startsWith('GET ') && typeof endpoint.answer !== 'string' && !name.endsWith('/transcript/links');
});

async function get(program: ApiProgram, path: string): Promise<Response> {
  return program.server.request(`/api${path}`, { headers: BEARER });
}

type Ask = (client: ApiProgram['client']) => readonly Record<string, string>[] | Promise<Record<string, string>[]>;

/** Values for the required parameters of a route, from the demo's data. */
const REQUIRED_PARAMETERS: Readonly<Record<string, Ask>> = {
  '/search': () => [{ q: 'the' }],
  '/search/facets': () => [{ q: 'the' }],
  '/search/values': () => VALUE_FIELDS.map((field) => ({ field })),
  '/files/history': () => [{ path: 'e' }],
  '/files/changes': async (client) => (await client.get('/files')).files.map(({ path }) => ({ path })),
  '/activity': () => [
    { since: '2026-01-01', until: '2026-01-31' },
    { since: '2026-11-01', until: '2026-11-15' },
  ],
  '/cost/sessions': async (client) => {
    const { places } = await client.get('/cost/breakdown');
    return places.map(({ workspace_key, branch }) => ({ workspace: workspace_key, branch }));
  },
};

/** Every concrete path of a route in the demo's data. */
async function pathsOf({ client }: ApiProgram, name: string): Promise<string[]> {
  const path = name.slice('GET '.length);
  const ask = REQUIRED_PARAMETERS[path];
  if (ask !== undefined) return (await ask(client)).map((query) => `${path}?${new URLSearchParams(query)}`);
  if (path.includes(':workspace_id')) return ['/workspaces/tea-ledger'];
  if (path.includes(':device_id')) return (await client.get('/devices')).devices.map(({ id }) => `/devices/${id}`);
  if (!path.includes(':id')) return [path];
  const { sessions } = await client.get('/sessions', { query: { limit: 200 } });
  const paths: string[] = [];
  for (const { id } of sessions) {
    if (path.includes(':compaction_id')) {
      const { compactions } = await client.get('/sessions/:id/compactions', { params: { id } });
      paths.push(...compactions.map((each) => path.replace(':id', id).replace(':compaction_id', each.id)));
      continue;
    }
    const { messages } = await client.get('/sessions/:id/transcript', { params: { id } });
    const last = messages.at(-1)?.id ?? '';
    const full = path.replace(':id', id).replace(':message_id', encodeURIComponent(last));
    paths.push(/\/(?:find|hits)$/.test(path) ? `${full}?q=the` : full);
  }
  return paths;
}

/** When and by whom rows were written, what follows from the machine's own id, and how large stored JSON is. */
const VOLATILE = new Set(
  `created_at updated_at first_seen_at last_seen_at last_active_at stored_bytes mode data_home claude_home claude_homes device_id
  device_name workspace_id workspace_key canonical_id next_cursor size`.split(/\s+/),
);
/** Ids that a machine makes for itself. */
const OWN_ID = /^(?:ws_|git_|call_)|^[0-9A-Z]{26}$/;

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' && OWN_ID.test(value) ? '(own)' : value;
  }
  const kept = Object.entries(value).filter(([name]) => !VOLATILE.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, comparable(inner)]));
}

/** Each engine takes its own time, and the findings name its folders. */
const DIFFERS_BY_ENGINE = new Set(['GET /sessions/:id/steps', 'GET /checkup']);

describe('the API on both programs', () => {
  it.each(questions)('%s matches its schema, with the same answer on both', async (name, { answer }) => {
    const bodies: unknown[][] = [];
    for (const program of programs) {
      const own: unknown[] = [];
      for (const path of await pathsOf(program, name)) {
        const response = await get(program, path);
        const text = await response.text();
        expect([path, response.status, text.slice(0, 300)]).toEqual([path, 200, text.slice(0, 300)]);
        const checked = (answer as z.ZodType).safeParse(JSON.parse(text));
        expect([path, checked.error?.issues]).toEqual([path, undefined]);
        own.push(comparable(JSON.parse(text)));
      }
      expect(own.length).toBeGreaterThan(0);
      bodies.push(own);
    }
    if (!DIFFERS_BY_ENGINE.has(name)) expect(bodies[1]).toEqual(bodies[0]);
  });

  it('the demo has data for every part of a session', async () => {
    const [{ client }] = programs as [ApiProgram];
    const { sessions } = await client.get('/sessions');
    const found = new Set<string>();
    for (const { id } of sessions) {
      const params = { id };
      if ((await client.get('/sessions/:id/turns', { params })).turns.length > 0) found.add('turns');
      if ((await client.get('/sessions/:id/branches', { params })).branches.length > 0) found.add('branches');
      if ((await client.get('/sessions/:id/tool-calls', { params })).tool_calls.length > 0) found.add('tool calls');
      if ((await client.get('/sessions/:id/files', { params })).files.length > 0) found.add('files');
      if ((await client.get('/sessions/:id/subagents', { params })).subagents.length > 0) found.add('subagents');
      if ((await client.get('/sessions/:id/compactions', { params })).compactions.length > 0) found.add('compactions');
      const { segments } = await client.get('/sessions/:id/segments', { params });
      if (segments.length > 1) found.add('segments');
    }
    const wanted = ['turns', 'branches', 'tool calls', 'files', 'subagents', 'compactions', 'segments'];
    expect(wanted.filter((part) => !found.has(part))).toEqual([]);
  });
});

/** The first is newer than every session, the last older. */
const ORPHAN_TIMES = ['2026-11-15T11:59:59.000Z', '2026-11-14T00:00:00.000Z', '2020-01-01T00:00:00.000Z'];

async function addOrphans({ store, device }: App): Promise<void> {
  const { kysely } = store.engine;
  const workspace = await kysely.selectFrom('workspaces').select('id').executeTakeFirstOrThrow();
  const rows = ORPHAN_TIMES.map((timestamp, at) => ({
    id: `git_orphan_${at}`,
    workspace_id: workspace.id,
    device_id: device.id,
    type: 'commit',
    timestamp,
    created_at: timestamp,
  }));
  await kysely.insertInto('git_activity').values(rows).execute();
}

describe.each(PROGRAMS.map(({ name }, at) => ({ name, at })))('the API on $name', ({ at }) => {
  const program = () => programs[at] as ApiProgram;

  it('filters agree with the rows', async () => {
    const { client } = program();
    const all = (await client.get('/sessions', { query: { limit: 200 } })).sessions;
    const ids = async (query: NonNullable<Parameters<typeof client.get<'/sessions'>>[1]>['query']) =>
      (await client.get('/sessions', { query: { limit: 200, ...query } })).sessions.map(({ id }) => id);
    const fitting = (keep: (row: (typeof all)[number]) => boolean) => all.filter(keep).map(({ id }) => id);
    const middle = all[Math.floor(all.length / 2)] as (typeof all)[number];

    expect(await ids({ after: middle.started_at })).toEqual(fitting((row) => row.started_at >= middle.started_at));
    expect(await ids({ before: middle.started_at })).toEqual(fitting((row) => row.started_at < middle.started_at));
    expect(await ids({ workspace_id: middle.workspace_name })).toEqual(
      fitting((row) => row.workspace_id === middle.workspace_id),
    );
    expect(await ids({ device_id: middle.device_id.slice(0, 6) })).toEqual(fitting(() => true));
    expect(await ids({ branch: middle.git_branch ?? '' })).toEqual(
      fitting((row) => row.git_branch === middle.git_branch),
    );
    const model = (middle.model ?? '').slice(0, 10);
    expect(await ids({ model })).toEqual(fitting((row) => row.models.some((name) => name.startsWith(model))));
    const cost = middle.cost_estimate_usd ?? 0;
    expect(await ids({ min_cost: String(cost) })).toEqual(fitting((row) => (row.cost_estimate_usd ?? -1) >= cost));
    expect(await ids({ max_cost: String(cost) })).toEqual(
      fitting((row) => row.cost_estimate_usd !== null && row.cost_estimate_usd <= cost),
    );
    const word = (middle.title ?? '').slice(2, 9).toUpperCase();
    expect(await ids({ title: word })).toEqual(fitting((row) => (row.title ?? '').toUpperCase().includes(word)));
    expect(await ids({ has: 'subagent' })).toEqual(fitting((row) => (row.subagent_count ?? 0) > 0));
    expect(await ids({ is: 'live' })).toEqual(fitting((row) => row.lifecycle === 'capturing'));
    expect(await ids({ parse_status: 'completed', is: 'ended' })).toEqual(
      fitting((row) => row.lifecycle !== 'capturing'),
    );
    const [hasValues, isValues] = [Object.keys(FIELDS.has.values), Object.keys(FIELDS.is.values)];
    for (const has of hasValues) await ids({ has });
    for (const is of isValues) await ids({ is });
    expect(await ids({ has: hasValues.join(','), is: isValues.join(',') })).toEqual([]);
    await expect(ids({ workspace_id: 'nowhere' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('the timeline has every session and every orphan once, over pages of any size', async () => {
    const { client, app } = program();
    await addOrphans(app);
    const whole = await client.get('/timeline', { query: { limit: 200 } });
    const { sessions } = await client.get('/sessions', { query: { limit: 200 } });
    const shown = whole.items.flatMap((item) => (item.kind === 'session' ? [item.session.id] : []));
    expect(shown).toEqual(sessions.map(({ id }) => id));
    expect(whole.items.filter(({ kind }) => kind === 'git')).toHaveLength(ORPHAN_TIMES.length);
    expect(whole.items[0]).toMatchObject({ kind: 'git', at: ORPHAN_TIMES[0] });
    const only = await client.get('/timeline', { query: { types: ['git'], before: '2026-11-01' } });
    expect(only.items).toHaveLength(1);
    expect(whole.items.map(({ at: time }) => time)).toEqual(
      whole.items
        .map(({ at: time }) => time)
        .toSorted()
        .toReversed(),
    );
    for (const limit of [1, 3]) {
      const seen: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.get('/timeline', { query: { limit, cursor } });
        seen.push(...page.items);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(whole.items);
    }
  });

  it('a search with a syntax error names the position', async () => {
    const { client, server } = program();
    const refused = client.get('/search', { query: { q: 'ferry (times' } });
    await expect(refused).rejects.toMatchObject({ code: 'bad_query', position: 6 });
    const response = await server.request('/api/search?q=ferry+modle:opus', { headers: BEARER });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'bad_query', position: 6 } });
  });

  it('pages of a list add up to the whole list', async () => {
    const { client } = program();
    const { sessions } = await client.get('/sessions', { query: { has: 'subagent' } });
    const params = { id: sessions[0]?.id ?? '' };
    const whole = (await client.get('/sessions/:id/tool-calls', { params })).tool_calls;
    const seen: unknown[] = [];
    let after: number | undefined;
    do {
      const page = await client.get('/sessions/:id/tool-calls', { params, query: { limit: 2, after } });
      seen.push(...page.tool_calls);
      after = page.next_after ?? undefined;
    } while (after !== undefined);
    expect(seen).toEqual(whole);
    const named = await client.get('/sessions/:id/tool-calls', { params, query: { name: 'Bash', status: ['ok'] } });
    expect(named.tool_calls).toEqual(whole.filter(({ name, status }) => name === 'Bash' && status === 'ok'));
  });

  it('a transcript can be limited to one agent', async () => {
    const { client } = program();
    const { sessions } = await client.get('/sessions', { query: { has: 'subagent' } });
    const params = { id: sessions[0]?.id ?? '' };
    const all = (await client.get('/sessions/:id/transcript', { params })).messages;
    const { subagents } = await client.get('/sessions/:id/subagents', { params });
    const agent = subagents.find(({ source }) => source === 'file')?.agent_id ?? '';
    const of = async (ids: string[]) =>
      (await client.get('/sessions/:id/transcript', { params, query: { agent_id: ids } })).messages;
    expect(await of(['main'])).toEqual(all.filter(({ agent_id }) => agent_id === null));
    expect(await of([agent])).toEqual(all.filter(({ agent_id }) => agent_id === agent));
    expect(await of(['main', agent])).toEqual(all);
    expect((await of([agent])).length).toBeGreaterThan(0);
  });

  it('usage of a session adds up to its own columns', async () => {
    const { client } = program();
    for (const session of (await client.get('/sessions')).sessions) {
      const { total } = await client.get('/sessions/:id/usage', { params: { id: session.id } });
      expect([total.tokens_in, total.tokens_out]).toEqual([session.tokens_in ?? 0, session.tokens_out ?? 0]);
      expect((total.cost_nanos ?? 0) / 1e9).toBeCloseTo(session.cost_estimate_usd ?? 0, 9);
    }
  });

  it('usage adds up to the sessions in every grouping and time zone', async () => {
    const { client } = program();
    const { sessions } = await client.get('/sessions', { query: { limit: 200 } });
    const wanted = sessions.reduce((total, { tokens_out }) => total + (tokens_out ?? 0), 0);
    const groups = [[], ['day'], ['hour', 'model'], ['workspace', 'agent'], ['device'], ['branch', 'day'], ['session']];
    for (const by of groups as UsageGroup[][]) {
      for (const zone of ['UTC', 'Asia/Kathmandu', 'America/New_York']) {
        const { total, rows } = await client.get('/usage', { query: { by, zone } });
        expect(total.tokens_out).toBe(wanted);
        expect(rows.reduce((all, { tokens_out }) => all + tokens_out, 0)).toBe(wanted);
        expect(new Set(rows.map(({ group }) => JSON.stringify(group))).size).toBe(rows.length);
      }
    }
    const cut = '2026-11-10T00:00:00.000Z';
    const early = await client.get('/usage', { query: { before: cut } });
    const late = await client.get('/usage', { query: { after: cut } });
    expect(early.total.cost_nanos + late.total.cost_nanos).toBe((await client.get('/usage')).total.cost_nanos);
    const days = await client.get('/usage', { query: { by: ['day'], zone: 'Asia/Tokyo' } });
    expect(days.rows[0]?.group.day).toMatch(/^\d{4}-\d\d-\d\d$/);
    const { rows } = await client.get('/usage', { query: { by: ['session'] } });
    for (const { group, tokens_in } of rows) {
      expect(tokens_in).toBe(sessions.find(({ id }) => id === group.session)?.tokens_in);
    }
    const nowhere = client.get('/usage', { query: { zone: 'Mars/Olympus' } });
    await expect(nowhere).rejects.toMatchObject({ code: 'usage' });
  });

  it('H12: raw bytes equal the file, in full and in any range, and are never served as a page', async () => {
    const { client, claudeHome } = program();
    const id = (await client.get('/sessions')).sessions[0]?.id ?? '';
    const { files } = await client.get('/sessions/:id', { params: { id } });
    const main = files.find(({ kind }) => kind === 'main');
    const bytes = readFileSync(join(claudeHome, main?.path ?? ''));
    const path = `/sessions/${id}/transcript/raw`;
    const whole = await get(program(), path);
    expect(whole.headers.get('content-type')).toBe('application/x-ndjson');
    expect(whole.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''${id}.jsonl`);
    expect(whole.headers.get('content-security-policy')).toContain('sandbox');
    expect(whole.headers.get('x-content-type-options')).toBe('nosniff');
    expect(whole.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    const range = (value: string, more = {}) =>
      program().server.request(`/api${path}`, { headers: { ...BEARER, range: value, ...more } });
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(bytes.length * 2), async (from, more) => {
        const response = await range(`bytes=${from}-${from + more}`);
        expect(response.status).toBe(206);
        const end = Math.min(from + more + 1, bytes.length);
        expect(response.headers.get('content-range')).toBe(`bytes ${from}-${end - 1}/${bytes.length}`);
        expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(from, end))).toBe(true);
      }),
      { numRuns: 25 },
    );
    const tail = await range('bytes=-10');
    expect(await tail.text()).toBe(bytes.subarray(-10).toString());
    expect((await range(`bytes=${bytes.length}-`)).status).toBe(416);
    expect((await range('bytes=0-1,4-5')).status).toBe(200);
    expect((await range('bytes=0-1', { 'if-range': '"older"' })).status).toBe(200);
    expect((await range('bytes=0-1', { 'if-range': whole.headers.get('etag') ?? '' })).status).toBe(206);
    expect((await get(program(), `${path}?file=../../etc/passwd`)).status).toBe(404);
  });

  it('with a bucket, download links point to the stored parts', async () => {
    const { client, claudeHome, app } = program();
    const { id } = (await client.get('/sessions')).sessions[0] ?? { id: '' };
    const asked = client.get('/sessions/:id/transcript/links', { params: { id } });
    if (app.config.s3Bucket === null) return expect(asked).rejects.toMatchObject({ code: 'usage' });
    const { parts, path } = await asked;
    const pieces: Uint8Array[] = [];
    for (const { url, blob_offset, size_bytes } of parts) {
      const frame = Buffer.from(await (await fetch(url)).arrayBuffer());
      pieces.push(zstdDecompressSync(frame).subarray(blob_offset, blob_offset + size_bytes));
    }
    expect(Buffer.concat(pieces).equals(readFileSync(join(claudeHome, path)))).toBe(true);
  });

  it('sessions can be tagged, pinned and annotated', async () => {
    const { client } = program();
    const id = (await client.get('/sessions')).sessions.at(-1)?.id ?? '';
    const params = { id: id.slice(0, 8) };
    const patch = async (body: object) => (await client.patch('/sessions/:id', { params, body })).tags;
    expect(await patch({ tags: ['Bug', 'later'] })).toEqual(['bug', 'later']);
    expect(await patch({ add_tags: ['later', 'a11y'] })).toEqual(['a11y', 'bug', 'later']);
    expect(await patch({ remove_tags: ['later'], is_pinned: true })).toEqual(['a11y', 'bug']);
    const list = async (query: object) => (await client.get('/sessions', { query })).sessions.map((row) => row.id);
    expect(await list({ tag: 'BUG' })).toEqual([id]);
    expect(await list({ is: 'pinned', has: 'tag' })).toEqual([id]);
    const noted = await client.post('/sessions/:id/notes', { params, body: { text: ' It was the clock. ' } });
    expect(noted).toMatchObject({ is_pinned: true, notes: [{ text: 'It was the clock.' }] });
    const note_id = noted.notes[0]?.id ?? '';
    await client.patch('/notes/:note_id', { params: { note_id }, body: { text: 'It was the cache.' } });
    expect((await client.get('/sessions/:id', { params })).notes[0]?.text).toBe('It was the cache.');
    await client.delete('/notes/:note_id', { params: { note_id } });
    expect((await client.get('/sessions/:id', { params })).notes).toEqual([]);
    const summary = async (text: string | null) =>
      (await client.patch('/sessions/:id', { params, body: { summary: text } })).summary;
    const before = (await client.get('/sessions/:id', { params })).summary;
    expect(await summary(' In my own words. ')).toBe('In my own words.');
    expect(await summary(null)).toBe(before);
    await expect(patch({})).rejects.toMatchObject({ code: 'usage' });
    await expect(patch({ tags: [], add_tags: [] })).rejects.toMatchObject({ code: 'usage' });
    await expect(patch({ tags: ['two words'] })).rejects.toMatchObject({ code: 'usage' });
    await expect(patch({ tags: 'bug' })).rejects.toMatchObject({ code: 'usage' });
  });

  it('a session can be archived, restored and reparsed', async () => {
    const { client, app } = program();
    const { sessions } = await client.get('/sessions', { query: { is: 'ended' } });
    const params = { id: sessions[0]?.id ?? '' };
    const before = await client.get('/sessions/:id/transcript', { params });
    expect(await client.post('/sessions/:id/archive', { params })).toEqual({ outcome: 'archived' });
    // Finding 4.10: an empty list looked like an empty session.
    await expect(client.get('/sessions/:id/transcript', { params })).rejects.toMatchObject({ code: 'conflict' });
    await client.post('/sessions/:id/restore', { params });
    await app.importNew();
    expect(await client.get('/sessions/:id/transcript', { params })).toEqual(before);
    await client.post('/sessions/:id/reparse', { params });
    expect((await client.get('/sessions/:id', { params })).parse_status).toBe('pending');
    await app.importNew();
    expect((await client.get('/sessions/:id', { params })).parse_status).toBe('completed');
  });

  it('extreme dates cause no error', async () => {
    const asked = ['after=0001-01-01', 'before=9999-12-31T23:59:59.999Z', 'ended_after=0001-01-01T00:00:00Z'];
    for (const query of asked) expect((await get(program(), `/sessions?${query}`)).status).toBe(200);
    for (const time of ['0000-12-31', '9999-12-31T23:59:59-01:00', '0001-01-01T00:00:00+01:00', '2026-13-01']) {
      expect((await get(program(), `/sessions?after=${encodeURIComponent(time)}`)).status).toBe(400);
    }
    const params = { id: (await program().client.get('/sessions')).sessions[0]?.id ?? '' };
    expect((await get(program(), `/sessions/${params.id}/transcript?agent_id=,`)).status).toBe(200);
  });

  it('returns the states of many sessions in one request', async () => {
    const { client } = program();
    const known = (await client.get('/sessions')).sessions.map(({ id }) => id);
    const session_ids = [...known, 'unknown', known[0] ?? ''];
    const answer = await client.post('/sessions/batch-status', { body: { session_ids } });
    expect(answer.statuses.map(({ id }) => id).toSorted()).toEqual(known.toSorted());
    expect(answer.not_found).toEqual(['unknown']);
    const none = await client.post('/sessions/batch-status', { body: { session_ids: [] } });
    expect(none).toEqual({ statuses: [], not_found: [] });
  });

  it('reports that it is ready and counts requests', async () => {
    const { client, server } = program();
    expect(await (await server.request('/api/ready')).json()).toEqual({ status: 'ready' });
    const metrics = await (await client.get('/metrics')).text();
    expect(metrics).toMatch(/^fuel_code_requests_total\{route="GET \/api\/ready",status="2xx"\} \d+$/m);
    expect(metrics).toMatch(/^fuel_code_sessions 8$/m);
  });

  it('no internal error was logged', () => {
    expect(program().failures).toEqual([]);
  });
});
