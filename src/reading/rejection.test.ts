import { expect, test } from 'vitest';
import { rejectionWords } from './rejection.ts';

const START =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";

test.each([
  [`${START} STOP what you are doing and wait for the user to tell you how to proceed.`, ''],
  [`${START} To tell you how to proceed, the user said:\nwait, please`, 'wait, please'],
  [`${START} The user provided the following reason for the rejection:  use pnpm`, 'use pnpm'],
  ["The user doesn't want to take this action right now. STOP what you are doing.", ''],
  ['[Request interrupted by user for tool use]', ''],
  ['[Request interrupted by user]\nand more', null],
  ['npm ERR! the user said: no', null],
  ['', null],
])('%j: %j', (text, words) => {
  expect(rejectionWords(text)).toBe(words);
});
