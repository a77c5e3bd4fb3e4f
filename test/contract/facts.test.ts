import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROGRAMS } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';
import { useImportedProgram } from '../support/use-program.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const FIXTURE = join(import.meta.dirname, '../../src/transcript/fixtures/facts.jsonl');

describe.each(PROGRAMS)('facts of a session in rows ($name)', ({ create }) => {
  const used = useImportedProgram(create, (home) => {
    home.write(`-home-dev-app/${ID}.jsonl`, readFileSync(FIXTURE));
  });

  const page = { limit: 100 };
  const show = async (...words: string[]) =>
    (await runCommand(['session', ID, ...words], { config: used.program.config, openApp: () => used.program.open() }))
      .out;

  it('every message says which client wrote it and under which permission mode', async () => {
    const { messages } = await used.app.get('/sessions/:id/transcript', { params: { id: ID }, query: page });
    const [prompt] = messages.filter(({ origin }) => origin === 'human');
    expect(prompt).toMatchObject({
      cc_version: '2.1.325',
      entrypoint: 'cli',
      user_type: 'external',
      team_name: 'crew',
      permission_mode: 'default',
      metadata: { thinkingMetadata: { level: 'high' }, todos: [{ content: 'before' }] },
    });
    const missed = messages.filter(({ cache_miss_reason }) => cache_miss_reason !== null);
    expect(missed).toMatchObject([{ cache_miss_reason: 'tools_changed', cache_missed_tokens: 1234 }]);
    expect(await show('--transcript', '--full')).toContain('cache miss: tools changed');
  });

  it('request settings are stored, shown and usable as filters', async () => {
    const { messages } = await used.app.get('/sessions/:id/transcript', { params: { id: ID }, query: page });
    expect(messages.find(({ speed }) => speed === 'fast')).toMatchObject({
      service_tier: 'priority',
      inference_geo: 'global',
      iterations: 2,
      web_searches: 2,
      web_fetches: 1,
      thinking_tokens: 2,
    });
    const { sessions } = await used.app.get('/sessions', { query: { limit: 50 } });
    expect(sessions).toMatchObject([
      {
        service_tiers: ['standard', 'priority'],
        speeds: ['standard', 'fast'],
        inference_geos: ['global'],
        web_searches: 2,
        web_fetches: 1,
      },
    ]);
    for (const filter of [{ speed: 'fast' }, { tier: 'priority' }, { speed: 'standard', tier: 'standard' }])
      expect((await used.app.get('/sessions', { query: { ...filter, limit: 5 } })).sessions).toHaveLength(1);
    for (const filter of [{ speed: 'fas' }, { tier: 'batch' }])
      expect((await used.app.get('/sessions', { query: { ...filter, limit: 5 } })).sessions).toEqual([]);
    expect(
      (await used.app.get('/search', { query: { q: 'speed:fast tier:priority', limit: 20 } })).sessions,
    ).toHaveLength(1);
    expect((await used.app.get('/search', { query: { q: 'speed:warp', limit: 20 } })).sessions).toEqual([]);
    expect(await show()).toContain('fast, 2 web searches, 1 web fetch');
  });

  it('denied calls say who denied them, and the lists show what happened', async () => {
    const query = { ...page, denial: ['hook'] } as const;
    const { tool_calls: rows } = await used.app.get('/sessions/:id/tool-calls', { params: { id: ID }, query });
    expect(rows.map(({ id, status, caller }) => [id, status, caller])).toEqual([
      ['td2', 'denied', 'direct'],
      ['d_hook', 'denied', 'direct'],
      ['d_old_hook', 'denied', 'direct'],
    ]);
    const out = await show('--transcript');
    for (const words of ['denied by the user', 'denied by a rule', 'blocked by a hook', 'interrupted'])
      expect(out).toContain(words);
    const found = await used.app.get('/search', { query: { q: 'error:hook secrets', limit: 20 } });
    expect(found.sessions).toHaveLength(1);
    expect(await show('--todos')).toMatch(/todo +in_progress +one[^]*task +in_progress +Sweep/);
    expect(await show('--skills')).toMatch(/greet +model +Ada[^]*tidy +person +the desk/);
    expect(await show('--worktrees')).toContain('worktree-side');
    expect(await show('--plans')).toContain('# The plan\n1. Sweep');
    const { todos } = JSON.parse(await show('--todos', '--json')) as { todos: { text: string }[] };
    expect(todos.map(({ text }) => text)).toEqual(['one', 'two', 'Sweep']);
  });

  it('questions are kept with their options and answers', async () => {
    const { questions: rows } = await used.app.get('/sessions/:id/questions', { params: { id: ID }, query: page });
    expect(rows).toMatchObject([
      {
        question: 'Which colour?',
        is_multi_select: false,
        chosen: ['Blue'],
        notes: 'like the sky',
        status: 'answered',
      },
      { question: 'Which sizes?', is_multi_select: true, chosen: ['M, slim', 'L', 'also XXL'] },
      { question: 'Why?', status: 'declined', answer: null },
    ]);
    expect(rows[0]?.options).toEqual([
      { label: 'Red', description: 'r' },
      { label: 'Blue', description: 'b' },
    ]);
    expect(await show('--questions')).toContain('● Blue\n  Answer: Blue\n  Notes: like the sky');
  });
});
