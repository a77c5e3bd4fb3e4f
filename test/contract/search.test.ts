import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FoundSession } from '../../src/api/search.ts';
import type { App } from '../../src/app/open-app.ts';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { createSearchIndex } from '../../src/store/queries/search/search.ts';
import { fixedClock, PROGRAMS } from '../support/programs.ts';
import { annotateSearchCorpus, letterOf, writeSearchCorpus } from '../support/search-corpus.ts';
import { useImportedProgram } from '../support/use-program.ts';

/** Every search with the sessions it finds, best first, each with the kinds of its best places. */
const SEARCHES: readonly (readonly [query: string, found: string])[] = [
  ['ferry', 'c title, f prompt answer, e prompt answer, a prompt input'],
  ['ferry timetable', 'a prompt'],
  ['FERRY', 'c title, f prompt answer, e prompt answer, a prompt input'],
  ['timetable', 'c prompt summary, a prompt answer output'],
  ['"ferry timetable"', 'a prompt'],
  ['"timetable ferry"', ''],
  ['ferry -noon', 'c title, a prompt input, f prompt, e prompt'],
  ['-ferry timetable', 'c prompt summary, a answer output'],
  ['timetable OR noon', 'f answer, e answer, c prompt summary, a prompt answer output'],
  ['(timetable OR noon) ferry', 'a prompt, f answer, e answer'],
  ['NOT ferry winter', 'a answer'],
  ['time*', 'c prompt summary, a prompt answer output'],
  ['timet* -ferry', 'c prompt summary, a answer output'],
  ['getUserName', 'a prompt'],
  ['getusername', 'a prompt'],
  ['"user name"', 'a prompt, c answer'],
  ['username', ''],
  ['user', 'a prompt, c answer'],
  ['"get user name"', 'a prompt'],
  ['engine', 'b prompt, a input'],
  ['engine.ts', 'b prompt, a input'],
  ['store/engine', 'b prompt, a input'],
  ['src/store/engine.ts', 'b prompt, a input'],
  ['/home/ada/ferry/src/store/engine.ts', 'a input'],
  ['tore', ''],
  ['*tore/eng', 'b prompt, a input'],
  ['parseLine', 'b prompt'],
  ['parse_line', 'b prompt, a output'],
  ['parse', 'b prompt, a output'],
  ['"parse line"', 'b prompt, a output'],
  ['session_repo', 'c answer'],
  ['session_repo.test.ts', 'c answer'],
  ['HTTPServer2Go', 'c answer'],
  ['server2', 'c answer'],
  ['std::vector', 'c answer'],
  ['2.1.74', 'a answer'],
  ['2.1.7', ''],
  ['cafe', 'b answer'],
  ['café', 'b answer'],
  ['naive', 'b answer'],
  ['日本', 'b answer'],
  ['本語', 'b answer'],
  ['語', 'b answer'],
  ['日本語テスト', 'b answer'],
  ['本日', ''],
  ['✅', 'b answer'],
  ['"permission denied"', 'a output'],
  ['tool:Bash exit:1 "permission denied"', 'a output'],
  ['tool:bash permission', 'a output, b output'],
  ['exit>0', 'a input output'],
  ['exit:0', ''],
  ['error:tool', 'a input output'],
  ['error:api', 'c context'],
  ['error:529', 'c context'],
  ['error:overloaded', 'c context'],
  ['-error:tool permission', 'b prompt output'],
  ['type:prompt ferry', 'f prompt, e prompt, a prompt'],
  ['type:thinking', 'a thinking'],
  ['type:note harbour', 'b note'],
  ['harbour', 'b note, a thinking'],
  ['type:title ferry', 'c title'],
  ['type:summary timetable', 'c summary'],
  ['file:engine.ts', 'a'],
  ['file:ledger', 'b'],
  ['model:sonnet', 'c'],
  ['branch:winter', 'a'],
  ['workspace:ferry', 'a'],
  ['workspace:ferry timetable', 'a prompt answer output'],
  ['device:nowhere', ''],
  ['tag:later', 'b'],
  ['tag:lat*', 'b'],
  ['commit:9fceb', 'a'],
  ['commit:"winter 100%"', 'a'],
  ['commit:"winter 100_"', ''],
  ['has:commit', 'a'],
  ['has:note', 'b'],
  ['has:summary', 'c'],
  ['has:error', 'a, c'],
  ['has:thinking', 'a'],
  ['has:pr', ''],
  ['is:live', 'e'],
  ['is:pinned', 'c'],
  ['is:ended ferry', 'c title, f prompt answer, a prompt input'],
  ['session:bbbb', 'b'],
  ['title:"drop the last"', 'b'],
  ['version:2.1', 'f, e, a, b, c, d, g'],
  ['cost>0.001', 'f, e, a, b, c, d, g'],
  ['cost<0.001', ''],
  ['tokens>500', 'a, b'],
  ['messages>=6', 'a, b'],
  ['duration<3s', 'f, e, c'],
  ['before:2026-10-15', 'c, d, g'],
  ['after:2026-11-06 ferry', 'f prompt answer, e prompt answer, a prompt input'],
  ['after:2d', 'f, e'],
  ['before:2026-10-15 timetable', 'c prompt summary'],
  ['"across thewide border"', 'd output'],
  ['"zero zero one zero"', 'd output'],
  ['lastword', 'd output'],
  ['"one lastword"', 'd output'],
  ['"lastword one"', ''],
  ['/perm\\w+ (denied|granted)/', 'a output, b output'],
  ['/PERMISSION/i type:output', 'a output, b output'],
  ['/PERMISSION/', ''],
  ['*"denied: /var"', 'a output'],
  ['permission /DENIED|granted/i', 'a output, b output'],
  ['/harbour|Naming|timetable\\./', 'c title summary, b note, a thinking output'],
  ['-/ferry|permission/ *timetable', 'c prompt summary, a answer'],
  ['*rows*', 'b input output'],
  ['/across the.*border/', 'd output'],
  ['tool:Read OR type:note', 'a input output, b note'],
  ['(tool:Edit OR noon) -today', 'f answer, e answer, b input output'],
  ['-(ferry OR timetable) type:prompt', 'b prompt, g prompt prompt, d prompt'],
  ['-"permission denied" permission', 'b prompt output'],
  ['a && ferry', 'f prompt answer, e prompt answer'],
  ['foo(bar)', ''],
  ['agent:explore lighthouse', 'g prompt answer'],
  ['agent:* stands', 'g answer'],
  ['-agent:* stands', 'g output'],
  ['lighthouse', 'g prompt answer input'],
  ['has:subagent', 'g'],
  ['has:tag', 'b'],
  ['is:failed', ''],
  ['pr>0', ''],
  ['tool:Task', 'g input output'],
];

/** The clock is fixed, so that a busy machine cannot cut a search short. */
const stillClock = { ...fixedClock, monotonicMs: () => 0 };

const shown = ({ session_id, hits }: FoundSession) => [letterOf(session_id), ...hits.map(({ kind }) => kind)].join(' ');

describe.each(PROGRAMS)('the search corpus on $name', ({ create }) => {
  const world = useImportedProgram(create, writeSearchCorpus);
  let app: App;
  const search = (query: string) => app.get('/search', { query: { q: query, limit: 20 } });

  beforeAll(async () => {
    ({ app } = world);
    await annotateSearchCorpus(app);
  });

  it.each(SEARCHES)('%s', async (query, found) => {
    const { sessions, cut, next_cursor } = await search(query);
    expect(sessions.map(shown).join(', ')).toBe(found);
    expect({ cut, next_cursor }).toEqual({ cut: null, next_cursor: null });
  });

  it('H14: finds the same in small steps and without an index', async () => {
    const { engine, reader } = app.store;
    const inSteps = createSearchIndex(reader, { placesAStep: 2 });
    const all = async () => {
      for (const [query, found] of SEARCHES) {
        const { sessions, cut } = await searchSessions(inSteps, { q: query, limit: 20 }, stillClock);
        expect([query, sessions.map(shown).join(', '), cut]).toEqual([query, found, null]);
      }
    };
    await all();
    expect(await engine.hasTextIndex()).toBe(engine.supportsTextIndex);
    if (!engine.supportsTextIndex) return;
    await sql`DROP INDEX content_blocks_trigrams`.execute(engine.kysely);
    expect(await engine.hasTextIndex()).toBe(false);
    await all();
  });

  it('returns the facts of a session and its places with the matches marked', async () => {
    const { sessions, total } = await search('tool:Bash "permission denied"');
    expect(total).toEqual({ sessions: 1, places: 1 });
    expect(sessions[0]).toMatchObject({
      title: 'The ferry timetable is off by one hour in winter',
      workspace_name: 'ferry',
      started_at: '2026-11-10T10:00:01.000Z',
      git_branch: 'feature/winter-times',
      model: 'claude-opus-4-6',
      places: 1,
    });
    const [hit] = sessions[0]?.hits ?? [];
    expect(hit).toMatchObject({ kind: 'output', tool_name: 'Bash', ordinal: expect.any(Number) });
    expect(hit?.snippet).toBe('Exit code 1 cp: permission denied: /var/lib/timetable.db');
    expect(hit?.highlights.map(([from, to]) => hit.snippet.slice(from, to))).toEqual(['permission denied']);
  });

  it('marks folded and joined words at the right position', async () => {
    const { sessions } = await search('cafe 日本語 ✅');
    const [hit] = sessions[0]?.hits ?? [];
    expect(hit?.highlights.map(([from, to]) => hit.snippet.slice(from, to))).toEqual(['Café', '✅', '日本語']);
  });

  it('pages of results contain each session once and add up to all results', async () => {
    const whole = (await search('ferry OR permission')).sessions.map(({ session_id }) => session_id);
    expect(whole.length).toBeGreaterThan(3);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await app.get('/search', {
        query: { q: 'ferry OR permission', limit: 1, ...(cursor ? { cursor } : {}) },
      });
      seen.push(...page.sessions.map(({ session_id }) => session_id));
      expect(page.total.sessions).toBe(whole.length);
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(whole);
  });

  it('searches without text have pages too', async () => {
    const first = await app.get('/search', { query: { q: 'version:2', limit: 4 } });
    const rest = await app.get('/search', { query: { q: 'version:2', limit: 4, cursor: first.next_cursor ?? '' } });
    expect([...first.sessions, ...rest.sessions].map(shown)).toEqual(['f', 'e', 'a', 'b', 'c', 'd', 'g']);
    expect(rest.next_cursor).toBeNull();
  });

  it('H15: a foreign cursor is rejected with a message', async () => {
    for (const cursor of ['', 'x', 'bnVsbA', btoa('[1]'), btoa('["2026-11-15T12:00:00.000Z",null,1,"x","y"]')]) {
      const asked = app.get('/search', { query: { q: 'ferry', cursor, limit: 20 } });
      await expect(asked, cursor).rejects.toMatchObject({ code: 'usage' });
    }
  });
});
