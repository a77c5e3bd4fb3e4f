import { expect, test } from 'vitest';
import { literalMarker, type Marker, termMarker } from './marker.ts';

const marked = (marker: Marker, text: string) => marker(text).map(({ from, to }) => text.slice(from, to));
const words = (...list: string[]) => [{ kind: 'text', words: list, is_prefix: false }] as const;

test('a literal text is found in any case, and characters keep their places', () => {
  expect(marked(literalMarker('NEEDLE'), 'İ needle Needle')).toEqual(['needle', 'Needle']);
  expect(marked(literalMarker(''), 'abc')).toEqual([]);
});

test('words are marked as the search finds them', () => {
  expect(marked(termMarker(words('time')), 'timetable time Time getTime')).toEqual(['time', 'Time', 'Time']);
  expect(marked(termMarker(words('user', 'name')), 'user-name, getUserName, username')).toEqual([
    'user-name',
    'UserName',
  ]);
  expect(marked(termMarker(words('cafe')), 'The Café')).toEqual(['Café']);
  expect(marked(termMarker([{ kind: 'text', words: ['tim'], is_prefix: true }]), 'timetable')).toEqual(['tim']);
});

test('patterns are marked where they match', () => {
  const regex = { kind: 'pattern', source: 'perm\\w+', is_regex: true, is_case_sensitive: true } as const;
  const part = { kind: 'pattern', source: '=> {', is_regex: false, is_case_sensitive: false } as const;
  expect(marked(termMarker([regex, part]), 'permission () => {')).toEqual(['permission', '=> {']);
});
