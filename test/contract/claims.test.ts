import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { MAX_ATTEMPTS, RETRY_PAUSES } from '../../src/domain/pipeline.ts';
import { ALLOWED_PAIRS, LIFECYCLES, type Lifecycle, TRANSITIONS } from '../../src/domain/session.ts';
import { identityOf } from '../../src/lib/process-identity.ts';
import { backoffMs, systemClock } from '../../src/lib/timing.ts';
import { runClaimed } from '../../src/pipeline/claimed-session.ts';
import { indexSessions } from '../../src/pipeline/index-session.ts';
import { claimBatch } from '../../src/pipeline/run.ts';
import { type PipelineDeps, SESSION_STEPS } from '../../src/pipeline/steps.ts';
import {
  CLAIM_MS,
  ClaimLost,
  checkClaims,
  claimNext,
  claimSome,
  failParsing,
  findDue,
  giveUpParsing,
  holdClaims,
  releaseClaims,
} from '../../src/store/queries/claims/claims.ts';
import { releaseDeadClaims } from '../../src/store/queries/claims/unfinished.ts';
import { storeSessionGit } from '../../src/store/queries/git/git-activity.ts';
import { changeState } from '../../src/store/queries/sessions/session-state.ts';
import { listSteps } from '../../src/store/queries/sessions/session-steps.ts';
import { pruneRows } from '../../src/store/queries/transcript/prune-rows.ts';
import { blockRows } from '../../src/store/queries/transcript/revision-rows.ts';
import { beginRevisions, nextRevision, saveRows } from '../../src/store/queries/transcript/save-revision.ts';
import type { Store } from '../../src/store/store.ts';
import { dumpStore } from '../support/dump-store.ts';
import { expireClaims } from '../support/expire-claims.ts';
import { makeBlock } from '../support/make-block.ts';
import { crowd } from '../support/processes.ts';
import { runSource } from '../support/run-source.ts';
import { NOW, seedSession } from '../support/seed-session.ts';
import { size } from '../support/sizes.ts';
import { STORES } from '../support/stores.ts';
import { until } from '../support/until.ts';

const JOBS = size('CLAIM_JOBS', 120);
const PROCESSES = crowd(4);
const by = (holder: string) => ({ holder, parserVersion: 1 });

async function seedMany(store: Store, count: number): Promise<void> {
  await seedSession(store, 'job-0000');
  const { engine } = store;
  const row = await engine.kysely.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
  const columns = ['id', 'workspace_id', 'device_id', 'lifecycle', 'parse_status', 'started_at', 'source'] as const;
  const rest = ['captured_version', 'created_at', 'updated_at'] as const;
  const names = [...columns, ...rest];
  const rows = Array.from({ length: count - 1 }, (_, n) =>
    names.map((name) => (name === 'id' ? `job-${String(n + 1).padStart(4, '0')}` : (row[name] as string | number))),
  );
  await engine.transaction((tx) => engine.insertMany(tx, 'sessions', names, rows));
}

async function expiryOf({ engine }: Store, id: string): Promise<number> {
  const row = await engine.kysely
    .selectFrom('sessions')
    .select('claim_expires_at_ms')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.claim_expires_at_ms;
}

async function claim(store: Store, holder: string) {
  const claimed = await claimNext(store.engine, 'parse', by(holder));
  if (claimed === null) throw new Error('there is nothing to claim');
  return claimed;
}

const BLOCK = makeBlock(0, { messageId: 'm1', contentText: 'late' });

describe('claims on PostgreSQL', () => {
  const { open } = STORES.find(({ name }) => name === 'PostgreSQL') as (typeof STORES)[number];

  it('F3: a session that another process has locked for a moment is claimed by the same step', async () => {
    await using store = await open();
    await seedSession(store, 's');
    const { engine } = store;
    await engine.kysely.updateTable('sessions').set({ rows_version: 1 }).execute();
    const deps = { engine, holder: 'us', device: { id: 'device' } } as unknown as PipelineDeps;
    const locked = Promise.withResolvers<void>();
    const pauses: number[] = [];
    const unlock = Promise.withResolvers<void>();
    const other = engine.transaction(async (tx) => {
      await sql`SELECT FROM sessions FOR UPDATE`.execute(tx);
      locked.resolve();
      await unlock.promise;
    });
    await locked.promise;
    const claims = await claimBatch(deps, SESSION_STEPS.index, 50, async (ms) => {
      pauses.push(ms);
      unlock.resolve();
      await other;
    });
    expect(claims.map(({ sessionId }) => sessionId)).toEqual(['s']);
    expect(pauses).toHaveLength(1);
    expect(await claimBatch(deps, SESSION_STEPS.index, 50, async (ms) => pauses.push(ms)), 'it is claimed').toEqual([]);
    expect(pauses).toHaveLength(1);
  });
});

describe.each(STORES)('claims on $name', ({ open, hasSeveralWriters }) => {
  it(`F3: of ${JOBS} sessions by ${2 * PROCESSES} claimers in ${PROCESSES} processes have one winner each`, async () => {
    await using store = await open();
    await seedMany(store, JOBS);
    const outputs = await Promise.all(
      Array.from({ length: PROCESSES }, () => runSource('./claim-through.ts', store.env)),
    );
    const won = outputs.flatMap((output) => JSON.parse(output) as string[][]).flat();
    expect(won).toHaveLength(JOBS);
    expect(new Set(won).size).toBe(JOBS);
    const { kysely } = store.engine;
    const tokens = await kysely.selectFrom('sessions').select('claim_token').distinct().execute();
    expect(tokens).toEqual([{ claim_token: 1 }]);
  });

  it('can be made for several sessions at once: the newest first, up to the requested number', async () => {
    await using store = await open();
    const { engine } = store;
    for (const id of ['a', 'b', 'c', 'd']) await seedSession(store, id);
    for (const [id, day] of Object.entries({ a: 2, b: 4, c: 1, d: 3 })) {
      const started_at = `2026-11-0${day}T00:00:00.000Z`;
      await engine.kysely.updateTable('sessions').set({ started_at }).where('id', '=', id).execute();
    }
    const due = () => findDue(engine, 'parse', { parserVersion: 1 }, 10);
    expect(await due()).toEqual(['b', 'd', 'a', 'c']);
    const three = await claimSome(engine, 'parse', by('one'), 3);
    expect(three.map(({ sessionId }) => sessionId)).toEqual(['b', 'd', 'a']);
    const rest = await claimSome(engine, 'parse', by('other'), 3);
    expect(rest).toEqual([{ sessionId: 'c', holder: 'other', token: 1 }]);
    expect(await due()).toEqual([]);
  });

  it('F2: are taken over when they expire; anything the old holder writes later is rejected without a trace', async () => {
    await using store = await open();
    const { engine } = store;
    await seedSession(store, 's');
    const late = await claim(store, 'late');
    const revision = nextRevision(late, { revision: 0, capturedVersion: 1 }, []);
    await engine.transaction((tx) => beginRevisions(engine, tx, [revision]));
    const rows = { revisions: [revision], unbegun: [], tables: [blockRows(revision, [BLOCK])] };
    await expireClaims(store.engine);
    const next = await claim(store, 'next');
    expect(next.token).toBe(late.token + 1);
    const before = await dumpStore(engine);
    const found = { sessionId: 's', deviceId: 'device-1', folders: [], repositories: [], calls: [] };
    const writes: Readonly<Record<string, () => Promise<unknown>>> = {
      heartbeat: () => holdClaims(engine, engine.kysely, [late]),
      'a revision': () => engine.transaction((tx) => beginRevisions(engine, tx, [revision])),
      blocks: () => saveRows(engine, rows),
      'a revision with its rows': () => saveRows(engine, { ...rows, unbegun: [revision] }),
      git: () => storeSessionGit(engine, [found], NOW, (tx) => holdClaims(engine, tx, [late])),
      'full text': () => indexSessions(engine, [late], () => {}),
    };
    for (const [what, write] of Object.entries(writes)) {
      await expect(write(), what).rejects.toBeInstanceOf(ClaimLost);
    }
    expect(await releaseClaims(engine.kysely, [late])).toEqual([]);
    await giveUpParsing(engine.kysely, late, NOW);
    await failParsing(engine, late, 'too late', NOW);
    const pruned = await engine.transaction((tx) => pruneRows(engine, tx, late, NOW));
    expect(pruned).toMatchObject({ won: false, why: 'claimed_by_another', holder: 'next' });
    expect(await dumpStore(engine)).toBe(before);
    await holdClaims(engine, engine.kysely, [next]);
  });

  it('F2: that were released belong to nobody: a late heartbeat or write of the former holder is rejected', async () => {
    await using store = await open();
    const { engine } = store;
    await seedSession(store, 's');
    const former = await claim(store, 'former');
    await releaseClaims(engine.kysely, [former]);
    await expect(holdClaims(engine, engine.kysely, [former])).rejects.toBeInstanceOf(ClaimLost);
    await expect(checkClaims(engine.kysely, [former])).rejects.toBeInstanceOf(ClaimLost);
    expect((await claim(store, 'next')).token).toBe(former.token + 1);
  });

  it('F2: that are lost during the work stop it, and the outcome says so', async () => {
    await using store = await open();
    const { engine } = store;
    await seedSession(store, 's');
    const deps = { engine, clock: systemClock, signal: new AbortController().signal };
    const [result] = await runClaimed(deps, [await claim(store, 'late')], {
      run: async (_claims, log) => {
        await expireClaims(store.engine);
        const next = await claim(store, 'next');
        await log.run('parse', () => holdClaims(engine, engine.kysely, [{ ...next, token: next.token - 1 }]));
      },
    });
    expect(result).toEqual({ sessionId: 's', outcome: 'lost' });
    expect(await claimNext(engine, 'parse', by('third'))).toBeNull();
  });

  it('F11: are extended by the heartbeat for as long as the work takes', async () => {
    await using store = await open();
    const { engine } = store;
    await seedSession(store, 's');
    const held = await claim(store, 'long');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const deps = { engine, clock: systemClock, signal: new AbortController().signal };
      const [result] = await runClaimed(deps, [held], {
        run: async () => {
          await expireClaims(store.engine);
          vi.advanceTimersByTime(CLAIM_MS / 3);
          await until(async () => expect(await expiryOf(store, 's')).toBeGreaterThan(1));
          expect(await claimNext(engine, 'parse', by('other'))).toBeNull();
        },
      });
      expect(result).toEqual({ sessionId: 's', outcome: 'done' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('F16: are released when the program must exit before the work is done, even after new bytes arrived', async () => {
    await using store = await open();
    const { engine } = store;
    await seedSession(store, 's');
    const stop = new AbortController();
    stop.abort();
    let nowMs = 0;
    const clock = { now: () => new Date(NOW), monotonicMs: () => nowMs };
    const deps = { engine, clock, signal: stop.signal };
    const [result] = await runClaimed(deps, [await claim(store, 'a')], {
      run: async (_claims, _log, check) => {
        check();
        await seedSession(store, 's');
        nowMs = 60_000;
        check();
      },
    });
    expect(result?.outcome).toBe('stopped');
    expect(await claimNext(engine, 'parse', by('b'))).not.toBeNull();
  });

  it('F1: of a dead process are released immediately; those of a live process or another machine are not', async () => {
    await using store = await open();
    const { engine } = store;
    const here = identityOf(process.pid);
    const holders = {
      dead: { ...here, started: '1' },
      alive: here,
      elsewhere: { ...here, started: '1', boot: 'another machine' },
    };
    for (const [id, holder] of Object.entries(holders)) {
      await seedSession(store, id);
      await claimNext(engine, 'parse', { ...by(JSON.stringify(holder)), sessionIds: [id] });
    }
    expect(await releaseDeadClaims(engine, { boot: here.boot, itself: null, now: NOW })).toBe(1);
    expect(await claimNext(engine, 'parse', by('next'))).toMatchObject({ sessionId: 'dead', token: 2 });
    expect(await claimNext(engine, 'parse', by('next'))).toBeNull();
    expect(await releaseDeadClaims(engine, { boot: here.boot, itself: JSON.stringify(here), now: NOW })).toBe(1);
    expect(await claimNext(engine, 'parse', by('next'))).toMatchObject({ sessionId: 'alive' });
  });

  it(`F9: of unparsable sessions come back after growing delays, ${MAX_ATTEMPTS} times in total`, async () => {
    await using store = await open();
    const { engine } = store;
    await seedSession(store, 'poison');
    const waits: number[] = [];
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      await failParsing(engine, await claim(store, 'a'), 'the reader fell over', NOW);
      expect(await claimNext(engine, 'parse', by('a')), 'before its time').toBeNull();
      const { next_try_at_ms } = await engine.kysely
        .selectFrom('sessions')
        .select('next_try_at_ms')
        .executeTakeFirstOrThrow();
      waits.push(next_try_at_ms);
      await engine.kysely.updateTable('sessions').set({ next_try_at_ms: 0 }).execute();
    }
    expect(waits.every((at, n) => n === 0 || at > (waits[n - 1] ?? 0))).toBe(true);
    expect([1, 2, 3, 4, 5, 50].map((attempts) => backoffMs(attempts, RETRY_PAUSES))).toEqual([
      30_000, 120_000, 480_000, 1_920_000, 3_600_000, 3_600_000,
    ]);
    expect(await claimNext(engine, 'parse', by('a')), 'after the last').toBeNull();
    const state = await engine.kysely.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
    expect(state).toMatchObject({ lifecycle: 'failed', parse_status: 'failed', parse_error: 'the reader fell over' });
    // A newer parser or new bytes retry it.
    expect(await claimNext(engine, 'parse', { holder: 'a', parserVersion: 2 })).not.toBeNull();
    await expireClaims(store.engine);
    await seedSession(store, 'poison');
    expect(await claim(store, 'a')).toMatchObject({ sessionId: 'poison' });
  });

  it('F9: count an attempt when the holder crashed, but not when the claim was released or interrupted', async () => {
    await using store = await open();
    const { engine } = store;
    await seedSession(store, 's');
    const attempts = async () => {
      const row = await engine.kysely.selectFrom('sessions').select('attempts').executeTakeFirstOrThrow();
      return row.attempts;
    };
    const { boot } = identityOf(process.pid);
    await giveUpParsing(engine.kysely, await claim(store, 'a'), NOW);
    expect(await attempts(), 'given up').toBe(0);
    await claim(store, 'itself');
    await releaseDeadClaims(engine, { boot, itself: 'itself', now: NOW });
    expect(await attempts(), 'the store was away').toBe(0);
    const stopped = { ...identityOf(process.pid), started: '2' };
    await claim(store, JSON.stringify({ ...stopped, opened: 'a' }));
    await releaseDeadClaims(engine, { boot, itself: null, interrupted: [stopped], now: NOW });
    expect(await attempts(), 'interrupted').toBe(0);
    await claim(store, 'elsewhere');
    await expireClaims(store.engine);
    const taken = await claim(store, 'a');
    expect(await attempts(), 'taken over').toBe(1);
    await releaseClaims(engine.kysely, [taken]);
    await engine.kysely.updateTable('sessions').set({ attempts: 0 }).execute();
    for (let crash = 1; crash <= MAX_ATTEMPTS; crash++) {
      await claim(store, JSON.stringify({ ...identityOf(process.pid), started: '1' }));
      await releaseDeadClaims(engine, { boot, itself: null, now: NOW });
      expect(await attempts(), 'died').toBe(crash);
    }
    const last = await claim(store, 'a');
    expect(await attempts(), 'none are left').toBe(MAX_ATTEMPTS);
    await failParsing(engine, last, 'it kills', NOW);
    await engine.kysely.updateTable('sessions').set({ next_try_at_ms: 0 }).execute();
    expect(await claimNext(engine, 'parse', by('a'))).toBeNull();
  });

  it('F9: that were abandoned count as a failed attempt at that step, and are released only once that is recorded', async () => {
    await using store = await open();
    const { engine } = store;
    await seedSession(store, 's');
    await engine.kysely.updateTable('sessions').set({ rows_version: 1 }).execute();
    const elsewhere = by(JSON.stringify({ ...identityOf(process.pid), boot: 'another machine' }));
    const release = () => releaseDeadClaims(engine, { boot: identityOf(process.pid).boot, itself: null, now: NOW });
    for (let crash = 1; crash <= MAX_ATTEMPTS; crash++) {
      expect(await claimNext(engine, 'index', elsewhere)).not.toBeNull();
      expect(await release(), 'it may still be at it').toBe(0);
      await expireClaims(engine);
      expect(await claimNext(engine, 'index', by('a')), 'before it was noted').toBeNull();
      expect(await release()).toBe(1);
      expect(await claimNext(engine, 'index', { ...by('a'), isHarmless: true }), 'with others').toBeNull();
      const steps = await listSteps(engine.kysely, 's');
      expect(steps).toMatchObject([{ step: 'index', outcome: 'failed', attempts: crash }]);
    }
    expect(await claimNext(engine, 'index', by('a')), 'after the last').toBeNull();
    expect(await claimNext(engine, 'correlate', by('a')), 'other work').not.toBeNull();
  });

  it('F10: when a holder of 10,000 waiting sessions crashes, none is lost', async () => {
    await using store = await open();
    const { engine } = store;
    await seedMany(store, 10_000);
    const dead = JSON.stringify({ ...identityOf(process.pid), started: '1' });
    for (let n = 0; n < 20; n++) await claimNext(engine, 'parse', by(dead));
    expect(await releaseDeadClaims(engine, { boot: identityOf(process.pid).boot, itself: null, now: NOW })).toBe(20);
    const rows = await engine.kysely
      .selectFrom('sessions')
      .select(({ fn }) => [fn.countAll<number>().as('n'), fn.max('claim_expires_at_ms').as('latest')])
      .where('parse_status', 'in', ['pending', 'parsing'])
      .execute();
    expect(rows).toEqual([{ n: 10_000, latest: 0 }]);
  });

  it('F8: two transactions that take the same rows in opposite order both succeed', async () => {
    await using store = await open();
    const { engine } = store;
    for (const id of ['a', 'b']) await seedSession(store, id);
    const bothBegan = createMeeting(hasSeveralWriters ? 2 : 1);
    const rename = (first: string, second: string) =>
      engine.transaction(async (tx) => {
        for (const id of [first, second]) {
          await tx
            .updateTable('sessions')
            .set(({ eb }) => ({ captured_version: eb('captured_version', '+', 1) }))
            .where('id', '=', id)
            .execute();
          if (id === first) await bothBegan();
        }
      });
    await Promise.all([rename('a', 'b'), rename('b', 'a')]);
    const rows = await engine.kysely.selectFrom('sessions').select(['id', 'captured_version']).orderBy('id').execute();
    expect(rows).toEqual([
      { id: 'a', captured_version: 3 },
      { id: 'b', captured_version: 3 },
    ]);
  });
});

/** Resolves for everybody once this many have arrived; later arrivals pass. */
function createMeeting(wanted: number): () => Promise<void> {
  let came = 0;
  let open = () => {};
  const all = new Promise<void>((resolve) => (open = resolve));
  return () => {
    if (++came >= wanted) open();
    return all;
  };
}

describe.each(STORES)('states on $name', ({ open }) => {
  const change = fc.record({
    to: fc.constantFrom(...LIFECYCLES),
    status: fc.nat(3),
    session: fc.constantFrom('s', 's', 's', 'nobody'),
    token: fc.constantFrom('none', 'right', 'right', 'old'),
  });

  it('change only along the table of transitions; any other change is rejected with the reason', async () => {
    await using store = await open();
    const { kysely } = store.engine;
    await seedSession(store, 's');
    const { token, holder } = await claim(store, 'me');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...LIFECYCLES), fc.array(change, { maxLength: 12 }), async (start, walk) => {
        let at: Lifecycle = start;
        await kysely.updateTable('sessions').set({ lifecycle: at, parse_status: ALLOWED_PAIRS[at][0] }).execute();
        for (const { to, status, session, token: which } of walk) {
          const statuses = ALLOWED_PAIRS[to];
          const answer = await changeState(kysely, {
            sessionId: session,
            to,
            parseStatus: statuses[status % statuses.length] as (typeof statuses)[number],
            now: NOW,
            ...(which === 'none'
              ? {}
              : { claim: { sessionId: session, holder, token: which === 'right' ? token : 0 } }),
          });
          const isAllowed = (TRANSITIONS[at] as readonly Lifecycle[]).includes(to);
          if (session === 'nobody')
            expect(answer).toMatchObject({ won: false, why: 'no_such_session', lifecycle: null });
          else if (which === 'old') expect(answer).toMatchObject({ why: 'claimed_by_another', holder, lifecycle: at });
          else if (!isAllowed) expect(answer).toMatchObject({ why: 'not_from_this_state', lifecycle: at });
          else expect(answer).toEqual({ won: true });
          if (answer.won) at = to;
          const row = await kysely.selectFrom('sessions').select('lifecycle').executeTakeFirstOrThrow();
          expect(row.lifecycle).toBe(at);
        }
      }),
      { numRuns: 60 },
    );
  });
});
