import { describe, expect, it } from 'vitest';
import { startThread, ThreadDied } from './thread.ts';

interface Answers {
  readonly [name: string]: (question: never) => unknown;
  double(question: number): Promise<number>;
  fail(question: string): Promise<never>;
  crash(question: null): Promise<never>;
  hoard(question: null): Promise<never>;
}

const ECHO = new URL('../../test/support/echo-thread.ts', import.meta.url);

describe('a thread', () => {
  it('answers requests, also several at once', async () => {
    const thread = startThread<Answers>(ECHO, { factor: 2 });
    expect(await Promise.all([thread.ask('double', 4), thread.ask('double', 5)])).toEqual([8, 10]);
    await thread.stop();
  });

  it('passes on errors with their code and hint, and keeps running', async () => {
    const thread = startThread<Answers>(ECHO, { factor: 2 });
    const failure = { code: 'blob_missing', message: 'No such thing.', hint: 'Look elsewhere.' };
    await expect(thread.ask('fail', 'No such thing.')).rejects.toMatchObject(failure);
    expect(await thread.ask('double', 1)).toBe(2);
    await thread.stop();
  });

  it.each(['crash', 'hoard'] as const)('rejects pending requests when it crashes: %s', async (how) => {
    const thread = startThread<Answers>(ECHO, { factor: 2 }, { maxOldGenerationSizeMb: 32 });
    await expect(thread.ask(how, null)).rejects.toBeInstanceOf(ThreadDied);
    expect(thread.isAlive()).toBe(false);
    await expect(thread.ask('double', 1)).rejects.toBeInstanceOf(ThreadDied);
  });

  it('rejects pending requests when it is stopped', async () => {
    const thread = startThread<Answers>(ECHO, { factor: 2 });
    const [asked] = await Promise.allSettled([thread.ask('double', 1), thread.stop()]);
    expect(asked).toMatchObject({ status: 'rejected', reason: { message: 'the thread was stopped' } });
  });
});
