import { describe, expect, it } from 'vitest';
import { crewOf, type Hand } from './crew.ts';

function createHand(name: string, said: string[]) {
  let finish = () => {};
  const hand: Hand = {
    one: async (_work, sessionId) => {
      said.push(`${name} ${sessionId}`);
      await new Promise<void>((resolve) => (finish = resolve));
      return { sessionId, outcome: 'done' };
    },
    index: async () => void said.push(`${name} indexes`),
  };
  return { hand, finish: () => finish() };
}

describe('a crew', () => {
  it('gives a session to whoever is free first', async () => {
    const said: string[] = [];
    const [a, b] = [createHand('a', said), createHand('b', said)];
    const crew = crewOf([a.hand, b.hand]);
    const first = crew.one('parse', '1');
    const others = ['2', '3'].map((id) => crew.one('parse', id));
    const last = crew.one('parse', '4');
    await Promise.resolve();
    expect(said).toEqual(['a 1', 'b 2']);
    b.finish();
    await others[0];
    b.finish();
    await others[1];
    a.finish();
    await first;
    b.finish();
    await last;
    expect(said).toEqual(['a 1', 'b 2', 'b 3', 'b 4']);
  });

  it('writes the index together', async () => {
    const said: string[] = [];
    const crew = crewOf([createHand('a', said).hand, createHand('b', said).hand]);
    await crew.index(() => {});
    expect(said).toEqual(['a indexes', 'b indexes']);
  });

  it('has a hand again whose work has failed', async () => {
    const hand: Hand = {
      one: async (_work, sessionId) => {
        if (sessionId === 'bad') throw new Error('no');
        return { sessionId, outcome: 'done' };
      },
      index: async () => {},
    };
    const crew = crewOf([hand]);
    await expect(crew.one('parse', 'bad')).rejects.toThrow('no');
    expect(await crew.one('parse', 'good')).toMatchObject({ outcome: 'done' });
  });
});
