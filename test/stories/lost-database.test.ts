import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCommands, sendTo } from '../../src/app/commands.ts';
import type { App } from '../../src/app/open-app.ts';
import { rebuild } from '../../src/app/rebuild.ts';
import { captureRecord } from '../../src/archive/captures.ts';
import { verifyArchive } from '../../src/archive/verify.ts';
import { listStoredCaptures } from '../../src/store/queries/archive/stored-records.ts';
import { importLease, withLease } from '../../src/store/queries/claims/leases.ts';
import { STRUCTURE_TABLES } from '../../src/store/queries/transcript/structure-rows.ts';
import { createClaudeHome } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { at, clearLines, copied, exchange, opened } from '../support/lineage-home.ts';
import { loseDatabase } from '../support/lose-database.ts';
import { fixedClock, PROGRAMS, type Program, silentLog } from '../support/programs.ts';

const [PARENT, FORK, LEFT, CLEARED, EMPTY] = [1, 2, 3, 4, 5].map(
  (number) => `${String(number).repeat(8)}-2222-4333-8444-555555555555`,
) as [string, string, string, string, string];
const TABLES = [
  'sessions',
  'events',
  'session_tags',
  'session_notes',
  'session_pins',
  'saved_views',
  'session_summaries',
  'session_lineage',
  'workspaces',
  'workspace_folders',
  'usage_rollups',
  ...STRUCTURE_TABLES.map(([table]) => table),
];

let entries = 0;

/** Writes a payload to the spool, as the hook does. */
function spool({ config }: Program, sessionId: string, second: number, payload: object): void {
  mkdirSync(join(config.home, 'spool'), { recursive: true, mode: 0o700 });
  const name = `${Date.parse(at(second))}-${1_000 + entries}-${String(entries++).padStart(8, '0')}.json`;
  const text = JSON.stringify({ session_id: sessionId, cwd: '/home/ada/shop', ...payload });
  writeFileSync(join(config.home, 'spool', name), text, { mode: 0o600 });
}

function tell(program: Program): void {
  const start = (id: string, second: number, source: string) =>
    spool(program, id, second, { hook_event_name: 'SessionStart', source });
  const end = (id: string, second: number, reason: string) =>
    spool(program, id, second, { hook_event_name: 'SessionEnd', reason });
  start(PARENT, 0, 'startup');
  end(PARENT, 25, 'logout');
  start(FORK, 30, 'fork');
  spool(program, FORK, 35, { hook_event_name: 'SubagentStop', agent_id: 'a1' });
  end(FORK, 50, 'prompt_input_exit');
  start(LEFT, 100, 'startup');
  end(LEFT, 130, 'clear');
  start(CLEARED, 131, 'clear');
  start(EMPTY, 200, 'startup');
  end(EMPTY, 210, 'other');
}

async function annotate(app: App): Promise<void> {
  const send = sendTo(createCommands(app, fixedClock, () => {}));
  await send('PATCH /sessions/:id', { params: { id: FORK }, body: { tags: ['pears'] } });
  await send('POST /sessions/:id/notes', { params: { id: PARENT }, body: { text: 'Look here.' } });
  await send('PATCH /sessions/:id', { params: { id: EMPTY }, body: { is_pinned: true } });
  const { id: view_id } = await send('POST /views', { body: { name: 'Pears', q: 'tag:pears' } });
  const change = { name: 'Dear pears', sort: 'cost', order: 'asc', group: 'workspace' } as const;
  await send('PATCH /views/:view_id', { params: { view_id }, body: change });
  const passing = await send('POST /views', { body: { name: 'Passing', q: '' } });
  await send('DELETE /views/:view_id', { params: { view_id: passing.id } });
}

async function dump(app: App): Promise<string> {
  const text = await dumpStore(app.store.engine, TABLES);
  // Workspaces have new ids in a new database.
  const ids = await app.store.engine.kysely.selectFrom('workspaces').select(['id', 'canonical_id']).execute();
  const named = ids.reduce((rest, { id, canonical_id }) => rest.replaceAll(id, canonical_id), text);
  return named
    .split('\n== ')
    .map((table) => table.split('\n').toSorted().join('\n'))
    .join('\n== ');
}

describe.each(PROGRAMS)('a lost database on $name', ({ create }) => {
  // Regression: sources, end reasons and links known only from hooks were lost with the database.
  it('is restored with hook events, people’s notes and saved views', async () => {
    using home = createClaudeHome();
    const apples = exchange(PARENT, 'apples', 1);
    const files = {
      [PARENT]: [...opened(PARENT, 0), ...apples],
      [FORK]: [...copied(apples, FORK), ...exchange(FORK, 'pears', 31)],
      [LEFT]: exchange(LEFT, 'plums', 101),
      [CLEARED]: [...clearLines(CLEARED, 131), ...exchange(CLEARED, 'figs', 140)],
    };
    for (const [id, lines] of Object.entries(files)) {
      utimesSync(home.write(`-home-ada-shop/${id}.jsonl`, lines), new Date(at(0)), new Date(at(0)));
    }
    await using program = await create(home.path);
    tell(program);
    let before = '';
    {
      await using app = await program.open();
      await app.drainHooks();
      await app.importNew();
      await annotate(app);
      before = await dump(app);
      expect(await verifyArchive({ engine: app.store.engine, blobs: app.blobs, journal: app.journal })).toMatchObject({
        journal: { missing_events: 0, damaged: [] },
      });
      await loseDatabase(app);
    }
    await rebuild({ config: program.config, clock: fixedClock, log: silentLog }, {});
    {
      await using app = await program.open();
      expect(await dump(app)).toBe(before);
      expect(await app.get('/sessions/:id', { params: { id: FORK } })).toMatchObject({
        source: 'fork',
        end_reason: 'exit',
      });
      expect(await app.get('/sessions/:id', { params: { id: PARENT } })).toMatchObject({
        source: 'startup',
        end_reason: 'logout',
      });
      expect(await app.get('/sessions/:id', { params: { id: CLEARED } })).toMatchObject({ source: 'clear' });
      expect(await app.get('/sessions/:id', { params: { id: EMPTY } })).toMatchObject({
        lifecycle: 'ended',
        workspace_name: 'shop',
      });
    }
    // A second replay changes nothing: events are identified by their ids.
    await rebuild({ config: program.config, clock: fixedClock, log: silentLog }, {});
    await using app = await program.open();
    expect(await dump(app)).toBe(before);
  });

  it('has events of older versions written to the journal by the next import, and a lost journal rewritten', async () => {
    using home = createClaudeHome();
    home.write(`-home-ada-shop/${PARENT}.jsonl`, exchange(PARENT, 'apples', 1));
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const { kysely } = app.store.engine;
    const event = { type: 'session.start', device_id: app.device.id, session_id: PARENT, ingested_at: at(1) };
    const data = JSON.stringify({ session_id: PARENT, source: 'resume' });
    await kysely
      .insertInto('events')
      .values({ id: 'E1', timestamp: at(0), data, ...event })
      .execute();
    const look = () => verifyArchive({ engine: app.store.engine, blobs: app.blobs, journal: app.journal });
    expect(await look()).toMatchObject({ journal: { missing_events: 1 } });
    await kysely.deleteFrom('known_journals').execute();
    await app.importNew();
    expect(await look()).toMatchObject({ journal: { missing_events: 0 } });
  });

  it('keeps a hook event in the spool while the journal cannot be written', async () => {
    using home = createClaudeHome();
    home.write(`-home-ada-shop/${PARENT}.jsonl`, exchange(PARENT, 'apples', 1));
    await using program = await create(home.path);
    await using app = await program.open();
    spool(program, PARENT, 0, { hook_event_name: 'SessionStart', source: 'startup' });
    const { drainSpool } = await import('../../src/ingest/events/drain-spool.ts');
    const { openSpool } = await import('../../src/capture/spool/spool.ts');
    const journal = { ...app.journal, append: () => Promise.reject(new Error('the disk is full')) };
    const waiting = openSpool(program.config.home, fixedClock);
    const deps = { spool: waiting, engine: app.store.engine, device: app.device, clock: fixedClock };
    await expect(drainSpool({ ...deps, journal })).rejects.toThrow('the disk is full');
    expect(waiting.entries()).toHaveLength(1);
    expect(await drainSpool({ ...deps, journal: app.journal })).toMatchObject({ accepted: 1 });
  });

  // An import writes to the journal before it writes to the database.
  it('is not reported while the journal of an import is merely ahead', async () => {
    using home = createClaudeHome();
    home.write(`-home-ada-shop/${PARENT}.jsonl`, exchange(PARENT, 'apples', 1));
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const { kysely } = app.store.engine;
    const [stored] = await listStoredCaptures(kysely);
    if (stored === undefined) throw new Error('nothing was captured');
    await kysely.deleteFrom('known_journals').execute();
    const ahead = { ...stored.capture, id: 'file_ahead', path: 'projects/ahead.jsonl', sizeBytes: 1, segments: [] };
    await app.journal.append(captureRecord({ ...ahead, blobs: [] }, at(1)));
    await app.journal.flush();
    await withLease(app.store.engine, importLease(app.device.id), async () => {
      expect(await app.countUnknownCaptures()).toBe(0);
    });
    expect(await app.countUnknownCaptures()).toBe(1);
  });
});
