import { expect, it } from 'vitest';
import { blankSessions } from './blank-sessions.ts';

const blank = (kind: string, text: string, ...ids: string[]) =>
  Buffer.from(blankSessions(kind, new Set(ids))(Buffer.from(text))).toString();

it('blanks the lines of a session in the history and keeps their length', () => {
  const lines = ['{"display":"keep","sessionId":"a"}', '{"display":"go é","sessionId":"b"}', '{"display":"x"}', ''];
  const blanked = blank('history', lines.join('\n'), 'b').split('\n');
  expect([blanked[0], blanked[2], blanked[3]]).toEqual([lines[0], lines[2], lines[3]]);
  expect(JSON.parse(blanked[1] ?? '')).toEqual({});
  expect(Buffer.byteLength(blanked[1] ?? '')).toBe(Buffer.byteLength(lines[1] ?? ''));
});

it('blanks an incomplete last line like the beginning of the complete one', () => {
  const line = '{"sessionId":"b","display":"go"}';
  const part = blank('history', line.slice(0, -4), 'b');
  expect(blank('history', line, 'b').startsWith(part)).toBe(true);
  expect(part.trim()).toBe('{');
});

it('blanks the entry of a session in the index, whatever its strings contain', () => {
  const index = { entries: [{ sessionId: 'a', p: '}"{' }, { p: '{\\', sessionId: 'b', n: 1 }, { sessionId: 'c' }] };
  for (const text of [JSON.stringify(index), JSON.stringify(index, null, 2)]) {
    expect(JSON.parse(blank('sessions_index', text, 'b'))).toEqual({
      entries: [index.entries[0], {}, index.entries[2]],
    });
  }
  expect(blank('sessions_index', '"b" is no JSON', 'b').trim()).toBe('');
  expect(blank('sessions_index', JSON.stringify(index), 'z')).toBe(JSON.stringify(index));
});
