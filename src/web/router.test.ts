import { expect, test } from 'vitest';
import { formatPlace, parsePlace, type Place } from './router.ts';

const PLACES: readonly Place[] = [
  { isDemo: false, page: { kind: 'list' } },
  { isDemo: true, page: { kind: 'list' } },
  { isDemo: false, page: { kind: 'search', text: 'a & b? #c/ü' } },
  { isDemo: true, page: { kind: 'session', id: '6f1d-01', at: 12 } },
  { isDemo: false, page: { kind: 'session', id: 'demo', at: null } },
];

test.each(PLACES)('parses the URL it creates: %j', (place) => {
  expect(parsePlace(formatPlace(place))).toEqual(place);
});

test.each(['', '#', '#/', '#nonsense', '#/nowhere', '#token=abc', '#/session', '#/session/'])(
  '%j is the list',
  (hash) => {
    expect(parsePlace(hash)).toEqual({ isDemo: false, page: { kind: 'list' } });
  },
);

test('keeps broken escapes and ignores an invalid ordinal', () => {
  expect(parsePlace('#/session/%zz?at=x').page).toEqual({ kind: 'session', id: '%zz', at: null });
});
