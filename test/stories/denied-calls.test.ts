import { describe, expect, it } from 'vitest';
import { entriesOf } from '../../src/reading/entries.ts';
import { NO_PARTS } from '../../src/reading/parts.ts';
import { createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const USER_DENIED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";

describe.each(PROGRAMS)('calls of tools on $name', ({ create }) => {
  it('show who denied them and which failed, in the transcript and on the shared page', async () => {
    using home = createClaudeHome();
    const talk = createTalk(ID);
    const call = (id: string, command: string) =>
      talk.assistant(`msg_${id}`, toolUse(id, 'Bash', { command }), { input: 3, output: 2 });
    home.write(`-home-ada-shop/${ID}.jsonl`, [
      talk.user('Clean up.'),
      call('toolu_denied', 'rm -r build'),
      talk.result('toolu_denied', USER_DENIED, true),
      call('toolu_failed', 'make'),
      talk.result('toolu_failed', 'Exit code 2', true),
      call('toolu_fine', 'ls'),
      talk.result('toolu_fine', 'src'),
      talk.assistant('msg_end', text('Done.'), { input: 3, output: 2 }),
    ]);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();

    const { messages } = await app.get('/sessions/:id/transcript', { params: { id: ID }, query: { limit: 100 } });
    const outcomes = entriesOf(messages, { parts: NO_PARTS, cwd: null }).flatMap((entry) =>
      entry.kind === 'tool' ? [[entry.call.id, entry.call.outcome.text]] : [],
    );
    expect(outcomes).toEqual([
      ['toolu_denied', 'denied by the user'],
      ['toolu_failed', 'exit 2'],
      ['toolu_fine', ''],
    ]);

    const page = await app.exportSession(ID, { format: 'html', raw: false });
    const html = (await Array.fromAsync(page.texts)).join('');
    const marks = [...html.matchAll(/<span class="mark">([^<]*)<\/span>/g)].map(([, mark]) => mark);
    expect(marks.filter((mark) => /denied|exit/.test(mark ?? ''))).toEqual(['denied by the user', 'exit 2']);
  });
});
