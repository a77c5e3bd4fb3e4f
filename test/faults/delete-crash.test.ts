import { describe, expect, it } from 'vitest';
import { deleteSession } from '../../src/app/deletion/deletions.ts';
import { purgeDeleted, type PurgeDeps } from '../../src/app/deletion/purge.ts';
import type { App } from '../../src/app/open-app.ts';
import type { Clock } from '../../src/domain/ports.ts';
import { type ClaudeHome, createClaudeHome, createTalk } from '../support/claude-home.ts';
import {
  CANARY,
  fillHome,
  FORK,
  GONE,
  importAll,
  listIds,
  movableClock,
  openAt,
  OTHER,
} from '../support/deletable-home.ts';
import { findText } from '../support/find-text.ts';
import { PROGRAMS } from '../support/programs.ts';

class Killed extends Error {}

/** Stops the work at its nth step outside this process: a write, a transaction, a blob, a line of the journal. */
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
    using home = createClaudeHome();
    fillHome(home);
    const clock = movableClock();
    await using program = await create(home.path);
    await using app = await openAt(program, clock);
    await importAll(app, home, clock);
    const deps = depsOf(app, clock);
    // Each run gets a little further than the last one; the first does nothing at all.
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

  it('by an import that runs at the same time waits for it', async () => {
    using home = createClaudeHome();
    fillHome(home);
    const clock = movableClock();
    await using program = await create(home.path);
    await using app = await openAt(program, clock);
    await importAll(app, home, clock);
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

async function deleteAndPurge(deps: PurgeDeps): Promise<string> {
  await deleteSession(deps, GONE, NOW);
  return purgeDeleted(deps);
}

async function grow(home: ClaudeHome): Promise<void> {
  home.append(`-home-ada-shop/${GONE}.jsonl`, [createTalk(GONE, { prefix: 'g' }).user(`More ${CANARY}`)]);
}
