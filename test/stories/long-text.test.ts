import { describe, expect, it } from 'vitest';
import { readWholeTranscript } from '../../src/cli/transcript/read-transcript.ts';
import { blockRows } from '../../src/store/queries/transcript/revision-rows.ts';
import { MAX_TEXT_CHARS } from '../../src/store/text.ts';
import { createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { makeBlock } from '../support/make-block.ts';
import { PROGRAMS } from '../support/programs.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const LONG = `${'filler words without a meaning\n'.repeat(170_000)}needle-in-haystack at the very end`;

describe.each(PROGRAMS)('a text of five million characters, on $name', ({ create }) => {
  it('is found by its last words, truncated in a list, and returned in full on request', async () => {
    using home = createClaudeHome();
    const talk = createTalk(ID);
    home.write(`-home-ada-shop/${ID}.jsonl`, [
      talk.user('Print the log.'),
      talk.assistant('msg_1', toolUse('toolu_1', 'Bash', { command: 'cat log' }), { input: 3, output: 2 }),
      talk.result('toolu_1', LONG),
      talk.assistant('msg_2', text('There it is.'), { input: 3, output: 2 }),
    ]);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();

    const found = await app.get('/search', { query: { q: '"haystack at the very end"', limit: 20 } });
    expect(found.sessions.map(({ session_id, places }) => [session_id, places])).toEqual([[ID, 1]]);
    expect(found.sessions[0]?.hits[0]?.snippet).toContain('very end');

    const { messages } = await app.get('/sessions/:id/transcript', { params: { id: ID }, query: { limit: 50 } });
    const shown = messages.flatMap(({ content_blocks }) => content_blocks).find(({ result_text }) => result_text);
    expect(shown?.result_text).toBe(LONG.slice(0, 262_144));
    expect(shown?.metadata).toMatchObject({ truncated: true });

    const whole = await Array.fromAsync(readWholeTranscript(app, ID));
    expect(whole).toHaveLength(messages.length);
    const block = whole.flatMap(({ content_blocks }) => content_blocks).find(({ result_text }) => result_text);
    expect(block?.result_text).toBe(LONG);
    expect(block?.metadata).not.toHaveProperty('truncated');
  });
});

describe('a text longer than the limit of a row', () => {
  it('is truncated and marked, and its position in the archive is kept', () => {
    const block = makeBlock(0, {
      blockType: 'tool_result',
      contentText: null,
      resultText: 'x'.repeat(MAX_TEXT_CHARS + 1),
    });
    const { columns, rows } = blockRows({ sessionId: ID, number: 1, fileIds: ['file'] }, [block]);
    const row = Object.fromEntries(columns.map((column, at) => [column, rows[0]?.[at]]));
    expect(row['result_text']).toHaveLength(MAX_TEXT_CHARS);
    expect(JSON.parse(String(row['metadata']))).toMatchObject({ truncated: true });
    expect(row['result_s3_key']).toMatch(/^file#/);
  });
});
