import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldsOf } from '../domain/search.ts';
import { termsOf } from '../domain/typed-terms.ts';
import { parseQuery } from './parse-query.ts';

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
