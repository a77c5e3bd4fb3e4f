import { expect, test } from 'vitest';
import { teammateMessages, withoutTeammateTags } from './teammate-message.ts';

const TWO =
  'Another Claude session sent a message:\n<teammate-message teammate_id="ada" color="blue">built\n</teammate-message>\n' +
  '<teammate-message teammate_id="bob">{"type":"idle_notification"}</teammate-message>';

test('names the sender of each message, and recognizes client reports', () => {
  expect(teammateMessages(TWO)).toEqual([
    { sender: 'ada', text: 'built', isProtocol: false },
    { sender: 'bob', text: '{"type":"idle_notification"}', isProtocol: true },
  ]);
  expect(teammateMessages('Please explain <teammate> tags')).toEqual([]);
});

test('drops the tags, including truncated ones', () => {
  expect(withoutTeammateTags(TWO)).toBe('built');
  expect(withoutTeammateTags('<teammate-message>half a mess')).toBe('half a mess');
  expect(withoutTeammateTags('plain')).toBe('plain');
});
