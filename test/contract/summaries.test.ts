import { describe, expect, it } from 'vitest';
import { LIFECYCLES } from '../../src/domain/session.ts';
import type { Narrative } from '../../src/domain/summary.ts';
import { mapConcurrently } from '../../src/lib/timing.ts';
import {
  findSessionsToSummarize,
  markSummarized,
  readSummaries,
  type SummariesWanted,
  saveHumanSummary,
  saveNarratives,
  showBestSummaries,
  showBestSummary,
} from '../../src/store/queries/summaries/summaries.ts';
import {
  type Call,
  findAnswer,
  finishCall,
  giveUp,
  readSpend,
  reserveCall,
  reuseAnswer,
} from '../../src/store/queries/summaries/summary-calls.ts';
import {
  clearFailures,
  readPause,
  readPauseOf,
  saveFailure,
  takeProbe,
} from '../../src/store/queries/summaries/summary-services.ts';
import type { Store } from '../../src/store/store.ts';
import { NOW, seedSession } from '../support/seed-session.ts';
import { size } from '../support/sizes.ts';
import { STORES } from '../support/stores.ts';

const LATER = '2026-11-15T12:05:00.000Z';
const DAY = '2026-11-15';
const NO_LIMIT = { maxNanosPerDay: 1e12, maxNanosPerSession: 1e12 };
const CLAIM = { now: NOW, claimedUntil: LATER };

const NARRATIVE: Narrative = {
  title: 'Fix the basket',
  text: 'Asked “Fix the basket”: answered.',
  workKind: 'debugging',
  sections: {
    asked: [],
    answered: null,
    files: [],
    commands: [],
    tests: [],
    commits: [],
    decisions: [],
    highlights: [],
    helpers: [],
    errors: [],
    open_ends: [],
  },
};

async function seedParsed(store: Store, id: string, columns: object = {}): Promise<void> {
  await seedSession(store, id);
  await store.engine.kysely
    .updateTable('sessions')
    .set({
      lifecycle: 'parsed',
      parse_status: 'completed',
      parsed_version: 1,
      revision: 1,
      rows_version: 1,
      ...columns,
    })
    .where('id', '=', id)
    .execute();
}

const narrative = (sessionId: string, parts: object = {}) => ({
  sessionId,
  agentId: '',
  rowsVersion: 1,
  version: 1,
  narrative: NARRATIVE,
  ...parts,
});

const callFor = (sessionId: string, parts: Partial<Call> = {}): Call => ({
  sessionId,
  agentId: '',
  rowsVersion: 1,
  promptVersion: 1,
  model: 'm',
  inputSha256: `sha of ${sessionId}`,
  day: DAY,
  reservedNanos: 100,
  ...parts,
});

const made = (text: string) => ({ kind: 'made', text, tokensIn: 10, tokensOut: 5 }) as const;

async function shown(store: Store, id: string) {
  return store.engine.kysely
    .selectFrom('sessions')
    .select(['title', 'summary', 'summary_kind'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

describe.each(STORES)('summaries on $name', ({ open }) => {
  it('a session shows the summary a person wrote, else a current one by the model, else the narrative', async () => {
    await using store = await open();
    const { engine } = store;
    await seedParsed(store, 's');
    await saveNarratives(engine, engine.kysely, [narrative('s')], NOW);
    await showBestSummary(engine.kysely, 's');
    expect(await shown(store, 's')).toEqual({
      title: 'Fix the basket',
      summary: NARRATIVE.text,
      summary_kind: 'narrative',
    });

    await reuseAnswer(engine.kysely, callFor('s'), 'Fixed the basket.', NOW);
    await showBestSummary(engine.kysely, 's');
    expect(await shown(store, 's')).toMatchObject({ summary: 'Fixed the basket.', summary_kind: 'ai' });

    await engine.kysely.updateTable('sessions').set({ rows_version: 2 }).execute();
    await showBestSummary(engine.kysely, 's');
    expect(await shown(store, 's'), 'one of an older revision is stale').toMatchObject({ summary_kind: 'narrative' });

    await saveHumanSummary(engine.kysely, 's', 'My own words\0', NOW);
    expect(await shown(store, 's')).toMatchObject({ summary: 'My own words␀', summary_kind: 'human' });
    await saveHumanSummary(engine.kysely, 's', null, NOW);
    expect(await shown(store, 's')).toMatchObject({ summary_kind: 'narrative' });
  });

  it('several sessions get their narratives, texts and kinds of work together', async () => {
    await using store = await open();
    const { engine } = store;
    for (const id of ['a', 'b', 'c']) await seedParsed(store, id);
    await saveHumanSummary(engine.kysely, 'b', 'My own words', NOW);
    const before = { ...NARRATIVE, title: 'Before' };
    await saveNarratives(engine, engine.kysely, [narrative('a', { narrative: before }), narrative('b')], NOW);
    await saveNarratives(engine, engine.kysely, [narrative('a', { agentId: 'agent' }), narrative('a')], NOW);
    await showBestSummaries(engine.kysely, ['a', 'b', 'c'], new Map([['a', 'tests']]));
    const rows = await engine.kysely
      .selectFrom('sessions')
      .select(['id', 'title', 'summary', 'summary_kind', 'work_kind'])
      .orderBy('id')
      .execute();
    expect(rows).toEqual([
      { id: 'a', title: 'Fix the basket', summary: NARRATIVE.text, summary_kind: 'narrative', work_kind: 'tests' },
      { id: 'b', title: 'Fix the basket', summary: 'My own words', summary_kind: 'human', work_kind: null },
      { id: 'c', title: null, summary: null, summary_kind: null, work_kind: null },
    ]);
  });

  it('only a parsed session becomes summarized, once, and for the given revision', async () => {
    await using store = await open();
    const { kysely } = store.engine;
    await seedParsed(store, 's');
    const mark = async (rowsVersion: number) => {
      const marked = await markSummarized(kysely, [
        { id: 's', rowsVersion },
        { id: 'unknown', rowsVersion },
      ]);
      expect([...marked].filter((id) => id !== 's')).toEqual([]);
      return marked.has('s');
    };
    for (const lifecycle of LIFECYCLES) {
      const parse_status =
        { detected: 'pending', ended: 'pending', failed: 'failed' }[lifecycle as string] ?? 'completed';
      await kysely.updateTable('sessions').set({ lifecycle, parse_status }).execute();
      expect(await mark(1), lifecycle).toBe(lifecycle === 'parsed');
    }
    await kysely.updateTable('sessions').set({ lifecycle: 'parsed', parse_status: 'completed' }).execute();
    expect(await mark(2), 'another revision').toBe(false);
    expect(await mark(1)).toBe(true);
    expect(await mark(1), 'who comes second').toBe(false);
  });

  it('are found when missing, stale, of an older version, or due for a retry', async () => {
    await using store = await open();
    const { kysely } = store.engine;
    const ai = { promptVersion: 1, model: 'm', services: ['service'], quietSinceMs: Date.parse(NOW) };
    const wanted: SummariesWanted = { narrativeVersion: 1, ai: null, now: NOW };
    const find = (more: Partial<SummariesWanted> = {}) => findSessionsToSummarize(kysely, 10, { ...wanted, ...more });
    await seedParsed(store, 's');
    await seedSession(store, 'not parsed');
    expect(await find()).toEqual(['s']);

    await saveNarratives(store.engine, kysely, [narrative('s')], NOW);
    expect(await find(), 'still to be marked').toEqual(['s']);
    await markSummarized(kysely, [{ id: 's', rowsVersion: 1 }]);
    expect(await find()).toEqual([]);
    expect(await find({ narrativeVersion: 2 })).toEqual(['s']);
    expect(await find({ ai })).toEqual(['s']);

    await reserveCall(store.engine, callFor('s'), NO_LIMIT, CLAIM);
    expect(await find({ ai }), 'somebody is asking').toEqual([]);
    expect(await find({ ai, now: LATER }), 'he never came back').toEqual(['s']);
    const waiting = { kind: 'waiting', nextTryAt: LATER, error: 'busy', isBadAnswer: false } as const;
    await finishCall(kysely, callFor('s'), { costNanos: 0, result: waiting, now: NOW });
    expect(await find({ ai })).toEqual([]);
    expect(await find({ ai, now: LATER })).toEqual(['s']);

    await saveFailure(
      store.engine,
      { service: 'service', why: 'refused', notice: 'n', nowMs: Date.parse(LATER) },
      () => 1_000,
    );
    expect(await find({ ai, now: LATER }), 'the service is paused').toEqual([]);
    await clearFailures(kysely, 'service');
    await finishCall(kysely, callFor('s'), { costNanos: 1, result: made('Done it.'), now: NOW });
    expect(await find({ ai, now: LATER })).toEqual([]);
    expect(await find({ ai: { ...ai, model: 'other' } }), 'another model').toEqual(['s']);

    await kysely.updateTable('sessions').set({ rows_version: 2 }).where('id', '=', 's').execute();
    await saveNarratives(store.engine, kysely, [narrative('s', { rowsVersion: 2 })], NOW);
    expect(await find()).toEqual([]);
    expect(await find({ ai }), 'F15: stale').toEqual(['s']);
    await kysely.updateTable('sessions').set({ lifecycle: 'capturing' }).where('id', '=', 's').execute();
    expect(await find({ ai }), 'F15: it grows').toEqual([]);
    await kysely.updateTable('sessions').set({ lifecycle: 'summarized' }).where('id', '=', 's').execute();
    await giveUp(kysely, callFor('s', { rowsVersion: 2 }), 'too little');
    expect(await find({ ai })).toEqual([]);
  });

  it('G12: many concurrent requests stay below the daily limit', async () => {
    await using store = await open();
    const SESSIONS = 50;
    for (let n = 0; n < SESSIONS; n++) await seedParsed(store, `s${n}`);
    const limits = { maxNanosPerDay: 10_050, maxNanosPerSession: 1e9 };
    const attempts = Array.from({ length: size('QUESTIONS_AT_ONCE', 400) }, (_, n) =>
      callFor(`s${n % SESSIONS}`, { agentId: `a${n}` }),
    );
    const answers = await Array.fromAsync(
      mapConcurrently(attempts, 8, (call) => reserveCall(store.engine, call, limits, CLAIM)),
    );
    expect(answers.filter((answer) => answer === 'reserved')).toHaveLength(100);
    expect(new Set(answers)).toEqual(new Set(['reserved', 'day_full']));
    expect(await readSpend(store.engine.kysely, DAY)).toEqual({ nanos: 10_000, calls: 100 });
    expect(await readSpend(store.engine.kysely, '2026-11-16')).toEqual({ nanos: 0, calls: 0 });
  });

  it('G12: one session stays below its own limit, and a rejected call costs nothing', async () => {
    await using store = await open();
    await seedParsed(store, 's');
    const limits = { maxNanosPerDay: 1e9, maxNanosPerSession: 350 };
    const ask = (agentId: string) => reserveCall(store.engine, callFor('s', { agentId }), limits, CLAIM);
    expect(await Promise.all(['a', 'b', 'c', 'd', 'e'].map(ask))).toEqual(
      expect.arrayContaining(['reserved', 'reserved', 'reserved', 'session_full', 'session_full']),
    );
    expect(await readSpend(store.engine.kysely, DAY)).toEqual({ nanos: 300, calls: 3 });
  });

  it('a request is sent once, and its estimate replaced by its actual cost', async () => {
    await using store = await open();
    const { engine } = store;
    await seedParsed(store, 's');
    const ask = () => reserveCall(engine, callFor('s'), NO_LIMIT, CLAIM);
    const answers = await Promise.all([ask(), ask(), ask(), ask()]);
    expect(answers.toSorted()).toEqual(['reserved', 'taken', 'taken', 'taken']);
    expect(await readSpend(engine.kysely, DAY)).toEqual({ nanos: 100, calls: 1 });
    await finishCall(engine.kysely, callFor('s'), { costNanos: 7, result: made('Fixed it.'), now: NOW });
    expect(await readSpend(engine.kysely, DAY)).toEqual({ nanos: 7, calls: 1 });
    expect(await readSummaries(engine.kysely, 's')).toMatchObject([
      { kind: 'ai', state: 'made', text: 'Fixed it.', attempts: 0, nextTryAt: null, error: null },
    ]);
  });

  it('G11: an answer is reused for the same input, prompt and model', async () => {
    await using store = await open();
    const { engine } = store;
    await seedParsed(store, 's');
    await reserveCall(engine, callFor('s'), NO_LIMIT, CLAIM);
    expect(await findAnswer(engine.kysely, callFor('s')), 'not answered yet').toBeNull();
    await finishCall(engine.kysely, callFor('s'), { costNanos: 7, result: made('Fixed it.'), now: NOW });
    expect(await findAnswer(engine.kysely, callFor('s'))).toBe('Fixed it.');
    expect(await findAnswer(engine.kysely, callFor('s', { model: 'other' }))).toBeNull();
    expect(await findAnswer(engine.kysely, callFor('s', { promptVersion: 2 }))).toBeNull();
    expect(await findAnswer(engine.kysely, callFor('t'))).toBeNull();
  });

  it('G13: after a pause one process tries while the others keep waiting', async () => {
    await using store = await open();
    const { engine } = store;
    const trouble = { service: 'x', why: 'refused', notice: 'no key', nowMs: Date.parse(NOW) };
    expect(await saveFailure(engine, trouble, () => 60_000)).toBe(true);
    expect(await saveFailure(engine, trouble, (failures) => failures * 60_000), 'the same again').toBe(false);
    expect(await readPause(engine.kysely, ['x'], NOW)).toMatchObject({ failures: 2, why: 'refused', notice: 'no key' });
    expect(await readPause(engine.kysely, ['y'], NOW)).toBeNull();
    expect(await readPause(engine.kysely, ['x'], LATER)).toBeNull();
    const known = await readPauseOf(engine.kysely, 'x');
    if (known === null) throw new Error('the trouble was forgotten');
    const probes = await Promise.all([1, 2, 3].map(() => takeProbe(engine.kysely, known, '2026-11-15T13:00:00.000Z')));
    expect(probes.toSorted()).toEqual([false, false, true]);
  });
});
