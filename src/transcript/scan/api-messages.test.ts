import { expect, test } from 'vitest';
import { heldMessages } from './api-messages.ts';
import { FileScanner } from './file-scanner.ts';
import { assistant, MAIN, readerOf } from '../testing/scan-text.ts';

test('a message is matched by its id, and by its request if both have one', () => {
  const parts = ['msg_1', 'msg_2'].map((id, index) => {
    const scanner = new FileScanner();
    const requestId = index === 0 ? 'req_1' : undefined;
    scanner.scan({ ...MAIN, index }, readerOf(Buffer.from(assistant({ requestId }, { id }))));
    return scanner.columns;
  });
  const isHeld = heldMessages(parts);
  expect(isHeld('msg_1', 'req_1')).toBe(true);
  expect(isHeld('msg_1', null)).toBe(true);
  expect(isHeld('msg_1', 'req_2')).toBe(false);
  expect(isHeld('msg_2', 'req_9')).toBe(true);
  expect(isHeld('msg_3', null)).toBe(false);
});
