import { describe, expect, it } from 'vitest';
import type { SearchAnswer } from '../../src/api/search.ts';
import type { Clock } from '../../src/domain/ports.ts';
import { indexSessionTexts } from '../../src/pipeline/index-session.ts';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { createSearchIndex } from '../../src/store/queries/search/search.ts';
import type { Store } from '../../src/store/store.ts';
import { createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { fixedClock, PROGRAMS } from '../support/programs.ts';
import { NOW, seedSession } from '../support/seed-session.ts';
import { STORES } from '../support/stores.ts';

async function writeNotes({ engine }: Store, sessionId: string, texts: readonly string[]): Promise<void> {
  const rows = texts.map((words, at) => ({
    id: `${sessionId}-${at}`,
    session_id: sessionId,
    text: words,
    created_at: NOW,
    updated_at: NOW,
  }));
  await engine.kysely.deleteFrom('session_notes').where('session_id', '=', sessionId).execute();
  if (rows.length > 0) await engine.kysely.insertInto('session_notes').values(rows).execute();
  await indexSessionTexts(engine, [sessionId]);
}

/** The clock is fixed, so that a busy machine cannot cut a search short. */
const stillClock: Clock = { now: fixedClock.now, monotonicMs: () => 0 };

async function allPages(
  store: Store,
  query: string,
  clock = stillClock,
  placesAStep?: number,
): Promise<SearchAnswer[]> {
  const index = createSearchIndex(store.engine, { placesAStep });
  const pages: SearchAnswer[] = [];
  let cursor: string | null = null;
  do {
    const page: SearchAnswer = await searchSessions(index, { q: query, limit: 20, cursor: cursor ?? undefined }, clock);
    pages.push(page);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return pages;
}

const idsOf = (pages: readonly SearchAnswer[]) => pages.map(({ sessions }) => sessions.map((one) => one.session_id));

describe.each(STORES)('a search on $name', ({ open }) => {
  it('H14: searches the newest places of a common word first, says so, and continues with older ones', async () => {
    await using store = await open();
    const months = ['01', '02', '03', '04', '05'];
    for (const month of months) {
      await seedSession(store, `s${month}`, `2026-${month}-01T10:00:00.000Z`);
      await writeNotes(
        store,
        `s${month}`,
        Array.from({ length: 200 }, (_, at) => `common words ${at}`),
      );
    }
    const pages = await allPages(store, 'common');
    expect(idsOf(pages)).toEqual([['s05', 's04'], ['s03', 's02'], ['s01']]);
    expect(pages.map(({ cut }) => cut)).toEqual(['places', 'places', null]);
    expect(pages.map(({ total }) => total.places)).toEqual([400, 400, 200]);
    const [narrow] = await allPages(store, 'common 7');
    expect(narrow).toMatchObject({ cut: null, total: { sessions: 5, places: 5 } });
  });

  it('stops when the time is up, says so, and continues from there', async () => {
    await using store = await open();
    for (const month of ['01', '02', '03']) {
      await seedSession(store, `s${month}`, `2026-${month}-01T10:00:00.000Z`);
      await writeNotes(
        store,
        `s${month}`,
        Array.from({ length: 100 }, (_, at) => (at === 50 ? 'the needle' : 'hay')),
      );
    }
    let ms = 0;
    const slowClock = { now: fixedClock.now, monotonicMs: () => (ms += 1_500) };
    const pages = await allPages(store, '/n[ae]+d[kl]e/', slowClock);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages[0]?.cut).toBe('time');
    expect(idsOf(pages).flat().toSorted()).toEqual(['s01', 's02', 's03']);
  });

  it('H14: reads a limited number of places per statement and can stop after each', async () => {
    await using store = await open();
    const hay = Array.from({ length: 100 }, () => 'hay');
    for (const month of ['01', '02', '03']) {
      await seedSession(store, `s${month}`, `2026-${month}-01T10:00:00.000Z`);
      await writeNotes(store, `s${month}`, month === '01' ? [...hay, 'the needle'] : hay);
    }
    let ms = 0;
    const slowClock = { now: fixedClock.now, monotonicMs: () => (ms += 2_500) };
    const pages = await allPages(store, '-nowhere tool:Nope', slowClock, 30);
    expect(pages.map(({ cut }) => cut)).toEqual(['time', null]);
    expect(idsOf(await allPages(store, '/n[e]+dle/', slowClock, 30)).flat()).toEqual(['s01']);
    expect(idsOf(await allPages(store, 'hay tool:Nope', slowClock, 30)).flat()).toEqual([]);
  });

  it('finds the current text of a note, not an earlier one', async () => {
    await using store = await open();
    await seedSession(store, 's');
    await writeNotes(store, 's', ['ask the harbour master']);
    const found = async (query: string) => idsOf(await allPages(store, query)).flat();
    expect(await found('harbour')).toEqual(['s']);
    await writeNotes(store, 's', ['ask nobody']);
    expect(await found('harbour')).toEqual([]);
    expect(await found('nobody')).toEqual(['s']);
    await writeNotes(store, 's', []);
    expect(await found('nobody')).toEqual([]);
  });
});

describe.each(PROGRAMS)('a growing session on $name', ({ create }) => {
  it('F14: can be found at any time, before and after its new words are indexed', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    const file = `-home-ada-shop/${id}.jsonl`;
    const talk = createTalk(id);
    using home = createClaudeHome();
    home.write(file, [talk.user('The first question.')]);
    await using program = await create(home.path);
    await using app = await program.open();
    const places = async (query: string) => (await app.get('/search', { query: { q: query, limit: 20 } })).total.places;
    await app.importNew();
    home.append(file, [talk.assistant('msg_1', text('The first answer.'), { input: 1, output: 1 })]);
    await app.importNew({ rowsOnly: true });
    expect(await places('question')).toBe(1);
    expect(await places('answer')).toBe(0);
    await app.importNew();
    expect(await places('question')).toBe(1);
    expect(await places('answer')).toBe(1);
    expect(await places('first')).toBe(2);
  });
});
