import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { FIELDS, type Field, type FieldName } from '../../src/domain/session-fields.ts';
import { openApiProgram } from '../support/api-program.ts';
import { createClaudeHome } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { annotateSearchCorpus, writeSearchCorpus } from '../support/search-corpus.ts';

type Get = Pick<App, 'get'>['get'];

/** Values that find something in one of the corpora, besides the example and all choices. */
const MORE_VALUES: Partial<Record<FieldName, readonly string[]>> = {
  tool: ['bash', 'Read', 'Tas*', 'mcp*', 'no-such-tool'],
  exit: ['0', '>0', '<=1'],
  error: ['tool', 'denied', 'interrupted', 'user', 'api', '529', 'overloaded'],
  agent: ['*', 'Explore', 'general*'],
  file: ['.ts', 'engine', '%'],
  model: ['claude', 'OPUS', 'sonnet', 'claude-opus*', '_', '['],
  branch: ['main', 'winter', 'feature'],
  workspace: ['ferry', 'FERRY', 'a', 'nowhere'],
  device: ['a', 'nowhere'],
  session: ['b', 'aaaa'],
  title: ['e', 'Ferry', 'two words'],
  tag: ['later', 'LATER', 'lat*', 'x'],
  commit: ['9fceb', 'winter 100%', 'fix'],
  pr: ['>0', '1'],
  version: ['2', '2.1', '1'],
  speed: ['standard', 'fast'],
  tier: ['standard', 'pri*'],
  cost: ['>0', '>=0.01', '<1', '0'],
  tokens: ['>1k', '<=500'],
  messages: ['>5', '<3'],
  duration: ['>1min', '<1h'],
  before: ['2026-11-01', 'today', '2026'],
  after: ['2026-11', '7d', '3mo', '12h', 'monday'],
  ended_before: ['today', '2026-11-14T10:00'],
  ended_after: ['1y', '30min'],
  used_before: ['today', '2026-11-14T10:00', '2020'],
  used_after: ['1y', '2026-11', '30min'],
  used_branch: ['main', 'feature', '=main'],
};

const CASES = Object.entries<Field>(FIELDS).flatMap(([name, { values }]) => {
  const given = values === undefined ? (MORE_VALUES[name as FieldName] ?? []) : Object.keys(values);
  return given.map((value) => ({ field: name as FieldName, value }));
});

const written = (field: string, value: string) => `${field}:${/[\s"]/.test(value) ? `"${value}"` : value}`;

async function search(get: Get, q: string, all = false): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await get('/search', { query: { q, limit: 100, cursor, all } });
    ids.push(...page.sessions.map(({ session_id }) => session_id));
    if (cursor === undefined) expect(page.total.sessions).toBeGreaterThanOrEqual(ids.length);
    cursor = page.next_cursor ?? undefined;
    if (cursor === undefined) expect(page.total.sessions).toBe(ids.length);
  } while (cursor !== undefined);
  return ids;
}

const list = async (get: Get, query: Readonly<Record<string, string>>, all = false) =>
  (await get('/sessions', { query: { limit: 200, all, ...query } })).sessions.map(({ id }) => id);

const listOrNone = (get: Get, query: Readonly<Record<string, string>>, all = false) =>
  list(get, query, all).catch((error: unknown) => {
    // A parameter must name an existing workspace or device; a search for an unknown one just finds nothing.
    expect(error).toMatchObject({ code: 'not_found' });
    return [] as string[];
  });

/** The corpus of the search tests, and the demo through its HTTP API. */
const HOMES = [
  {
    home: 'the search corpus',
    open: async (stack: AsyncDisposableStack, { create }: (typeof PROGRAMS)[number]): Promise<Get> => {
      const home = stack.use(createClaudeHome());
      writeSearchCorpus(home);
      const app = stack.use(await stack.use(await create(home.path)).open());
      await app.importNew();
      await annotateSearchCorpus(app);
      return app.get;
    },
  },
  {
    home: 'the demo over HTTP',
    open: async (stack: AsyncDisposableStack, program: (typeof PROGRAMS)[number]): Promise<Get> =>
      stack.use(await openApiProgram(program)).client.get as unknown as Get,
  },
];

describe.each(PROGRAMS.flatMap((program) => HOMES.map((home) => ({ program, name: program.name, ...home }))))(
  'filters and searches of $home on $name',
  ({ program, open }) => {
    const stack = new AsyncDisposableStack();
    let get: Get;
    beforeAll(async () => {
      get = await open(stack, program);
    });
    afterAll(() => stack.disposeAsync());

    it('has a value to try for every field', () => {
      const tried = new Set(CASES.map(({ field }) => field));
      expect(Object.keys(FIELDS).filter((name) => !tried.has(name as FieldName))).toEqual([]);
    });

    it('give the same sessions for every field and value', async () => {
      const everything = await list(get, {});
      const foundBy = new Set<string>();
      for (const { field, value } of CASES) {
        const q = written(field, value);
        const found = await search(get, q);
        expect({ q, ids: await list(get, { q }) }).toEqual({ q, ids: found });
        expect({ q, ids: await listOrNone(get, { [field]: value }) }).toEqual({ q, ids: found });
        expect({ q, ids: await list(get, { q }, true) }).toEqual({ q, ids: await search(get, q, true) });
        if (found.length > 0 && found.length < everything.length) foundBy.add(field);
        if (field === 'session') continue;
        const others = everything.filter((id) => !found.includes(id));
        expect({ q: `-${q}`, ids: await search(get, `-${q}`) }).toEqual({ q: `-${q}`, ids: others });
      }
      expect(foundBy.size).toBeGreaterThan(10);
    });

    it('give the same sessions for any combination of fields', async () => {
      const field = fc.constantFrom(...CASES).map((one) => written(one.field, one.value));
      const { tree } = fc.letrec<{ tree: string }>((tie) => ({
        tree: fc.oneof(
          { maxDepth: 3 },
          field,
          fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `${a} ${b}`),
          fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `(${a} OR ${b})`),
          tie('tree').map((inner) => `-(${inner})`),
        ),
      }));
      await fc.assert(
        fc.asyncProperty(tree, async (q) => {
          expect(await list(get, { q })).toEqual(await search(get, q));
        }),
        { numRuns: 60 },
      );
    });

    it('and reports cover the same sessions', async () => {
      for (const [field, value] of [
        ['has', 'subagent'],
        ['tool', 'Bash'],
        ['model', 'opus'],
      ] as const) {
        const ids = await list(get, { [field]: value });
        const { items } = await get('/timeline', { query: { [field]: value, limit: 200 } });
        expect(items.map((item) => (item.kind === 'session' ? item.session.id : 'git'))).toEqual(ids);
        const { tools } = await get('/tools', { query: { [field]: value, limit: 100 } });
        expect(Math.max(0, ...tools.map(({ sessions }) => sessions))).toBeLessThanOrEqual(ids.length);
      }
      const ids = await list(get, { has: 'subagent' });
      const { rows } = await get('/usage', { query: { has: 'subagent', by: ['session'], zone: 'UTC' } });
      expect(rows.map(({ group }) => group.session).toSorted()).toEqual(ids.toSorted());
    });

    it('match the items of a list, not its punctuation', async () => {
      for (const value of ['[', ']', ',', '"', '", "']) {
        expect({ value, ids: await list(get, { model: value }) }).toEqual({ value, ids: [] });
        expect({ value, ids: await list(get, { speed: value }) }).toEqual({ value, ids: [] });
      }
      expect(await list(get, { model: 'opus' })).not.toEqual([]);
    });

    it('fields about a call must match the same call', async () => {
      const both = await list(get, { q: 'tool:Bash error:tool' });
      expect(await list(get, { tool: 'Bash', error: 'tool' })).toEqual(both);
      expect(await list(get, { q: 'tool:Bash has:error' })).toEqual(expect.arrayContaining(both));
    });

    it('several values must all match, or any of them if a session has only one', async () => {
      const [commit, error] = [await list(get, { has: 'commit' }), await list(get, { has: 'error' })];
      expect(await list(get, { has: 'commit,error' })).toEqual(commit.filter((id) => error.includes(id)));
      expect(await search(get, 'has:commit,error')).toEqual(commit.filter((id) => error.includes(id)));
      const states = ['parsed', 'summarized'].map((state) => list(get, { lifecycle: state }));
      const either = (await Promise.all(states)).flat();
      expect((await list(get, { lifecycle: 'parsed,summarized' })).toSorted()).toEqual(either.toSorted());
      expect(await list(get, { has: 'branch' })).toEqual(await search(get, 'has:rewind'));
    });

    it.each([
      [{ has: 'nope' }, 'usage', /^Unknown value "nope" for has\. Valid values: commit, pr, error/],
      [{ is: 'live,odd' }, 'usage', /^Unknown value "odd" for is\. Valid values: live, ended/],
      [{ lifecycle: 'parsed,gone' }, 'usage', /^Unknown value "gone" for lifecycle\./],
      [{ kind: 'fun' }, 'usage', /^Unknown value "fun" for kind\. Valid values: debugging/],
      [{ after: 'soon' }, 'usage', /^Invalid date "soon" for after\./],
      [{ before: '3m' }, 'usage', /^Ambiguous date "3m" for before: m could be minutes or months\./],
      [{ cost: 'much' }, 'usage', /^Invalid number "much" for cost\./],
      [{ q: 'has:nope' }, 'bad_query', /at character 5: unknown value "nope" for has\. Valid values/],
      [{ q: 'ferry' }, 'bad_query', /^Sessions are filtered by fields/],
      [{ workspace: 'nowhere' }, 'not_found', /nowhere/],
    ])('reject %j', async (query, code, message) => {
      await expect(list(get, query as Record<string, string>)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      });
    });
  },
);
