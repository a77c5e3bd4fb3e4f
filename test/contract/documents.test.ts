import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';

const typed = (sessionId: string, display: string, pasted: object = {}) =>
  `${JSON.stringify({ display, pastedContents: pasted, timestamp: 1_793_620_800_000, project: '/p', sessionId })}\n`;

// Regression: these files were archived, but neither shown nor searchable; debug logs were not archived.
describe.each(PROGRAMS)('files beside a transcript ($name)', ({ create }) => {
  it('are shown with their session and can be searched', async () => {
    using home = createClaudeHome();
    const put = (path: string, text: string) => {
      mkdirSync(dirname(join(home.path, path)), { recursive: true });
      writeFileSync(join(home.path, path), text);
    };
    for (const id of [ID, OTHER]) {
      const slug = id === ID ? 'calm-fox' : 'loud-owl';
      home.write(`-home-ada-shop/${id}.jsonl`, [{ ...createTalk(id, { prefix: id[0] }).user('Hello'), slug }]);
    }
    put('plans/calm-fox.md', '# Zanzibar plan\n\n1. Sweep\n');
    put(`todos/${ID}-agent-${ID}.json`, JSON.stringify([{ content: 'polish the quokka', status: 'pending' }]));
    put(
      `tasks/${ID}/1.json`,
      JSON.stringify({ id: '1', subject: 'Feed the axolotl', description: 'Twice', status: 'open' }),
    );
    put(`projects/-home-ada-shop/${ID}/session-memory/summary.md`, 'The narwhal likes blue.\n');
    put(`debug/${ID}.txt`, 'a line of the debug log\n');
    const pasted = { 1: { id: 1, type: 'text', content: 'pasted okapi' } };
    put('history.jsonl', typed(ID, 'Hello') + typed(ID, 'never sent tapir', pasted) + typed(OTHER, 'a lonely wombat'));
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();

    const { documents } = await app.get('/sessions/:id/documents', { params: { id: ID }, query: { limit: 100 } });
    expect(documents.map(({ kind, title, text }) => [kind, title, text])).toEqual([
      ['history', null, 'Hello'],
      ['history', null, 'never sent tapir\npasted okapi'],
      ['memory', null, 'The narwhal likes blue.\n'],
      ['plan', 'Zanzibar plan', '# Zanzibar plan\n\n1. Sweep\n'],
      ['task', 'Feed the axolotl', '[open] Feed the axolotl\nTwice'],
      ['todo', null, '[pending] polish the quokka'],
    ]);
    const find = async (query: string) =>
      (await app.get('/search', { query: { q: query, limit: 20 } })).sessions.map(({ session_id }) => session_id);
    for (const word of ['zanzibar', 'quokka', 'axolotl', 'narwhal', 'tapir', 'okapi', '/narwh.l/'])
      expect([word, await find(word)]).toEqual([word, [ID]]);
    expect(await find('wombat')).toEqual([OTHER]);
    expect(await find('type:document zanzibar')).toEqual([ID]);
    // A typed prompt that is also in the transcript is found once.
    expect(
      (await app.get('/search', { query: { q: `hello session:${ID.slice(0, 8)}`, limit: 20 } })).total.places,
    ).toBe(1);

    const world = { config: program.config, openApp: () => program.open() };
    const { out } = await runCommand(['session', ID, '--documents'], world);
    expect(out).toMatch(/plan +plans\/calm-fox\.md[^]*# Zanzibar plan/);
    const files = (await app.get('/sessions/:id', { params: { id: ID } })).files.map(({ kind, path }) => [kind, path]);
    expect(files).toContainEqual(['debug', `debug/${ID}.txt`]);

    // A change is noticed even if the transcript is unchanged.
    put('plans/calm-fox.md', '# Madagascar plan\n');
    appendFileSync(join(home.path, 'history.jsonl'), typed(ID, 'one more lemur'));
    await app.importNew();
    expect(await find('madagascar')).toEqual([ID]);
    expect(await find('zanzibar')).toEqual([]);
    expect(await find('lemur')).toEqual([ID]);
    expect(
      (await app.get('/sessions/:id/documents', { params: { id: ID }, query: { limit: 100 } })).documents,
    ).toHaveLength(7);
    const first = await app.get('/sessions/:id/documents', { params: { id: ID }, query: { limit: 4 } });
    const rest = await app.get('/sessions/:id/documents', {
      params: { id: ID },
      query: { limit: 4, after: first.next_after ?? undefined },
    });
    expect([first.documents.length, rest.documents.length, rest.next_after]).toEqual([4, 3, null]);
  });
});
