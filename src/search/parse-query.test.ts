import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import type { FuelError } from '../domain/errors.ts';
import type { SearchNode } from '../domain/search.ts';
import { parseQuery } from './parse-query.ts';

const NOW = new Date(2026, 10, 15, 12);

/** A compact form of the tree. */
function show(node: SearchNode): string {
  if (node.kind === 'text') return `${node.words.join('+')}${node.isPrefix ? '*' : ''}`;
  if (node.kind === 'pattern') return `/${node.source}/${node.isCaseSensitive ? '' : 'i'}`;
  if (node.kind === 'not') return `-${show(node.node)}`;
  if (node.kind !== 'field') return `${node.kind}(${node.nodes.map(show).join(' ')})`;
  const { field, value } = node;
  if (value.type === 'text') return `${field}:${value.text}${value.isPrefix ? '*' : ''}`;
  if (value.type === 'ids') return `${field}:${value.ids.join()}`;
  return `${field}${value.comparison}${value.type === 'number' ? value.number : value.at}`;
}

const day = (year: number, month: number, date: number) => new Date(year, month - 1, date).toISOString();

describe('a search is parsed as', () => {
  it.each([
    ['ferry', 'ferry'],
    ['  ferry   times ', 'all(ferry times)'],
    ['"ferry times" -late', 'all(ferry+times -late)'],
    ['a OR b c', 'any(a all(b c))'],
    ['(a OR b) c', 'all(any(a b) c)'],
    ['a AND NOT b', 'all(a -b)'],
    ['or and not', 'all(or and not)'],
    ['ORDER NOTE', 'all(order note)'],
    ['-(a OR -b)', '-any(a -b)'],
    ['--force', 'force'],
    ['pre* "two wor"*', 'all(pre* two+wor*)'],
    ['src/store/engine.ts', 'src+store+engine+ts'],
    ['/home/ada/x', 'home+ada+x'],
    ['/ho(me)?/ /ME/i', 'all(/ho(me)?/ /ME/i)'],
    ['*art* *"a b"', 'all(/art/i /a b/i)'],
    ['useState() (f(x))', 'all(usestate f+x)'],
    ['a && b', 'all(a b)'],
    ['std::vector build:web http://x', 'all(std+vector build+web http+x)'],
    ['Tool:Bash TOOL:mcp__*', 'all(tool:bash tool:mcp__*)'],
    ['title:"two words" tag:x)', null],
    ['exit:1 exit>0 exit:>=2 exit:-1', 'all(exit=1 exit>0 exit>=2 exit=-1)'],
    ['cost>$1.5 tokens>200k messages<=10 duration>2h', 'all(cost>1.5 tokens>200000 messages<=10 duration>7200000)'],
    [
      'after:2026-11-01 before:2026-10 after:2026',
      `all(after>=${day(2026, 11, 1)} before<${day(2026, 10, 1)} after>=${day(2026, 1, 1)})`,
    ],
    ['after:today after:yesterday', `all(after>=${day(2026, 11, 15)} after>=${day(2026, 11, 14)})`],
    ['after:12h', `after>=${new Date(2026, 10, 15, 0).toISOString()}`],
    ['Vec<T> a<b title>5 tag<x', 'all(vec+t a+b title+5 tag+x)'],
    ['日本語', '日本+本語'],
    ['語', '語*'],
  ])('%s', (query, tree) => {
    if (tree === null) expect(() => parseQuery(query, { now: NOW })).toThrow(/unmatched closing parenthesis/);
    else expect(show(parseQuery(query, { now: NOW }))).toBe(tree);
  });

  it.each([
    ['', 1, /no letter or digit/],
    ['  &&', 3, /no letter or digit/],
    ['a "b', 3, /missing closing quote/],
    ['(a', 1, /missing closing parenthesis/],
    ['a) b', 2, /unmatched closing parenthesis/],
    ['a OR', 3, /both sides/],
    ['OR a', 1, /both sides/],
    ['error: no such file', 1, /error: has no value/],
    ['x cost>much', 8, /invalid number "much" for cost/],
    ['exit:0.5', 6, /invalid number "0.5" for exit/],
    ['is:dead', 4, /unknown value "dead" for is\. Valid values: live, ended,/],
    ['after:soon', 7, /invalid date "soon"/],
    ['after:2026-02-30', 7, /invalid date/],
    ['modle:opus', 1, /unknown field modle:/],
    ['a files:x', 3, /unknown field files:/],
    ['x /(a/', 4, /missing closing parenthesis/],
    ['/a(?=b)/', 3, /not supported/],
    ['*a', 2, /at least 2 characters/],
    [`${'('.repeat(20)}a${')'.repeat(20)}`, 17, /deeper than/],
    ['a '.repeat(40), 67, /more than 32 terms/],
    ['a'.repeat(501), 501, /longer than 500/],
  ])('%s is rejected at character %i', (query, character, why) => {
    const read = () => parseQuery(query, { now: NOW });
    expect(read).toThrow(why);
    expect(read).toThrow(
      expect.objectContaining({ code: 'bad_query', position: character - 1, hint: expect.any(String) }),
    );
  });

  it('a tree or an error, for any input', () => {
    const sign = fc.constantFrom(...'()"-*/:<>\\ '.split(''), ' OR ', 'cost>', 'is:', 'after:', 'x', '日', '\ud800');
    fc.assert(
      fc.property(
        fc.array(fc.oneof(sign, fc.string({ unit: anyCharacter, maxLength: 3 })), { maxLength: 20 }),
        (signs) => {
          try {
            parseQuery(signs.join(''), { now: NOW });
          } catch (error) {
            expect(error).toMatchObject({ code: 'bad_query' });
            expect((error as FuelError).position).toBeLessThan(Math.max(1, signs.join('').length));
          }
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
