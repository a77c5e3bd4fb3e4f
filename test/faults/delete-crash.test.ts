import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deleteSession } from '../../src/app/deletion/deletions.ts';
import { type PurgeDeps, purgeDeleted } from '../../src/app/deletion/purge.ts';
import type { App } from '../../src/app/open-app.ts';
import { corrupt } from '../../src/archive/blobs/content-address.ts';
import type { Clock } from '../../src/domain/ports.ts';
import { bundleScript } from '../support/bundle-script.ts';
import { type ClaudeHome, createClaudeHome, createTalk } from '../support/claude-home.ts';
import {
  CANARY,
  FORK,
  fillHome,
  GONE,
  importAll,
  listIds,
  movableClock,
  OTHER,
  openAt,
  openDeletable,
} from '../support/deletable-home.ts';
import { expireClaims } from '../support/expire-claims.ts';
import { findText } from '../support/find-text.ts';
import { childEnv } from '../support/processes.ts';
import { PROGRAMS, type Program } from '../support/programs.ts';

class Killed extends Error {}

/** Stops the work at its nth externally visible step: a write, a transaction, a blob, a line of the journal. */
function stopAt(deps: PurgeDeps, nth: number): PurgeDeps {
  let steps = 0;
  const count = <A extends readonly unknown[], T>(act: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      if (++steps > nth) throw new Killed();
      return act(...args);
    };
  };
  const { blobs, journal, engine } = deps;
  return {
    ...deps,
    blobs: { ...blobs, put: count(blobs.put), get: count(blobs.get), delete: count(blobs.delete) },
    journal: { ...journal, append: count(journal.append), erase: count(journal.erase), flush: count(journal.flush) },
    engine: {
      ...engine,
      transaction: count(engine.transaction),
      scrub: count(engine.scrub),
    },
  };
}

function depsOf({ store, journal, blobs, device, config }: App, clock: Clock): PurgeDeps {
  return { engine: store.engine, journal, blobs, device, clock, home: config.home };
}

const NOW = { afterDays: 0 };

describe.each(PROGRAMS)('J12: a deletion on $name that is stopped', ({ name, create }) => {
  it('at any step is completed by the next run', async () => {
    await using deletable = await openDeletable(create);
    const { clock, app } = deletable;
    const deps = depsOf(app, clock);
    // Each run gets one step further than the last one; the first does nothing at all.
    let stops = 0;
    for (let nth = 0; ; nth++) {
      try {
        const stopped = stopAt(deps, nth);
        await deleteSession(stopped, GONE, NOW);
        if ((await purgeDeleted(stopped)) === 'done') break;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        stops++;
      }
      expect(nth, name).toBeLessThan(500);
    }
    expect(stops).toBeGreaterThan(8);
    expect(await findText(app, CANARY)).toEqual([]);
    await app.importNew();
    expect(await listIds(app)).toEqual([FORK, OTHER]);
  });

  it('has every record on disk before it removes a blob', async () => {
    await using deletable = await openDeletable(create);
    const { clock, app } = deletable;
    const deps = depsOf(app, clock);
    let unflushed = 0;
    const early: string[] = [];
    const journal: PurgeDeps['journal'] = {
      ...deps.journal,
      append: async (...records) => {
        unflushed += records.length;
        await deps.journal.append(...records);
      },
      flush: async () => {
        unflushed = 0;
        await deps.journal.flush();
      },
    };
    const remove = async (sha256: string) => {
      if (unflushed > 0) early.push(sha256);
      await deps.blobs.delete(sha256);
    };
    await deleteSession(deps, GONE, NOW);
    await purgeDeleted({ ...deps, journal, blobs: { ...deps.blobs, delete: remove } });
    expect(early).toEqual([]);
  });

  it('is not stopped by a damaged blob that nothing needs', async () => {
    await using deletable = await openDeletable(create);
    const { clock, app } = deletable;
    const deps = depsOf(app, clock);
    const damaged = 'd'.repeat(64);
    const removed: string[] = [];
    const blobs: PurgeDeps['blobs'] = {
      ...deps.blobs,
      list: async function* () {
        yield damaged;
        yield* deps.blobs.list();
      },
      get: (sha256) => (sha256 === damaged ? Promise.reject(corrupt(damaged, 'are damaged')) : deps.blobs.get(sha256)),
      delete: async (sha256) => {
        removed.push(sha256);
        await deps.blobs.delete(sha256);
      },
    };
    await deleteSession(deps, GONE, NOW);
    expect(await purgeDeleted({ ...deps, blobs })).toBe('done');
    expect(removed).toContain(damaged);
    expect(await findText(app, CANARY)).toEqual([]);
  });

  it('while an import is running waits for it', async () => {
    await using deletable = await openDeletable(create);
    const { home, program, clock, app } = deletable;
    await using second = await openAt(program, clock);
    await grow(home);
    const deletions: Promise<string>[] = [];
    await app.importNew({
      onProgress: ({ phase }) => {
        if (phase === 'importing' && deletions.length === 0) deletions.push(deleteAndPurge(depsOf(second, clock)));
      },
    });
    expect((await Promise.all(deletions)).join()).toMatch(/^(?:busy|done)$/);
    clock.setMinutes(5);
    await app.sweep();
    await second.sweep();
    await app.importNew();
    expect(await findText(app, CANARY)).toEqual([]);
    expect(await listIds(app)).toEqual([FORK, OTHER]);
  });
});

const DELETE_UNTIL = await bundleScript('delete-until');
const MAX_STEPS = 60;

/** Deletes the session, or continues a deletion, in a process that is killed after this many steps; null if it finished. */
async function dieAfter({ env }: Program, sessionId: string, steps: number): Promise<string | null> {
  const child = spawn(process.execPath, [DELETE_UNTIL.path, sessionId, String(steps)], {
    env: childEnv({ ...DELETE_UNTIL.env, ...env }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  const [code, signal] = await once(child, 'close');
  if (signal !== 'SIGKILL') expect([code, printed]).toEqual([0, 'done\n']);
  return signal === 'SIGKILL' ? null : printed;
}

/** The session is listed and found by a search, or neither. */
async function expectWholeOrGone(app: App, steps: number): Promise<boolean> {
  const isThere = (await listIds(app)).includes(GONE);
  const { sessions } = await app.get('/search', { query: { q: CANARY, limit: 10 } });
  expect([steps, sessions.map(({ session_id }) => session_id)]).toEqual([steps, isThere ? [GONE] : []]);
  return isThere;
}

describe.each(PROGRAMS)('J12: a process on $name that is killed while it deletes', ({ name, create }) => {
  it('leaves a session that is complete or gone after each step, and the next round removes its bytes', async () => {
    using home = createClaudeHome();
    fillHome(home);
    const clock = movableClock();
    await using program = await create(home.path);
    {
      await using app = await openAt(program, clock);
      await importAll(app, home, clock);
    }
    // PostgreSQL has one database, so a transaction is complete or absent.
    const stride = name.startsWith('SQLite') ? 1 : 3;
    let [steps, wasThere] = [0, 0];
    // Each process gets one step further; after the commit, the next round continues by itself.
    for (let target = GONE; (await dieAfter(program, target, steps)) === null; steps += stride) {
      await using app = await openAt(program, clock);
      await expireClaims(app.store.engine);
      // The next round, which indexes sessions that are not indexed.
      await app.importNew();
      await expireClaims(app.store.engine);
      const isThere = await expectWholeOrGone(app, steps);
      if (isThere) wasThere++;
      else if (target === GONE) [target, steps] = ['', -stride];
      expect(steps).toBeLessThan(MAX_STEPS);
    }
    // Between the two files of SQLite, and between the journal and the database.
    expect(wasThere).toBeGreaterThanOrEqual(stride === 1 ? 2 : 1);
    await using app = await openAt(program, clock);
    expect(await findText(app, CANARY)).toEqual([]);
    expect(await listIds(app)).toEqual([FORK, OTHER]);
  });
});

describe.each(PROGRAMS)('J12: a deletion on $name', ({ create }) => {
  it('is removed once by two processes that purge at the same time', async () => {
    using home = createClaudeHome();
    fillHome(home);
    const clock = movableClock();
    await using program = await create(home.path);
    await using app = await openAt(program, clock);
    await importAll(app, home, clock);
    await using second = await openAt(program, clock);
    await deleteSession(depsOf(app, clock), GONE, NOW);
    const outcomes = await Promise.all([purgeDeleted(depsOf(app, clock)), purgeDeleted(depsOf(second, clock))]);
    expect(outcomes).toContain('done');
    expect(await findText(app, CANARY)).toEqual([]);
    await app.importNew();
    expect(await listIds(app)).toEqual([FORK, OTHER]);
  });

  it('removes the files of the session from the Claude home on request, and no others; its fork mentions the deletion', async () => {
    using home = createClaudeHome();
    fillHome(home);
    const clock = movableClock();
    await using program = await create(home.path);
    await using app = await openAt(program, clock);
    await importAll(app, home, clock);
    await deleteSession(depsOf(app, clock), GONE, { ...NOW, transcript: true });
    await app.importNew();
    const left = readdirSync(home.path, { recursive: true }).map(String);
    expect(
      left
        .filter((path) => path.endsWith('.jsonl'))
        .map((path) => basename(path))
        .toSorted(),
    ).toEqual([`${FORK}.jsonl`, `${OTHER}.jsonl`, 'history.jsonl']);
    const { relatives } = await app.get('/sessions/:id/relatives', { params: { id: FORK } });
    expect(relatives).toMatchObject([{ session_id: GONE, is_origin: true, title: null, is_deleted: true }]);
  });
});

async function deleteAndPurge(deps: PurgeDeps): Promise<string> {
  await deleteSession(deps, GONE, NOW);
  return purgeDeleted(deps);
}

async function grow(home: ClaudeHome): Promise<void> {
  home.append(`-home-ada-shop/${GONE}.jsonl`, [createTalk(GONE, { prefix: 'g' }).user(`More ${CANARY}`)]);
}
