import { expect, test } from 'vitest';
import { makeBlock, makeMessage } from '../../test/browser/support/make-rows.ts';
import { teaserOf } from './message-text.ts';

test.each([
  [
    'task_notification',
    '<task-notification>\n<task-id>1</task-id>\n<summary>The tests passed</summary>',
    'The tests passed',
  ],
  ['task_notification', 'told in other words', 'told in other words'],
  ['bash_output', '<bash-stdout>one\ntwo</bash-stdout>', 'one'],
  ['meta', 'a <summary>of a person</summary>', 'a <summary>of a person</summary>'],
])('of %s %j is shown %j', (origin, text, teaser) => {
  expect(
    teaserOf(
      makeMessage({ ordinal: 0, origin, content_blocks: [makeBlock({ block_type: 'text', content_text: text })] }),
    ),
  ).toBe(teaser);
});
