import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldsOf } from '../../domain/search.ts';
import { parseQuery } from '../../search/parse-query.ts';
import {
  addTerm,
  fieldOfTerm,
  formatTerm,
  joinTerms,
  removeTerm,
  splitTerms,
  termsOf,
  toFilter,
  withoutFields,
} from './terms.ts';

test.each([
  ['', []],
  ['  is:live   cost>5 ', ['is:live', 'cost>5']],
  ['title:"two words" -tag:later', ['title:"two words"', '-tag:later']],
  ['(is:live OR is:pinned) has:commit', ['(is:live OR is:pinned)', 'has:commit']],
  ['is:live OR is:pinned', ['is:live OR is:pinned']],
  ['is:live AND is:pinned', ['is:live', 'is:pinned']],
  ['title:"open (', ['title:"open (']],
  ['/a  b/ NOT tag:x', ['/a  b/', 'NOT tag:x']],
  ['(is:live', ['(is:live']],
  ['"a b"c', ['"a b"', 'c']],
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
  expect(withoutFields('after:7d NOT before:today cost>5 is:live', ['after', 'before'])).toBe('cost>5 is:live');
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
  expect(toFilter('NOT ferry NOT is:live')).toBe('NOT title:ferry NOT is:live');
});

const DATES = { now: new Date('2026-11-16T12:00:00Z'), zone: 'UTC' };
const PIECES =
  String.raw`ferry|"off by one"|OR|AND|NOT|(|)|-|*part*|*"a b"|/re(g)x/i|/home/ada| |model:opus|model:"a b"|cost>1|cost:>=2|exit<=2|std::vector|x:y|is:live,pinned|foo(bar)|-is:live|NOTE|--flag|tag:later*|after:7d|"a b"*|model>3`.split(
    '|',
  );
const QUERY = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((parts) => parts.join(' '));

function parsed(text: string) {
  try {
    return parseQuery(text, DATES);
  } catch {
    return null;
  }
}

test('the terms of a search have the fields that the parser reads, in order', () => {
  fc.assert(
    fc.property(QUERY, (text) => {
      const node = parsed(text);
      if (node === null) return;
      const read = fieldsOf(node).map(({ field }) => field);
      const terms = termsOf(text).flatMap(({ field, value }) =>
        field === null ? [] : Array.from({ length: field === 'is' ? value.split(',').length : 1 }, () => field),
      );
      expect(terms).toEqual(read);
    }),
  );
});

test('a search means the same after it was taken apart and put together again', () => {
  fc.assert(
    fc.property(QUERY, (text) => {
      const node = parsed(text);
      if (node !== null) expect(parsed(joinTerms(splitTerms(text)))).toEqual(node);
    }),
  );
});
