import { expect, test } from 'vitest';
import {
  addTerm,
  fieldOfTerm,
  formatTerm,
  joinTerms,
  removeTerm,
  splitTerms,
  toFilter,
  withoutFields,
} from './query-terms.ts';

test.each([
  ['', []],
  ['  is:live   cost>5 ', ['is:live', 'cost>5']],
  ['title:"two words" -tag:later', ['title:"two words"', '-tag:later']],
  ['(is:live OR is:pinned) has:commit', ['(is:live OR is:pinned)', 'has:commit']],
  ['is:live OR is:pinned', ['is:live OR is:pinned']],
  ['is:live AND is:pinned', ['is:live', 'is:pinned']],
  ['title:"open (', ['title:"open (']],
])('%j has the terms %j', (query, terms) => {
  expect(splitTerms(query)).toEqual(terms);
  expect(splitTerms(joinTerms(terms))).toEqual(terms);
});

test('terms are added once and removed', () => {
  expect(addTerm('is:live', 'tag:a')).toBe('is:live tag:a');
  expect(addTerm('is:live tag:a', 'tag:a')).toBe('is:live tag:a');
  expect(addTerm('is:live OR is:pinned', 'tag:a')).toBe('(is:live OR is:pinned) tag:a');
  expect(removeTerm('is:live tag:a', 'is:live')).toBe('tag:a');
});

test('terms about a field are found by its name', () => {
  expect(withoutFields('after:7d -before:today cost>5 is:live', ['after', 'before'])).toBe('cost>5 is:live');
  expect(['-Tag:x', 'cost>=5', 'word', '"a:b"', '(a:b)'].map(fieldOfTerm)).toEqual(['tag', 'cost', null, null, null]);
});

test('a value is quoted if necessary', () => {
  expect(formatTerm('workspace', 'my app')).toBe('workspace:"my app"');
  expect(formatTerm('branch', '=fix/(x)')).toBe('branch:"=fix/(x)"');
  expect(formatTerm('tag', 'later')).toBe('tag:later');
  expect(formatTerm('workspace', 'a"b')).toBeNull();
});

test('words alone filter by title', () => {
  expect(toFilter('ferry -times is:live')).toBe('title:ferry -title:times is:live');
  expect(toFilter('is:live OR ferry')).toBe('is:live OR ferry');
});
