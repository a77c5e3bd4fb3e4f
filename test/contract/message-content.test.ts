import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTalk, text, toolUse } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { useProgram } from '../support/use-program.ts';

const USAGE = { input: 7, output: 2 };
const ID = 'cdcdcdcd-2222-4333-8444-555555555555';
const PATH = `-home-ada-shop/${ID}.jsonl`;

const image = (bytes: string, type = 'image') => ({
  type,
  source: { type: 'base64', media_type: 'image/png', data: Buffer.from(bytes).toString('base64') },
});

describe.each(PROGRAMS)('content of single messages, on $name', ({ create }) => {
  const used = useProgram(create);

  const messagesOf = async (lines: readonly object[]) => {
    used.home.write(PATH, lines);
    await used.app.importNew();
    return (await used.app.get('/sessions/:id/transcript', { params: { id: ID }, query: { limit: 100 } })).messages;
  };

  it('a call includes its outcome, patch and error output', async () => {
    const talk = createTalk(ID);
    const hunk = { oldStart: 3, oldLines: 1, newStart: 3, newLines: 2, lines: ['-a', '+b', '+c'] };
    const messages = await messagesOf([
      talk.user('Edit it.'),
      talk.assistant(
        'msg_1',
        toolUse('call_1', 'Edit', { file_path: '/x', old_string: 'a', new_string: 'b\nc' }),
        USAGE,
      ),
      { ...talk.result('call_1', 'Done.'), toolUseResult: { filePath: '/x', structuredPatch: [hunk] } },
      talk.assistant('msg_2', toolUse('call_2', 'Bash', { command: 'make' }), USAGE),
      {
        ...talk.result('call_2', 'built\nwarning: old'),
        toolUseResult: { stdout: 'built', stderr: 'warning: old\n', interrupted: false },
      },
      talk.assistant('msg_3', toolUse('call_3', 'Bash', { command: 'false' }), USAGE),
      talk.result('call_3', 'Exit code 3', true),
      talk.assistant('msg_4', text('Done.'), USAGE),
    ]);
    const calls = messages.flatMap(({ content_blocks }) => content_blocks.flatMap(({ call }) => call ?? []));
    expect(calls).toMatchObject([
      {
        status: 'ok',
        result_ordinal: 2,
        files: [{ path: '/x', action: 'edit', lines_added: 2, lines_removed: 1 }],
        patch: [{ old_start: 3, new_start: 3, lines: ['-a', '+b', '+c'] }],
        stderr: null,
      },
      { status: 'ok', exit_code: 0, duration_ms: 1_000, result_ordinal: 4, patch: null, stderr: 'warning: old' },
      { status: 'error', exit_code: 3, denial: null, result_ordinal: 6 },
    ]);
    expect(messages[2]?.content_blocks[0]).toMatchObject({ call: null, call_status: 'ok', metadata: {} });
  });

  it('a sub-agent includes its last line', async () => {
    const talk = createTalk(ID);
    const side = createTalk(ID, { prefix: 'a' });
    const ofAgent = (line: object) => ({ ...line, isSidechain: true, agentId: 'a1' });
    used.home.write(`-home-ada-shop/${ID}/subagents/agent-a1.jsonl`, [
      ofAgent(side.user('Look.')),
      ofAgent(side.assistant('msg_a', text('First.'), USAGE)),
      ofAgent(side.assistant('msg_b', text('I looked.\n\nAll is well. \n'), USAGE)),
      ofAgent(side.assistant('msg_c', toolUse('call_a', 'Bash', {}), USAGE)),
    ]);
    await messagesOf([talk.user('Go.'), talk.assistant('msg_1', text('One.'), USAGE)]);
    const { subagents } = await used.app.get('/sessions/:id/subagents', { params: { id: ID }, query: { limit: 10 } });
    expect(subagents).toMatchObject([{ agent_id: 'a1', last_line: 'All is well.' }]);
  });

  it('rows for a list are small', async () => {
    const talk = createTalk(ID);
    await messagesOf([talk.user('word '.repeat(150)), talk.assistant('msg_1', text('One.'), USAGE)]);
    const [whole] = (await used.app.get('/sessions', { query: { limit: 1 } })).sessions;
    const [listed] = (await used.app.get('/sessions', { query: { limit: 1, fields: 'list' } })).sessions;
    expect(whole?.metadata).not.toEqual({});
    const initial_prompt = `${whole?.initial_prompt?.slice(0, 299)}…`;
    expect(listed).toEqual({ ...whole, metadata: {}, initial_prompt, work: expect.any(Object) });
  });

  it('a message includes its exact lines', async () => {
    const talk = createTalk(ID);
    const [prompt, , last] = await messagesOf([
      talk.user('Ünïcode \u{1f980}'),
      talk.assistant('msg_1', text('One.'), USAGE),
      talk.user('Next'),
      talk.assistant('msg_2', text('Two.'), USAGE),
      talk.assistant('msg_2', toolUse('call_1', 'Bash', {}), USAGE),
    ]);
    const lines = readFileSync(`${used.home.path}/projects/${PATH}`, 'utf8').trimEnd().split('\n');
    const rawOf = async (id = '') =>
      (await used.app.readRawMessage(ID, id)).map((line) => Buffer.from(line).toString());
    expect(await rawOf(prompt?.id)).toEqual([lines[0]]);
    const answer = await used.app.get('/sessions/:id/transcript', {
      params: { id: ID },
      query: { after: 2, limit: 1 },
    });
    expect(await rawOf(answer.messages[0]?.id)).toEqual(lines.slice(3));
    expect(await rawOf(last?.id)).toEqual([lines[2]]);
    await expect(rawOf('nobody')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('returns the bytes of images and documents in prompts and results', async () => {
    const talk = createTalk(ID);
    const said = (content: readonly object[]) => ({ ...talk.user(''), message: { role: 'user', content } });
    const parts = [text('<system-reminder>x</system-reminder>'), image('first'), text('and'), image('second')];
    const messages = await messagesOf([
      said([...parts, image('%PDF-1', 'document'), { type: 'image', source: { type: 'url', url: 'http://x/' } }]),
      talk.assistant('msg_1', toolUse('call_1', 'Read', { file_path: '/x.png' }), USAGE),
      said([{ type: 'tool_result', tool_use_id: 'call_1', content: [text('Two:'), image('third'), image('fourth')] }]),
    ]);
    const bytesOf = async (messageId: string, blockOrder: number, part = 0) =>
      Buffer.from(await used.app.readMedia(ID, { messageId, blockOrder, part })).toString();
    const [prompt, , result] = messages.map(({ id, content_blocks }) => ({
      id,
      media: content_blocks.filter(({ block_type }) => /image|document|tool_result/.test(block_type)),
    }));
    const orders = prompt?.media.map(({ block_order }) => block_order) ?? [];
    const id = prompt?.id ?? '';
    expect(await bytesOf(id, orders[0] ?? -1)).toBe('first');
    expect(await bytesOf(id, orders[1] ?? -1)).toBe('second');
    expect(await bytesOf(id, orders[2] ?? -1)).toBe('%PDF-1');
    expect(await bytesOf(result?.id ?? '', 0, 1)).toBe('fourth');
    const missing: readonly (readonly [string, number, number])[] = [
      [id, orders[3] ?? -1, 0],
      [id, orders[0] ?? -1, 1],
      [id, 0, 0],
      [id, 99, 0],
      [id, -1, 0],
      ['nobody', 0, 0],
      [result?.id ?? '', 0, 2],
    ];
    for (const place of missing) await expect(bytesOf(...place)).rejects.toMatchObject({ code: 'not_found' });
    const { items } = await used.app.get('/sessions/:id/outline', { params: { id: ID } });
    expect(items.flags.map((flags) => flags & 32)).toEqual([32, 32]);
  });
});
