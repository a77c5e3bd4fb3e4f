import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settleFamily } from './family.ts';
import { createComparison, type SharedMessage } from './ownership.ts';

const MINUTE_MS = 60_000;

/** A message that counts how often its identity is read: reading messages is the work of a comparison. */
function message(sessionId: string, ordinal: number, key: string, atMinute: number, work = { reads: 0 }) {
  return {
    sessionId,
    ordinal,
    get id() {
      work.reads += 1;
      return key;
    },
    isMainThread: true,
    usageKey: null,
    timestampMs: atMinute * MINUTE_MS,
    isInherited: false,
    lineNumber: ordinal + 1,
    step: ordinal % 2 === 0 ? 'prompt' : 'answer',
  } as const satisfies SharedMessage;
}

/** Ids whose order says nothing about which session is the copy. */
const idOf = (n: number) => String((n * 7919) % 10_007).padStart(5, '0');

/** Sessions that all copied one, and each continued an hour after the previous one. */
function star(sessions: number, lines: number, work = { reads: 0 }): SharedMessage[] {
  return Array.from({ length: sessions }, (_, n) => [
    ...Array.from({ length: lines }, (_line, at) => message(idOf(n), at, `shared ${at}`, at, work)),
    message(idOf(n), lines, `own ${n}`, lines + n * 60, work),
  ]).flat();
}

/** Each session copied the whole previous one, as resuming did until 1.0, and added a prompt and an answer. */
function chain(sessions: number, work = { reads: 0 }): SharedMessage[] {
  return Array.from({ length: sessions }, (_, n) =>
    Array.from({ length: (n + 1) * 2 }, (_line, at) => message(idOf(n), at, `line ${at}`, at, work)),
  ).flat();
}

const work = (messages: (noted: { reads: number }) => SharedMessage[]) => {
  const noted = { reads: 0 };
  const held = messages(noted);
  settleFamily(held, new Map());
  return noted.reads / held.length;
};

describe('settling a large family', () => {
  it('reads each message a few times, however many sessions share it', () => {
    const few = work((noted) => star(30, 40, noted));
    expect(work((noted) => star(120, 40, noted))).toBeLessThan(few * 1.2);
  });

  it('reads each message a few times when each session is a copy of the one before', () => {
    const few = work((noted) => chain(30, noted));
    expect(work((noted) => chain(120, noted))).toBeLessThan(few * 1.2);
  });

  it('gives all shared messages to the session that continued immediately', () => {
    const { owners, copies } = settleFamily(star(100, 10), new Map());
    expect(new Set(owners.values())).toEqual(new Set([idOf(0)]));
    expect(new Set([...copies.values()].map(({ parentId }) => parentId))).toEqual(new Set([idOf(0)]));
    expect(copies.size).toBe(99);
  });

  it('links each session of a chain to the one before', () => {
    const { copies } = settleFamily(chain(40), new Map());
    const expected = Array.from({ length: 39 }, (_, n) => [idOf(n + 1), idOf(n)]);
    expect([...copies].map(([id, { parentId }]) => [id, parentId]).toSorted()).toEqual(expected.toSorted());
  });

  it('finds the same owners as comparing every pair', () => {
    // Each session copies the beginning of an earlier one and continues some minutes later.
    const forks = fc.array(fc.record({ of: fc.nat(), cut: fc.nat(), later: fc.integer({ min: 3, max: 90 }) }), {
      minLength: 9,
      maxLength: 30,
    });
    fc.assert(
      fc.property(forks, (plan) => {
        const messages = tree(plan);
        const { owners } = settleFamily(messages, new Map());
        expect(new Map(owners)).toEqual(ownersByAllPairs(messages));
      }),
      { numRuns: 50 },
    );
  });
});

function tree(plan: readonly { of: number; cut: number; later: number }[]): SharedMessage[] {
  const sessions: { key: string; at: number }[][] = [
    Array.from({ length: 12 }, (_, at) => ({ key: `root ${at}`, at })),
  ];
  for (const [n, { of, cut, later }] of plan.entries()) {
    const parent = sessions[of % sessions.length] as { key: string; at: number }[];
    const copied = parent.slice(0, Math.max(2, cut % (parent.length + 1)));
    const last = copied.at(-1)?.at ?? 0;
    const own = Array.from({ length: 4 }, (_, at) => ({ key: `fork ${n} ${at}`, at: last + later + n * 200 + at }));
    sessions.push([...copied, ...own]);
  }
  return sessions.flatMap((own, n) => own.map(({ key, at }, ordinal) => message(idOf(n), ordinal, key, at)));
}

/** The rule itself, without any optimization: the session that wins most comparisons, the smaller id in case of a tie. */
function ownersByAllPairs(messages: readonly SharedMessage[]): ReadonlyMap<string, string> {
  const compare = createComparison(messages, new Map());
  const owners = new Map<string, string>();
  for (const [key, held] of Map.groupBy(messages, ({ id }) => id)) {
    const ids = [...new Set(held.map(({ sessionId }) => sessionId))].toSorted();
    if (ids.length < 2) continue;
    const wins = (id: string) => ids.filter((other) => other !== id && compare(id, other).order < 0).length;
    owners.set(key, ids.toSorted((a, b) => wins(b) - wins(a) || (a < b ? -1 : 1))[0] as string);
  }
  return owners;
}
