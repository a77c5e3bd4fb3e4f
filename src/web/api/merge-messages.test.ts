import { expect, test } from 'vitest';
import { makeBlock, makeMessage } from '../../../test/browser/support/make-rows.ts';
import { mergeMessages } from './merge-messages.ts';

const message = (ordinal: number, text = `message ${ordinal}`) =>
  makeMessage({ ordinal, content_blocks: [makeBlock({ block_type: 'text', content_text: text })] });

const loaded = (next_after: number | null) => ({
  pages: [
    { messages: [message(0), message(1)], next_after: 1 },
    { messages: [message(2)], next_after },
  ],
  pageParams: [undefined, 1],
});

const texts = (data: ReturnType<typeof mergeMessages>) =>
  data.pages.map(({ messages }) => messages.map(({ content_blocks }) => content_blocks[0]?.content_text));

test('appends new messages and replaces grown ones', () => {
  const merged = mergeMessages(loaded(null), [message(1, 'grown'), message(3), message(4)]);
  expect(texts(merged)).toEqual([
    ['message 0', 'grown'],
    ['message 2', 'message 3', 'message 4'],
  ]);
});

test('keeps the identity of unchanged pages', () => {
  const before = loaded(null);
  const merged = mergeMessages(before, [message(3)]);
  expect(merged.pages[0]).toBe(before.pages[0]);
});

test('leaves new messages to pages that are not fetched yet', () => {
  expect(texts(mergeMessages(loaded(2), [message(0, 'grown'), message(3)]))).toEqual([
    ['grown', 'message 1'],
    ['message 2'],
  ]);
});
