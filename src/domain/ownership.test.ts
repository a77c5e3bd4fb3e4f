import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseForEach, chooseOwners, NO_SIGNS, type SharedMessage, type Step } from './ownership.ts';

const MINUTE_MS = 60_000;

function session(id: string, ...messages: readonly (readonly [key: string, atMinute: number, inherited?: true])[]) {
  return messages.map(([usageKey, at, inherited], ordinal): SharedMessage => {
    return {
      sessionId: id,
      ordinal,
      id: usageKey,
      isMainThread: true,
      usageKey,
      timestampMs: at * MINUTE_MS,
      isInherited: inherited === true,
    };
  });
}

describe('which session counts a shared message', () => {
  it('the session whose own conversation continued soonest', () => {
    const original = session('z', ['a', 1], ['b', 2], ['c', 3]);
    const copy = session('a', ['a', 1], ['b', 2], ['d', 500]);
    const owners = chooseOwners([...original, ...copy]);
    expect([...owners]).toEqual([
      ['a', 'z'],
      ['b', 'z'],
    ]);
  });

  it('the one that ended there, if the other continued later', () => {
    const owners = chooseOwners([...session('z', ['a', 1], ['b', 2]), ...session('a', ['a', 1], ['b', 2], ['c', 90])]);
    expect(owners.get('a')).toBe('z');
  });

  it('regardless of sub-agents, whose lines come after all others', () => {
    const agent: SharedMessage = {
      sessionId: 'z',
      ordinal: 9,
      id: 'x',
      usageKey: 'x',
      timestampMs: 0,
      isInherited: false,
      isMainThread: false,
    };
    const owners = chooseOwners([...session('z', ['a', 1], ['b', 2]), agent, ...session('a', ['a', 1], ['c', 90])]);
    expect(owners.get('a')).toBe('z');
  });

  it('the first of a chain of partial copies', () => {
    const first = session('z', ['a', 1], ['b', 2], ['c', 3]);
    const second = session('m', ['a', 1], ['b', 2], ['d', 500], ['e', 501]);
    const third = session('a', ['a', 1], ['b', 2], ['d', 500], ['f', 100]);
    expect(Object.fromEntries(chooseOwners([...first, ...second, ...third]))).toEqual({ a: 'z', b: 'z', d: 'm' });
  });

  it('never the one whose lines state that they are copies', () => {
    const owners = chooseOwners([...session('a', ['k', 1, true], ['n', 2]), ...session('z', ['k', 1], ['m', 999])]);
    expect(owners.get('k')).toBe('z');
  });

  it('a session that contains the message both as its own and as a copy', () => {
    const original = session('z', ['k', 1], ['k', 2, true]);
    expect(chooseOwners([...original, ...session('a', ['k', 1, true])]).get('k')).toBe('z');
  });

  it('the older of two copies whose original is not stored', () => {
    const older = session('z', ['a', 1], ['b', 2], ['c', 500]);
    const younger = session('a', ['a', 1], ['b', 2], ['d', 3]);
    const signs = new Map([
      ['z', { ...NO_SIGNS, leadMs: 50 * MINUTE_MS }],
      ['a', { ...NO_SIGNS, leadMs: 100 * MINUTE_MS }],
    ]);
    expect(chooseOwners([...older, ...younger], signs).get('a')).toBe('z');
  });

  it('the one with nothing but notes after the shared part, if the other has a prompt there', () => {
    const step = (next: Step | null, messages: readonly SharedMessage[]) =>
      messages.map((message, at) => (at === 2 ? { ...message, step: next } : message));
    const left = step(null, session('z', ['a', 1], ['b', 2], ['note', 500]));
    const continued = step('prompt', session('a', ['a', 1], ['b', 2], ['c', 3]));
    expect(chooseOwners([...left, ...continued]).get('a')).toBe('z');
  });

  it('not the one whose clock went backwards', () => {
    const later = session('z', ['a', 1], ['b', 2], ['c', 500]);
    const earlier = session('a', ['a', 1], ['b', 2], ['d', 0]);
    expect(chooseOwners([...later, ...earlier]).get('a')).toBe('z');
  });

  it('the same one in any order of sessions', () => {
    const ids = fc.constantFrom('s1', 's2', 's3', 's4');
    const message = fc.record({
      sessionId: ids,
      ordinal: fc.nat(20),
      id: fc.constantFrom('m1', 'm2', 'm3', 'm4', 'm5'),
      isMainThread: fc.boolean(),
      usageKey: fc.option(fc.constantFrom('a', 'b', 'c', 'd')),
      timestampMs: fc.option(fc.nat(1_000_000)),
      isInherited: fc.boolean(),
    });
    const distinct = fc.uniqueArray(message, { selector: (m) => `${m.sessionId} ${m.ordinal}`, maxLength: 40 });
    fc.assert(
      fc.property(distinct, fc.func(fc.nat()), (messages, shuffle) => {
        const shuffled = messages.toSorted((a, b) => shuffle(a) - shuffle(b));
        const sorted = (owners: ReadonlyMap<string, string>) => [...owners].toSorted();
        expect(sorted(chooseOwners(shuffled))).toEqual(sorted(chooseOwners(messages)));
      }),
    );
  });

  // Kills a mutant that let the order of the import decide.
  it('the one with the smaller id if nothing distinguishes them', () => {
    const alike = () => ({ order: 0, isCertain: false });
    for (const ids of [
      ['b', 'c', 'a'],
      ['c', 'a', 'b'],
      ['a', 'b', 'c'],
    ]) {
      expect(chooseForEach(new Map([['k', new Map(ids.map((id) => [id, false]))]]), alike).get('k')).toBe('a');
    }
    const [first, second] = [session('b', ['k', 1]), session('a', ['k', 1])];
    expect(chooseOwners([...first, ...second]).get('k')).toBe('a');
    expect(chooseOwners([...second, ...first]).get('k')).toBe('a');
  });

  it('each shared key has one owner, which contains it', () => {
    const both = [...session('p', ['a', 1], ['b', 2]), ...session('q', ['b', 2], ['c', 3])];
    expect([...chooseOwners(both)]).toEqual([['b', 'p']]);
  });
});
