import { keepHeapsSmall } from '../lib/small-heaps.ts';
import { startThread, type Thread, threadUrl } from '../lib/thread.ts';
import type { TextWriter } from '../pipeline/steps.ts';
import type { TextThreadAnswers, TextThreadData } from './text-thread.ts';

/** F16: how often the work checks whether it should stop. */
const LOOK_MS = 50;
const LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 12 };

/** Writes the full text in a separate thread. A thread that crashed is replaced with the next work. */
export function startTextWriter(data: TextThreadData): TextWriter & AsyncDisposable {
  const url = threadUrl(import.meta.url, 'text-thread');
  const start = () => startThread<TextThreadAnswers>(url, data, LIMITS);
  const heaps = keepHeapsSmall();
  let thread: Thread<TextThreadAnswers> = start();
  let asked = 0;
  /** Asks the thread; when `checkpoint` throws, it is stopped, whatever it is doing. */
  const ask = async <T>(checkpoint: () => void, question: (to: typeof thread) => Promise<T>): Promise<T> => {
    if (!thread.isAlive()) thread = start();
    // Ends its transaction as well; what was committed before is replaced later.
    const watch = stopWhen(checkpoint, () => thread.stop());
    asked += 1;
    try {
      return await question(thread);
    } catch (error) {
      throw watch.reason ?? error;
    } finally {
      asked -= 1;
      watch.end();
    }
  };
  return {
    write: (claims, checkpoint) => ask(checkpoint, (to) => to.ask('write', { claims })),
    narrate: async (sessionIds, checkpoint) =>
      asked > 0 ? null : ask(checkpoint, (to) => to.ask('narrate', { sessionIds })),
    [Symbol.asyncDispose]: async () => {
      if (thread.isAlive()) await thread.ask('close', null).catch(() => {});
      await thread.stop();
      heaps[Symbol.dispose]();
    },
  };
}

/** Calls `stop` when `checkpoint` throws. */
function stopWhen(checkpoint: () => void, stop: () => Promise<void>) {
  const watch = { reason: null as unknown, end: () => clearInterval(timer) };
  const timer = setInterval(() => {
    try {
      checkpoint();
    } catch (error) {
      watch.reason = error;
      watch.end();
      void stop();
    }
  }, LOOK_MS);
  return watch;
}
