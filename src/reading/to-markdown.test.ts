import { expect, test } from 'vitest';
import { makeBlock, makeMessage } from '../../test/browser/support/make-rows.ts';
import { entriesOf } from './entries.ts';
import { NO_PARTS } from './parts.ts';
import { toMarkdown } from './to-markdown.ts';

const block = (block_order: number, fields: Parameters<typeof makeBlock>[0]) => makeBlock({ block_order, ...fields });
const write = (...messages: Parameters<typeof makeMessage>[0][]) =>
  toMarkdown(entriesOf(messages.map(makeMessage), { parts: NO_PARTS, cwd: '/home/mira' }));

test('a conversation is readable as Markdown, and code cannot end its block', () => {
  const use = { block_type: 'tool_use', tool_name: 'Bash', tool_use_id: 't', tool_input: { command: 'cat a.md' } };
  const result = { block_type: 'tool_result', tool_result_id: 't', result_text: '# A\n```js\nx\n```\n' };
  const text = write(
    {
      ordinal: 0,
      origin: 'human',
      role: 'human',
      content_blocks: [block(0, { block_type: 'text', content_text: 'Show it.' })],
    },
    {
      ordinal: 1,
      origin: 'model',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content_blocks: [
        block(0, { block_type: 'thinking', thinking_text: 'A\n\nB' }),
        block(1, { block_type: 'text', content_text: 'Yes.' }),
        block(2, use),
      ],
    },
    { ordinal: 2, origin: 'tool_result', role: 'human', content_blocks: [block(0, result)] },
    {
      ordinal: 3,
      origin: 'meta',
      role: 'human',
      content_blocks: [block(0, { block_type: 'text', content_text: 'internal' })],
    },
  );
  expect(text).toBe(
    `## You

Show it.

> A
>
> B

## opus 5.5

Yes.

**Bash** \`cat a.md\`

\`\`\`\`
# A
\`\`\`js
x
\`\`\`
\`\`\`\`
`,
  );
});

test('a change is a diff', () => {
  const input = { file_path: '/home/mira/a', old_string: 'one\ntwo', new_string: 'one\n`three`' };
  const use = { block_type: 'tool_use', tool_name: 'Edit', tool_use_id: 't', tool_input: input };
  const result = { block_type: 'tool_result', tool_result_id: 't', result_text: 'Done.' };
  const text = write(
    { ordinal: 1, origin: 'model', role: 'assistant', content_blocks: [block(0, use)] },
    { ordinal: 2, origin: 'tool_result', role: 'human', content_blocks: [block(0, result)] },
  );
  expect(text).toContain('```diff\n one\n-two\n+`three`\n```');
});
