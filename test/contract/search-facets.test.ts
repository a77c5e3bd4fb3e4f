import { beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { VALUE_FIELDS, type ValueField } from '../../src/domain/session-fields.ts';
import { formatTerm } from '../../src/reading/query/terms.ts';
import { countMatches } from '../../src/search/count-matches.ts';
import { parseQuery } from '../../src/search/parse-query.ts';
import { findSessionHits } from '../../src/search/session-hits.ts';
import { createSearchIndex } from '../../src/store/queries/search/search.ts';
import { createClaudeHome } from '../support/claude-home.ts';
import { fixedClock, PROGRAMS } from '../support/programs.ts';
import { annotateSearchCorpus, idOf, writeSearchCorpus } from '../support/search-corpus.ts';
import { useImportedProgram } from '../support/use-program.ts';

describe.each(PROGRAMS)('known values and facets on $name', ({ create }) => {
  const world = useImportedProgram(create, writeSearchCorpus);
  let app: App;
  const values = async (field: ValueField, contains?: string) =>
    (await app.get('/search/values', { query: { field, limit: 20, ...(contains ? { contains } : {}) } })).values.map(
      ({ value, sessions }) => `${value} ${sessions}`,
    );

  beforeAll(async () => {
    ({ app } = world);
    await annotateSearchCorpus(app);
  });

  it('lists the values of a field, most frequent first', async () => {
    expect(await values('tool')).toEqual(['Bash 3', 'Edit 1', 'Read 1', 'Task 1']);
    expect(await values('model')).toEqual(['claude-opus-4-6 6', 'claude-sonnet-4-5-20250929 1']);
    expect(await values('branch')).toContain('feature/winter-times 1');
    expect(await values('tag')).toEqual(['Later 1']);
    expect(await values('agent')).toEqual(['Explore 1']);
    expect(await values('has')).toContain('commit 1');
    expect(await values('file', 'ENGINE')).toEqual(['/home/ada/ferry/src/store/engine.ts 1']);
    expect(await values('file', '%')).toEqual([]);
  });

  it('reports that there are more values', async () => {
    const answer = await app.get('/search/values', { query: { field: 'tool', limit: 2 } });
    expect([answer.values.length, answer.has_more]).toEqual([2, true]);
  });

  it('counts what a search for the value finds', async () => {
    for (const field of VALUE_FIELDS) {
      const answer = await app.get('/search/values', { query: { field, limit: 200 } });
      for (const { value, sessions } of answer.values) {
        const query = formatTerm(field, value) ?? '';
        const { total } = await app.get('/search', { query: { q: query, limit: 1 } });
        expect([query, total.sessions]).toEqual([query, sessions]);
      }
    }
  });

  it('facets find as many sessions as counted when they are added to the search', async () => {
    for (const q of ['ferry', 'timetable OR permission', '/perm\\w+/', 'has:error', 'tool:Bash']) {
      const report = await app.get('/search/facets', { query: { q } });
      const { total } = await app.get('/search', { query: { q, limit: 20 } });
      expect([q, report.sessions, report.places, report.is_complete]).toEqual([q, total.sessions, total.places, true]);
      const added = (term: string | null) =>
        app.get('/search', { query: { q: `${term} ${q.includes(' OR ') ? `(${q})` : q}`, limit: 20 } });
      for (const { field, values: counted } of report.facets)
        for (const { value, sessions } of counted)
          expect([q, field, value, (await added(formatTerm(field, value))).total.sessions]).toEqual([
            q,
            field,
            value,
            sessions,
          ]);
      for (const { value, places } of report.types)
        expect([q, value, (await added(`type:${value}`)).total.places]).toEqual([q, value, places]);
      for (const { value, places } of report.tools)
        expect([q, value, (await added(`tool:${value}`)).total.places]).toEqual([q, value, places]);
    }
  });

  it('gives all hits of a session in order, as many as the search counts', async () => {
    for (const q of ['ferry', 'timetable OR permission', 'zero', 'exit>0', 'tool:Bash', '/perm\\w+/']) {
      const { sessions } = await app.get('/search', { query: { q, limit: 20 } });
      expect(sessions.length).toBeGreaterThan(0);
      for (const { session_id, places, hits } of sessions) {
        const all = await app.get('/sessions/:id/hits', { params: { id: session_id }, query: { q, limit: 500 } });
        expect([q, all.total, all.hits.length, all.is_complete]).toEqual([q, places, places, true]);
        const positions = all.hits.map(({ ordinal, block }) => (ordinal ?? -1) * 1_000 + (block ?? 0));
        expect(positions).toEqual(positions.toSorted((a, b) => a - b));
        // For a long text, the search may show another part.
        for (const { kind, message_id } of hits)
          expect(all.hits).toContainEqual(expect.objectContaining({ kind, message_id }));
      }
    }
    const none = await app.get('/sessions/:id/hits', {
      params: { id: idOf('b') },
      query: { q: 'lighthouse', limit: 9 },
    });
    expect([none.hits, none.total, none.is_complete]).toEqual([[], 0, true]);
  });

  it('returns the terms to mark in a session', async () => {
    const q = 'cafe -noon (日本 OR "last row"*) /Row?/i *part* type:answer';
    const { terms } = await app.get('/sessions/:id/hits', { params: { id: idOf('b') }, query: { q, limit: 9 } });
    expect(terms).toEqual([
      { kind: 'text', words: ['cafe'], is_prefix: false },
      { kind: 'text', words: ['日本'], is_prefix: false },
      { kind: 'text', words: ['last', 'row'], is_prefix: true },
      { kind: 'pattern', source: 'Row?', is_regex: true, is_case_sensitive: false },
      { kind: 'pattern', source: 'part', is_regex: false, is_case_sensitive: false },
    ]);
  });

  it('describes the calls of hits, and keeps line breaks on request', async () => {
    const find = async (q: string, lines: boolean) =>
      (await app.get('/search', { query: { q, limit: 20, lines } })).sessions.flatMap(({ hits }) => hits);
    const [output] = await find('"permission denied"', true);
    expect(output).toMatchObject({
      call: { subject: 'npm test', status: 'error', exit_code: 1 },
      input_field: null,
      snippet: 'Exit code 1\ncp: permission denied: /var/lib/timetable.db',
    });
    expect(output?.highlights.map(([from, to]) => output.snippet.slice(from, to))).toEqual(['permission denied']);
    const edit = (await find('rows type:input', false))[0];
    expect([edit?.input_field, edit?.call?.subject]).toEqual(['new_string', '/home/ada/shop/ledger.ts']);
    expect((await find('"wc l"', false))[0]?.input_field).toBe('command');
  });

  it('sorts by time on request, page by page', async () => {
    const q = 'ferry OR permission';
    const whole = await app.get('/search', { query: { q, limit: 20, sort: 'time' } });
    const times = whole.sessions.map(({ started_at }) => started_at);
    expect(times).toEqual(times.toSorted().toReversed());
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await app.get('/search', { query: { q, limit: 2, sort: 'time', ...(cursor ? { cursor } : {}) } });
      seen.push(...page.sessions.map(({ session_id }) => session_id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(whole.sessions.map(({ session_id }) => session_id));
  });
});

/** H14: results omitted because of the time limit are reported. */
describe.each(PROGRAMS)('limits on $name', ({ create }) => {
  it('reports incomplete counts and hits when the time is up', async () => {
    await using stack = new AsyncDisposableStack();
    const home = stack.use(createClaudeHome());
    writeSearchCorpus(home);
    const program = stack.use(await create(home.path));
    const app = stack.use(await program.open());
    await app.importNew();
    let nowMs = 0;
    const hurried = { ...fixedClock, monotonicMs: () => (nowMs += 1_500) };
    const index = createSearchIndex(app.store.reader, { placesAStep: 1 });
    const node = parseQuery('/e/', { now: fixedClock.now() });
    const counted = await countMatches(index, node, hurried);
    expect([counted.is_complete, counted.places < 5]).toEqual([false, true]);
    nowMs = 0;
    const hits = await findSessionHits(index, idOf('a'), { q: '/e/', limit: 500 }, hurried, {});
    expect(hits.is_complete).toBe(false);
  });
});
