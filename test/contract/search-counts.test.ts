import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import type { Clock } from '../../src/domain/ports.ts';
import type { SearchIndex } from '../../src/domain/search.ts';
import { countMatches } from '../../src/search/count-matches.ts';
import { parseQuery } from '../../src/search/parse-query.ts';
import { createSearchIndex } from '../../src/store/queries/search/search.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { fixedClock, PROGRAMS } from '../support/programs.ts';
import { annotateSearchCorpus, writeSearchCorpus } from '../support/search-corpus.ts';
import { scaled } from '../support/sizes.ts';

const USAGE = { input: 1, output: 1 };
const LONG = '11111111-2222-4333-8444-555555555555';
const GROWING = '22222222-2222-4333-8444-555555555555';
const LONG_LINES = 4_000;

/** The clock is fixed, so that a busy machine cannot cut a count short. */
const stillClock: Clock = { now: fixedClock.now, monotonicMs: () => 0 };

function writeSessions(home: ClaudeHome): void {
  writeSearchCorpus(home);
  const long = createTalk(LONG, { prefix: '1' });
  const lines = Array.from({ length: LONG_LINES }, (_, at) => `${at} the ferry waits`);
  home.write(`-home-ada-long/${LONG}.jsonl`, [
    long.user('Call getUser setName and userName again.'),
    long.assistant('msg_1', toolUse('toolu_1', 'Bash', { command: 'cat ferry.log' }), USAGE),
    long.result('toolu_1', [...lines, 'the last timetable'].join('\n')),
    // PostgreSQL cannot store the positions of this many words.
    long.assistant('msg_2', text(`${'tick '.repeat(300)}tock`), USAGE),
  ]);
  const growing = createTalk(GROWING, { prefix: '2' });
  home.write(`-home-ada-shop/${GROWING}.jsonl`, [growing.user('The ferry timetable, please.')]);
}

describe.each(PROGRAMS)('counting matches on $name', ({ create }) => {
  const stack = new AsyncDisposableStack();
  let app: App;

  beforeAll(async () => {
    const home = stack.use(createClaudeHome());
    writeSessions(home);
    app = stack.use(await stack.use(await create(home.path)).open());
    await app.importNew();
    await annotateSearchCorpus(app);
    const more = createTalk(GROWING, { prefix: '3' });
    home.append(`-home-ada-shop/${GROWING}.jsonl`, [more.assistant('msg_3', text('The ferry leaves at noon.'), USAGE)]);
    await app.importNew({ rowsOnly: true });
  });
  afterAll(() => stack.disposeAsync());

  const count = (index: SearchIndex, query: string) =>
    countMatches(index, parseQuery(query, { now: fixedClock.now() }), stillClock);
  const indexOf = (documentsAStep?: number) => createSearchIndex(app.store.reader, { documentsAStep });

  // Separated by blanks; `_` is a blank inside a phrase.
  const terms = `ferry timetable permission name per* 日本 café getUserName tock noon the "user_name" "user_set" "get_user"
    engine.ts "the_ferry" "the_last" "tick_tock" "user_n"* -timetable -name -"user_name" -tool:Bash tool:Bash type:output
    type:prompt has:error exit>0 model:opus after:2026-10-15 /n[ao]/`;
  const term = fc.constantFrom(...terms.split(/\s+/).map((one) => one.replaceAll('_', ' ')));
  const query = fc
    .array(
      fc.oneof(
        term,
        fc.array(term, { minLength: 2, maxLength: 3 }).map((terms) => `(${terms.join(' OR ')})`),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((terms) => `${terms.join(' ')} (ferry OR name OR "the")`);

  it('gives the same counts with and without reading the texts', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.constantFrom(undefined, 1, 7, 40), async (asked, documentsAStep) => {
        const index = indexOf(documentsAStep);
        const counted = await count(index, asked);
        const read = await count({ ...index, countPlaces: async () => null }, asked);
        const sorted = ({ sessionIds, ...rest }: typeof read) => ({ ...rest, sessionIds: sessionIds.toSorted() });
        expect(sorted(counted)).toEqual(sorted(read));
      }),
      { numRuns: scaled(60) },
    );
  });

  it.each([
    ['words', 'ferry type:output'],
    ['a phrase', '"permission denied" type:output'],
    ['parts of names', '"user name" type:prompt -timetable'],
    ['a choice', '("permission denied" OR granted) tool:Bash'],
  ])('reads no text to count %s', async (_, asked) => {
    const index = indexOf();
    const readTexts = async () => {
      throw new Error('a text was read');
    };
    const { places, is_complete } = await count({ ...index, readTexts }, asked);
    expect([places > 0, is_complete]).toEqual([true, true]);
  });

  it('counts a text of several parts once', async () => {
    const { places, types, tools } = await count(indexOf(), 'ferry waits');
    expect([places, types, tools]).toEqual([1, [{ value: 'output', places: 1 }], [{ value: 'Bash', places: 1 }]]);
  });

  it('does not count a phrase that spans two names', async () => {
    expect((await count(indexOf(), '"user set"')).places).toBe(0);
  });

  it('reports incomplete counts when the time is up', async () => {
    let nowMs = 0;
    const hurried: Clock = { ...fixedClock, monotonicMs: () => (nowMs += 1_500) };
    const node = parseQuery('ferry', { now: fixedClock.now() });
    const all = await countMatches(indexOf(1), node, stillClock);
    const some = await countMatches(indexOf(1), node, hurried);
    expect([all.is_complete, some.is_complete, some.places < all.places]).toEqual([true, false, true]);
  });
});
