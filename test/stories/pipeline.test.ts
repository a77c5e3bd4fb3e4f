import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ImportDeps, runImport } from '../../src/app/import.ts';
import { reparse } from '../../src/app/maintain.ts';
import type { App } from '../../src/app/open-app.ts';
import { readGeneration } from '../../src/archive/archive-bytes.ts';
import { findChanges } from '../../src/archive/find-changes.ts';
import { currentSessionFiles } from '../../src/archive/moved-files.ts';
import type { Event } from '../../src/domain/event.ts';
import { runStep } from '../../src/pipeline/run.ts';
import { settleSessions } from '../../src/pipeline/steps.ts';
import { saveDevice } from '../../src/store/queries/devices/devices.ts';
import { insertEvents, linkEvents } from '../../src/store/queries/events/events.ts';
import { listSteps } from '../../src/store/queries/sessions/session-steps.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { NOW, PROGRAMS, type Program } from '../support/programs.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const POISON = '99999999-1111-4111-8111-111111111111';
const POISON_MODEL = 'claude-sonnet-4-5';
const BY_HAND = { signal: new AbortController().signal, onProgress: () => {} };

/** A session of five lines. */
function linesOf(id: string, n = 0, model = 'claude-opus-4-6'): readonly object[] {
  const talk = createTalk(id, { prefix: `p${n}` });
  return [
    talk.user('Where is the till?'),
    talk.assistant(`msg_${n}_1`, toolUse(`toolu_${n}`, 'Bash', { command: 'ls' }), { input: 10, output: 20 }),
    talk.result(`toolu_${n}`, 'till.ts'),
    talk.assistant(`msg_${n}_2`, text('There.'), { input: 5, output: 6 }, model),
    talk.user('Thank you.'),
  ];
}

function bytesOf(lines: readonly object[]): Buffer {
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const EVENTS = {
  start: { type: 'session.start', at: '2026-11-01T10:00:00.000Z', data: { source: 'startup' } },
  end: { type: 'session.end', at: '2026-11-08T12:00:01.000Z', data: { end_reason: 'exit' } },
} as const;

async function tell(app: App, which: keyof typeof EVENTS): Promise<void> {
  const { engine } = app.store;
  const { type, at, data } = EVENTS[which];
  const event: Event = {
    id: `01EVENT${which.padEnd(19, '0').toUpperCase()}`,
    type,
    timestamp: at,
    device_id: app.device.id,
    session_id: ID,
    data,
  };
  await saveDevice(engine.kysely, app.device, NOW.toISOString());
  await insertEvents(engine.kysely, [event], NOW.toISOString());
  await linkEvents(engine.kysely);
}

const PIECES = 3;
const ACTS = ['start', 'end', 'piece', 'piece', 'piece', 'settle', 'parse', 'reparse', 'live'] as const;
type Act = (typeof ACTS)[number];

/** Performs one event in the life of a session. Pieces cut the file anywhere, even within a line. */
function actor(home: ClaudeHome, app: App, bytes: Buffer, cuts: readonly number[]) {
  let piece = 0;
  const path = `-home-ada-shop/${ID}.jsonl`;
  const write = (end: number) => home.write(path, bytes.subarray(0, end));
  return async (act: Act): Promise<void> => {
    if (act === 'start' || act === 'end') return tell(app, act);
    if (act === 'piece') return void write(++piece === PIECES ? bytes.length : (cuts[piece - 1] as number));
    if (act === 'parse') return void (await app.importNew());
    if (act === 'reparse') return void (await reparse(app, 'all', NOW.toISOString(), BY_HAND));
    if (act === 'settle') return settleSessions(await app.openPipeline());
    // It counts as running while its file is written to.
    if (piece === 0) return;
    const full = join(home.path, 'projects', path);
    utimesSync(full, NOW, NOW);
    await app.importNew();
    write(piece === PIECES ? bytes.length : (cuts[piece - 1] as number));
  };
}

const TABLES = ['sessions', 'transcript_messages', 'content_blocks', 'usage_rollups', 'tool_calls', 'turns'];

async function endState(program: Program, home: ClaudeHome, acts: readonly Act[], cuts: readonly number[]) {
  await using app = await program.open();
  const bytes = bytesOf(linesOf(ID));
  const act = actor(
    home,
    app,
    bytes,
    cuts.map((cut) => Math.ceil(cut * bytes.length)),
  );
  for (const each of acts) await act(each);
  await app.importNew();
  return await dumpStore(app.store.engine, TABLES);
}

describe.each(PROGRAMS)('the pipeline on $name', ({ name, create }) => {
  it('A17: ends with the same rows for any order of hooks, bytes, parses and settling', async () => {
    const order = fc.record({
      acts: fc.shuffledSubarray([...ACTS], { minLength: ACTS.length }),
      cuts: fc.tuple(fc.double({ min: 0.05, max: 0.5, noNaN: true }), fc.double({ min: 0.5, max: 0.95, noNaN: true })),
    });
    let expected: string | null = null;
    await fc.assert(
      fc.asyncProperty(order, async ({ acts, cuts }) => {
        using home = createClaudeHome();
        await using program = await create(home.path);
        const state = withoutPlaces(await endState(program, home, acts, cuts));
        expected ??= state;
        expect(state).toBe(expected);
      }),
      { numRuns: name === 'SQLite and files' ? 25 : 5 },
    );
    expect(expected).toContain('"end_reason":"exit"');
  });

  it('F3: related sessions processed at the same time count shared messages once, and all can be found', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    const { kysely } = app.store.engine;
    const forks = Array.from({ length: 6 }, (_, n) => ID.replace(/^1/, String(n + 2)));
    for (const id of forks) home.write(`-w/${id}.jsonl`, linesOf(id));
    await app.importNew();
    const once = await sumTokens(app);
    expect(once).toBe(15);
    const line = await app.openPipeline();
    for (let round = 0; round < 3; round++) {
      await kysely.updateTable('sessions').set({ parser_version: 0 }).execute();
      for (const work of ['parse', 'index'] as const) {
        const results = await Promise.all(forks.map((id) => runStep(line, work, [id])));
        expect(results.map(([result]) => result?.outcome)).toEqual(forks.map(() => 'done'));
      }
      expect(await sumTokens(app)).toBe(once);
    }
    const { total } = await app.get('/search', { query: { q: 'till', limit: 100 } });
    expect(total.sessions).toBe(forks.length);
  });

  it('F9: continues with the others when one session cannot be parsed; that one waits for a newer parser', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    const { kysely } = app.store.engine;
    const lines = linesOf(POISON, 1, POISON_MODEL);
    home.write(`-w/${POISON}.jsonl`, lines);
    home.write(`-w/${ID}.jsonl`, linesOf(ID));
    const line = (await app.openPipeline()) as ImportDeps;
    const price: ImportDeps['price'] = (model, ...rest) => {
      if (model === POISON_MODEL) throw new Error('the reader fell over');
      return line.price(model, ...rest);
    };
    const deps = { ...line, price, rowsOnly: false, concurrency: 1, onProgress: () => {} };
    const { failed } = await runImport(deps, await findChanges(deps));
    expect(failed).toEqual([{ path: POISON, error: 'the reader fell over' }]);
    const states = await kysely.selectFrom('sessions').select(['id', 'lifecycle', 'attempts']).orderBy('id').execute();
    expect(states).toEqual([
      { id: ID, lifecycle: 'summarized', attempts: 0 },
      { id: POISON, lifecycle: 'failed', attempts: 1 },
    ]);
    expect(await listSteps(kysely, POISON)).toContainEqual(
      expect.objectContaining({ step: 'parse', outcome: 'failed', error: 'the reader fell over' }),
    );
    const restored = await restoreText(app, POISON);
    expect(restored).toBe(bytesOf(lines).toString());
    await reparse(app, [POISON], NOW.toISOString(), BY_HAND);
    const after = await kysely.selectFrom('sessions').selectAll().where('id', '=', POISON).executeTakeFirstOrThrow();
    expect(after).toMatchObject({ lifecycle: 'summarized', attempts: 0, parse_error: null, total_messages: 5 });
  });

  it('F9: retries a failed later step as soon as the session has grown', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    const { kysely } = app.store.engine;
    const lines = linesOf(ID);
    const path = `-w/${ID}.jsonl`;
    const full = home.write(path, lines.slice(0, 4));
    utimesSync(full, NOW, NOW);
    const line = (await app.openPipeline()) as ImportDeps;
    const collectGit = () => Promise.reject(new Error('no git'));
    const deps = { ...line, collectGit, rowsOnly: false, concurrency: 1, onProgress: () => {} };
    await runImport(deps, await findChanges(deps));
    await kysely.updateTable('session_steps').set({ attempts: 5 }).where('step', '=', 'correlate').execute();
    home.append(path, lines.slice(4));
    utimesSync(full, NOW, NOW);
    await app.importNew();
    const steps = await listSteps(kysely, ID);
    expect(steps.find(({ step }) => step === 'correlate')).toMatchObject({ outcome: 'done', revision: 1 });
  });
});

async function sumTokens({ store }: App): Promise<number> {
  const { sum } = await store.engine.kysely
    .selectFrom('sessions')
    .select(({ fn }) => fn.sum<number>('tokens_in').as('sum'))
    .executeTakeFirstOrThrow();
  return sum;
}

async function restoreText(app: App, sessionId: string): Promise<string> {
  const { engine } = app.store;
  const [file] = await currentSessionFiles({ engine, blobs: app.blobs }, sessionId);
  if (file === undefined) return '';
  return Buffer.concat(await Array.fromAsync(readGeneration({ engine, blobs: app.blobs }, file))).toString();
}

/** Values that depend on the folders of this run. */
function withoutPlaces(dump: string): string {
  return dump.replaceAll(/"(device_id|workspace_id)":"[^"]*"/g, '"$1":""').replaceAll(/file_[0-9a-f]{24}/g, 'file');
}
