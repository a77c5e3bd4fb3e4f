import { expect, test } from 'vitest';
import { liveWarning } from './deletion.ts';

test.each([
  [[false], null],
  [[true], 'This session may still be running; what it writes from now on is not stored either.'],
  [[true, false], '1 of them may still be running; what it writes from now on is not stored either.'],
  [[true, true], '2 of them may still be running; what they write from now on is not stored either.'],
])('sessions of which these are live: %j', (live, warning) => {
  expect(liveWarning(live.map((is_live) => ({ is_live })))).toBe(warning);
});
