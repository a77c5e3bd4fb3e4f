import { expect, test } from 'vitest';
import { formatPlace, parsePlace, type Place } from './place.ts';

const PLACES: readonly Place[] = [
  { isDemo: false, page: { kind: 'list' } },
  { isDemo: true, page: { kind: 'list' } },
  { isDemo: false, page: { kind: 'list', q: 'model:"opus 5" used_after:2026-11-15' } },
  { isDemo: true, page: { kind: 'dashboard', name: 'cost', filter: { days: '7' } } },
  { isDemo: false, page: { kind: 'list', q: 'tag:"a & b" cost>5', sort: 'cost', order: 'asc' } },
  { isDemo: true, page: { kind: 'list', q: 'is:live', group: 'workspace', all: true } },
  { isDemo: true, page: { kind: 'compare', a: 'a/b', b: 'c' } },
  { isDemo: false, page: { kind: 'search', text: 'a & b? #c/ü+d' } },
  { isDemo: true, page: { kind: 'session', id: '6f1d-01', at: 12 } },
  { isDemo: false, page: { kind: 'search', text: 'a', sort: 'time' } },
  { isDemo: true, page: { kind: 'session', id: 'b', at: 7, block: 2, q: 'a "b c"' } },
  { isDemo: false, page: { kind: 'session', id: 'demo' } },
  { isDemo: false, page: { kind: 'session', id: 'a/b', at: 3, view: 'graph' } },
];

test.each(PLACES)('parses the address it creates: %j', (place) => {
  expect(parsePlace(formatPlace(place))).toEqual(place);
});

test.each(['', '/', '/nonsense', 'nonsense', '//elsewhere.example', '/session', '/session/'])(
  '%j is the list',
  (address) => {
    expect(parsePlace(address)).toEqual({ isDemo: false, page: { kind: 'list' } });
  },
);

test('a list ignores what it does not know', () => {
  expect(parsePlace('/?q=&sort=size&order=up&group=moon&all=maybe').page).toEqual({ kind: 'list' });
});

test('keeps broken escapes and ignores invalid values', () => {
  expect(parsePlace('/session/%zz?at=x&view=<b>').page).toEqual({ kind: 'session', id: '%zz' });
});
