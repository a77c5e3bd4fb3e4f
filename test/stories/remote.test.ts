import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SessionRow, sessionRow } from '../../src/api/sessions.ts';
import { COST_GROUPS } from '../../src/domain/cost.ts';
import type { Event } from '../../src/domain/event.ts';
import { MAX_PAGE_ROWS } from '../../src/domain/requests.ts';
import { insertEvents } from '../../src/store/queries/events/events.ts';
import { PROGRAMS } from '../support/programs.ts';
import { type CommandRun, type CommandWorld, runCommand } from '../support/run-command.ts';
import { runProgram } from '../support/run-program.ts';
import { type ServedProgram, serveProgram } from '../support/serve-program.ts';
import { until } from '../support/until.ts';

/** Every kind of question; `$ID` is a session with sub-agents. */
const QUESTIONS = [
  'sessions',
  'sessions -n 2',
  'sessions -n 2 --csv',
  'sessions --all --json',
  'sessions --all --ndjson',
  'sessions -n 3 --ndjson --fields id,work.commits',
  'sessions --ndjson --csv',
  'sessions --csv --fields id,work.failed_calls,tags',
  'sessions --json --fields titel',
  'sessions --fields id',
  'tools --json --fields name,calls',
  'files --ndjson --fields path',
  'workspaces --ndjson',
  'sessions --live',
  'sessions --workspace tea-ledger --has subagent',
  'sessions --device nowhere',
  'sessions --title e --since 2026-11-01 --until 2026-11-14 --model claude --lifecycle summarized,parsed',
  'sessions --tag nothing-has-it',
  'session $ID',
  'session $ID --json',
  'session $ID --transcript',
  'session $ID --transcript --subagents --full',
  'session $ID --transcript --json',
  'session $ID --events',
  'session $ID --events --json',
  'session $ID --git',
  'session $ID --git --json',
  'session $ID --steps',
  'session $ID --steps --json',
  'session $ID --export md',
  'session $ID --export html',
  'session $ID --export json',
  'session $ID --export csv',
  'session $ID --export parsed',
  'session $ID --export pdf',
  'session $ID --export md --turns 1',
  'session $ID --export json --turns 1-',
  'session $ID --export html --turns 1-2 --no-images',
  'session $ID --export csv --turns 99',
  'session $ID --export md --turns 2-1',
  'session $ID --export parsed --turns 1',
  'session $ID --export html --raw',
  'session $ID --export md --raw',
  'share $ID --preview',
  'share $ID --preview --json',
  'shares',
  'shares --json',
  'delete --list',
  'delete --list --json',
  'session zzz',
  'search the',
  'search the -n 2 --json',
  'search test --csv',
  'search the --session $ID',
  'search the --session $ID --json',
  'search the --session $ID --csv',
  'search cost>',
  'timeline',
  'timeline -n 3 --json',
  'timeline -n 9 --ndjson --fields at,session.id',
  'events',
  'events -n 3 --json',
  'events --session $ID --csv',
  'events --workspace nowhere',
  'search test --ndjson --fields session_id,hits.kind',
  'session $ID --transcript --ndjson --fields role',
  'timeline --workspace tea-ledger --csv',
  'stats',
  'stats --json',
  'stats --workspace tea-ledger --csv',
  'tools',
  'tools --json -n 2',
  'tools --session $ID --csv',
  'tools --title nothing-has-it',
  'files',
  'files ledger --json',
  'files --session zzz',
  'workspaces',
  'workspaces --all --json',
  'workspace tea-ledger',
  'workspace tea-ledger --json',
  'workspace nowhere',
  'devices --json',
  'tag $ID --json',
  'note $ID',
  ...COST_GROUPS.map((by) => `cost --by ${by} --json`),
  'cost --since 2026-11-10 --timezone Asia/Tokyo',
  'cost --csv',
  'budget',
  'budget set month 100',
  'budget set day 0.01 --workspace tea-ledger --json',
  'budget --check',
  'budget --json --timezone Asia/Tokyo',
  'budget remove week',
  'budget set day 1 --workspace nowhere',
];

/** Lists whose rows can be selected by field, with the name of the list in the answer. */
const LISTS = [
  ['sessions -n 50', 'sessions'],
  ['search the', 'sessions'],
  ['tools', 'tools'],
  ['files', 'files'],
  ['workspaces', 'workspaces'],
  ['cost --by session', 'rows'],
  ['stats', 'days'],
] as const;

const AT = '2026-11-15T10:00:00.000Z';
/** More than one page. */
const EVENTS = MAX_PAGE_ROWS + 5;

function makeEvents(device_id: string, session_id: string): Event[] {
  return Array.from({ length: EVENTS }, (_, at) => ({
    id: `event-${String(at).padStart(4, '0')}`,
    type: 'session.start',
    timestamp: AT,
    device_id,
    session_id,
    data: { at },
  }));
}

const OFFERS_NO_IMPORT = /^(?:sessions?|share|search|timeline|stats|tools|files|workspaces?|cost|budget)\b/;

describe.each(PROGRAMS)('a remote server in the terminal ($name)', (kind) => {
  let served: ServedProgram;
  let id = '';
  beforeAll(async () => {
    served = await serveProgram(kind);
    const { sessions } = await served.app.get('/sessions', { query: { has: 'subagent', limit: 50 } });
    id = sessions[0]?.id ?? '';
    await served.app.store.engine.transaction((tx) => insertEvents(tx, makeEvents(served.app.device.id, id), AT));
  });
  afterAll(() => served[Symbol.asyncDispose]());

  const wordsOf = (line: string) => line.split(' ').map((word) => (word === '$ID' ? id.slice(0, 10) : word));
  const here = (line: string): Promise<CommandRun> =>
    runCommand([...wordsOf(line), ...(OFFERS_NO_IMPORT.test(line) ? ['--no-import'] : [])], {
      config: served.program.config,
      openApp: () => served.program.open(),
    });
  const there = (line: string, more: Partial<CommandWorld> = {}): Promise<CommandRun> =>
    runCommand([...wordsOf(line), '--remote'], {
      config: served.clientConfig(),
      openApp: () => Promise.reject(new Error('something of this machine was opened')),
      ...more,
    });
  const ask = async <T>(line: string): Promise<T> => JSON.parse((await there(`${line} --json`)).out) as T;

  it.each(QUESTIONS)('fuel-code %s prints the same', async (line) => {
    const [local, remote] = [await here(line), await there(line)];
    expect(remote.out).toBe(local.out);
    expect(remote.err).toBe(local.err);
    expect([remote.error?.code, remote.error?.message]).toEqual([local.error?.code, local.error?.message]);
    expect(local.out === '').toBe(local.error !== null);
    expect(existsSync(served.clientHome)).toBe(false);
  });

  it('says how many tools the bars of stats leave out', async () => {
    const { tools } = await ask<{ tools: unknown[] }>('stats');
    expect(tools.length).toBeGreaterThan(8);
    expect((await there('stats')).out).toMatch(new RegExp(`  and ${tools.length - 8} more: --json\n$`));
  });

  it('names the server in the commands of hints that can query it', async () => {
    const { home: FUEL_CODE_HOME, serverUrl, serverToken } = served.clientConfig();
    const env = { FUEL_CODE_HOME, FUEL_CODE_SERVER_TOKEN: serverToken ?? '' };
    const { code, stderr } = await runProgram(['session', 'zzz', '--server', serverUrl ?? ''], { env });
    expect(code).toBe(3);
    expect(stderr).toContain(
      `\`fuel-code sessions --server ${serverUrl}\` lists the ids; \`fuel-code backfill\` imports`,
    );
  });

  it('prints one row per line with --ndjson, the same rows as with --json', async () => {
    const { sessions } = await ask<{ sessions: SessionRow[] }>('sessions --all');
    const { out } = await there('sessions --all --ndjson');
    expect(sessions.length).toBeGreaterThan(3);
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toEqual(sessions);
    const { out: chosen } = await there('sessions --all --ndjson --fields id,work.commits');
    expect(
      chosen
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toEqual(sessions.map(({ id, work }) => ({ id, work: { commits: work?.commits } })));
  });

  it('gives every field of a listed session the value it has in the session itself', async () => {
    const { sessions } = await ask<{ sessions: SessionRow[] }>('sessions --all');
    for (const listed of sessions) {
      const itself = await ask<Record<string, unknown>>(`session ${listed.id}`);
      expect(listed).toEqual(Object.fromEntries(Object.keys(listed).map((name) => [name, itself[name]])));
    }
    const isFilled = (name: string) => sessions.some((session) => session[name as keyof SessionRow] !== null);
    const names = Object.keys(sessionRow.shape);
    // Nothing in the demo fails to parse or runs in the cloud.
    expect(names.filter((name) => !isFilled(name))).toEqual(['parse_error', 'remote_env_id']);
  });

  it.each(LISTS)('selects every field of fuel-code %s in every format, here and on the server', async (line, list) => {
    const rows = (await ask<Record<string, readonly object[]>>(line))[list] ?? [];
    const fields = Object.keys(rows[0] ?? {}).join(',');
    expect(fields).toContain(',');
    for (const run of [here, there]) {
      const { [list]: chosen } = JSON.parse((await run(`${line} --json --fields ${fields}`)).out);
      expect(chosen).toEqual(rows);
      const { out } = await run(`${line} --ndjson --fields ${fields}`);
      expect(
        out
          .trimEnd()
          .split('\n')
          .map((one): unknown => JSON.parse(one)),
      ).toEqual(rows);
      expect((await run(`${line} --csv --fields ${fields}`)).out.split('\r\n', 1)).toEqual([fields]);
    }
  });

  it('reads all pages', async () => {
    expect((await ask<{ events: unknown[] }>('session $ID --events')).events).toHaveLength(EVENTS);
  });

  it('changes tags, pins and notes on the server', async () => {
    expect((await there('tag $ID flaky later')).out).toBe('flaky later\n');
    expect((await there('tag $ID --remove later')).out).toBe((await here('tag $ID')).out);
    expect((await there('tag $ID --set release')).out).toBe('release\n');
    expect((await there('session $ID --tag checked --json')).out).toContain('checked');
    expect((await there('tag $ID --set')).out).toBe('No tags.\n');
    expect((await there('tag $ID not,a,tag')).error?.code).toBe('usage');
    await there('note $ID clock');
    const [note] = (await ask<{ notes: { id: string; text: string }[] }>('note $ID')).notes;
    expect(note?.text).toBe('clock');
    expect((await there(`note $ID cache --edit ${note?.id}`)).out).toContain('cache');
    expect((await here('note $ID')).out).toContain('cache');
    expect((await there(`note $ID --remove ${note?.id}`)).out).toBe('No notes.\n');
    expect((await there('pin $ID')).out).toBe(`${id} is pinned.\n`);
    expect((await ask<{ is_pinned: boolean }>('session $ID')).is_pinned).toBe(true);
    expect((await there('pin $ID --remove')).out).toBe(`${id} is not pinned.\n`);
  });

  it('renames and merges workspaces, and moves a session', async () => {
    const { workspaces } = await ask<{ workspaces: { id: string; display_name: string }[] }>('workspaces');
    const [first, second] = workspaces;
    const renamed = await there(`workspace ${first?.display_name} --rename Pier`);
    expect(renamed.out).toMatch(/^Pier\n/);
    await there(`workspace Pier --take ${id}`);
    expect((await ask<SessionRow>('session $ID')).workspace_name).toBe('Pier');
    expect((await there(`workspace Pier --merge-into ${second?.id}`)).out).toContain('Merged');
    expect((await ask<SessionRow>('session $ID')).workspace_id).toBe(second?.id);
    expect((await here('workspaces')).out).not.toContain('Pier');
  });

  it('reparses sessions and waits for them', async () => {
    const before = await there('session $ID --transcript --json');
    expect((await there('reparse $ID')).out).toBe('1 session reparsed.\n');
    const { sessions: rows } = await ask<{ sessions: SessionRow[] }>('sessions --all');
    const session = rows.find((row) => row.id === id);
    expect(session?.parse_status).toBe('completed');
    const again = await there('session $ID --reparse --transcript --json');
    const messages = (run: CommandRun) => (JSON.parse(run.out) as { messages: unknown }).messages;
    expect(messages(again)).toEqual(messages(before));
    const { sessions } = await served.app.get('/status');
    expect(JSON.parse((await there('reparse --all --json')).out)).toEqual({
      schema_version: 1,
      sessions_parsed: sessions,
      failed: [],
    });
    expect((await there('reparse zzz')).error?.code).toBe('not_found');
  });

  it('tail follows sessions until it is stopped', async () => {
    const stop = new AbortController();
    const tail = there('tail --json', { signal: stop.signal, onOut: (text) => text.includes(id) && stop.abort() });
    await until(async () => {
      await there('pin $ID');
      expect(stop.signal.aborted).toBe(true);
    });
    expect(await tail).toMatchObject({ error: null, out: expect.stringContaining(`"id":"${id}"`) });
  });

  it('tail shows the last messages of a session first', async () => {
    const stop = new AbortController();
    const { out, error } = await there('tail $ID -n 2 --json', {
      signal: stop.signal,
      onOut: (text) => text.split('\n').length > 2 && stop.abort(),
    });
    expect(error).toBeNull();
    expect(out.trim().split('\n')).toHaveLength(2);
  });

  it('opens the page of the server at a session', async () => {
    const { out, opened } = await there('open $ID');
    expect(opened).toEqual([`${served.origin}/#token=${'cd'.repeat(32)}&to=/session/${id}`]);
    expect(out).toContain(opened[0]);
    expect((await there('open $ID --no-open')).opened).toEqual([]);
  });

  it('status describes the server, not this machine', async () => {
    const { out } = await there('status');
    expect(out).toContain(served.program.config.home);
    expect(out).not.toMatch(/Waiting|Rescued/);
    // The server may be indexing what other tests have changed.
    await until(async () =>
      expect(await ask('status')).toEqual({
        schema_version: 1,
        ...JSON.parse(JSON.stringify(await served.app.get('/status'))),
      }),
    );
  });

  it('marks this machine in the list of devices', async () => {
    const home = mkdtempSync(join(tmpdir(), 'fuel-code-device-'));
    const { id: own, name } = served.app.device;
    writeFileSync(join(home, 'device.json'), JSON.stringify({ id: own, name }));
    const config = served.clientConfig({ FUEL_CODE_HOME: home });
    expect((await there('devices', { config })).out).toContain(`${name} (this device)`);
    expect((await there('devices')).out).not.toContain('(this device)');
    expect(readdirSync(home)).toEqual(['device.json']);
    rmSync(home, { recursive: true });
  });

  it('an address on the command line overrides the configured one', async () => {
    const config = served.clientConfig({ FUEL_CODE_SERVER_URL: 'http://127.0.0.1:9' });
    const openApp = () => Promise.reject(new Error('something of this machine was opened'));
    const { out } = await runCommand(['sessions', '--server', `${served.origin}/`], { config, openApp });
    expect(out).toBe((await here('sessions')).out);
  });
});
