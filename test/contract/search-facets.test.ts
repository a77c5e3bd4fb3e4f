import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { formatTerm } from '../../src/domain/query-terms.ts';
import { VALUE_FIELDS, type ValueField } from '../../src/domain/session-fields.ts';
import { createClaudeHome } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { annotateSearchCorpus, writeSearchCorpus } from '../support/search-corpus.ts';

describe.each(PROGRAMS)('known values and facets on $name', ({ create }) => {
  const stack = new AsyncDisposableStack();
  let app: App;
  const values = async (field: ValueField, contains?: string) =>
    (await app.get('/search/values', { query: { field, limit: 20, ...(contains ? { contains } : {}) } })).values.map(
      ({ value, sessions }) => `${value} ${sessions}`,
    );

  beforeAll(async () => {
    const home = stack.use(createClaudeHome());
    writeSearchCorpus(home);
    const program = stack.use(await create(home.path));
    app = stack.use(await program.open());
    await app.importNew();
    await annotateSearchCorpus(app);
  });
  afterAll(() => stack.disposeAsync());

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

  it('says when there are more values', async () => {
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
});
