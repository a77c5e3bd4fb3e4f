import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { FuelError } from '../../src/domain/errors.ts';
import type { SearchNode } from '../../src/domain/search.ts';
import { FIELDS, type Field } from '../../src/domain/session-fields.ts';
import { systemClock } from '../../src/lib/timing.ts';
import { createJudge } from '../../src/search/match-places.ts';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { textNode, toIndexText } from '../../src/search/words.ts';
import type { Engine } from '../../src/store/engine.ts';
import { createSearchIndex } from '../../src/store/queries/search/search.ts';
import { toWordQuery } from '../../src/store/queries/search/search-conditions.ts';
import { addToIndex, EVERY_ID } from '../../src/store/queries/search/search-index.ts';
import { anyCharacter } from '../support/any-character.ts';
import { NOW, seedSession } from '../support/seed-session.ts';
import { scaled } from '../support/sizes.ts';
import { STORES } from '../support/stores.ts';

const pieces = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 6 }),
  fc.constantFrom(
    '(',
    ')',
    '-',
    '"',
    ' ',
    ' OR ',
    ' NOT ',
    '*',
    '/',
    '\\',
    "'",
    ';',
    '--',
    '\0',
    '\ud800',
    '%',
    '_',
    ':',
    '<->',
    '&',
    '|',
    '!',
  ),
  fc.constantFrom(...Object.keys(FIELDS).map((name) => `${name}:`)),
  fc.constantFrom(...Object.values(FIELDS).map(({ example }) => example)),
  fc.constantFrom(
    'cost>',
    'tokens>1e9',
    'cost>999999999',
    'before:0000',
    'after:9999-12-31',
    'exit:-9999999999',
    '日本',
    '✅',
    'ﬀ',
    'İ',
    '½',
  ),
);
const anyQuery = fc.array(pieces, { maxLength: 10 }).map((list) => list.join(''));

describe.each(STORES)('any text as a search on $name', ({ open }) => {
  it('M11, H13: returns an answer or a message with a position, never a database error', async () => {
    await using store = await open();
    await seedSession(store, 's');
    const index = createSearchIndex(store.engine);
    await fc.assert(
      fc.asyncProperty(anyQuery, async (query) => {
        const answer = await searchSessions(index, { q: query, limit: 20 }, systemClock).catch(
          (error: unknown) => error,
        );
        if (!(answer instanceof Error)) return;
        expect(answer).toBeInstanceOf(FuelError);
        const { code, position = -1, message } = answer as FuelError;
        expect({ code, query }).toEqual({ code: 'bad_query', query });
        expect(position).toBeGreaterThanOrEqual(0);
        expect(position).toBeLessThan(Math.max(1, query.length));
        expect(message).toContain(`at character ${position + 1}`);
      }),
      { numRuns: scaled(500) },
    );
    expect(await store.engine.hasTable('sessions')).toBe(true);
  });

  it('accepts every known value of every field', async () => {
    await using store = await open();
    await seedSession(store, 's');
    const index = createSearchIndex(store.engine);
    for (const [name, field] of Object.entries<Field>(FIELDS)) {
      const values = Object.keys(field.values ?? {}).map((value) => `${name}:${value}`);
      for (const query of [field.example, ...values]) {
        for (const asked of [query, `-${query}`, `${query} word`, `(${query} OR "two words")`, `-(${query} OR word)`]) {
          expect(await searchSessions(index, { q: asked, limit: 20 }, systemClock), asked).toMatchObject({ cut: null });
        }
      }
    }
  });

  it('finds with the index everything that matches the text, and no other words and phrases', async () => {
    await using store = await open();
    await seedSession(store, 's');
    const word = fc.constantFrom(
      'a',
      'b',
      'Ab',
      'aB',
      'ABc',
      'a1B2',
      'x.y',
      'é',
      '日本語',
      '本',
      '✅',
      'straße',
      '_',
      '→',
      '\n',
      'ä-b',
    );
    const text = fc
      .array(
        fc.tuple(word, fc.constantFrom('', ' ', '/')).map((both) => both.join('')),
        { maxLength: 12 },
      )
      .map((list) => list.join(''));
    const texts = fc.sample(text, { numRuns: 60, seed: 7 }).filter((one) => one !== '');
    await store.engine.writeSearch(null, (writer) =>
      addToIndex(store.engine, writer, [{ id: 's', startedAt: NOW, places: texts.map(toPlace) }]),
    );
    const [first] = await idsOf(store.engine);
    const term = fc
      .tuple(text, fc.boolean())
      .map(([words, isPrefix]) => textNode(words, isPrefix))
      .filter((node) => node !== null);
    const { node } = fc.letrec<{ node: SearchNode }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 2 },
        term,
        fc
          .tuple(fc.constantFrom('all', 'any'), fc.array(tie('node'), { minLength: 1, maxLength: 3 }))
          .map(([kind, nodes]) => ({ kind, nodes })),
        tie('node').map((inner) => ({ kind: 'not', node: inner }) as const),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(node, async (asked) => {
        const query = toWordQuery(asked);
        if (query === null) return;
        const { judge } = createJudge(asked);
        const fitting = texts.flatMap((one, at) => (judge(one, []) === null ? [] : [(first ?? 0) + at]));
        const candidates = new Set(await idsOf(store.engine, query));
        expect(fitting.filter((id) => !candidates.has(id))).toEqual([]);
        if (asked.kind === 'text') expect(candidates.size).toBe(fitting.length);
      }),
      { numRuns: scaled(150) },
    );
  });
});

const toPlace = (text: string, at: number) => ({
  messageId: String(at),
  blockOrder: 0,
  part: 0,
  kind: 'prompt' as const,
  callId: null,
  chars: text.length,
  ...toIndexText(text),
});

async function idsOf(engine: Engine, query?: Parameters<Engine['searchIds']>[0]): Promise<number[]> {
  const asked = query
    ? engine.searchIds(query, EVERY_ID)
    : sql<{ id: number }>`SELECT id FROM search_documents ORDER BY id`;
  return (await asked.execute(engine.kysely)).rows.map(({ id }) => id);
}
