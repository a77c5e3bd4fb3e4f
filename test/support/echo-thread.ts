import { workerData } from 'node:worker_threads';
import { FuelError } from '../../src/domain/errors.ts';
import { answerRequests } from '../../src/lib/thread.ts';

/** A thread that doubles numbers, and fails or exits on request. */
const { factor } = workerData as { readonly factor: number };

answerRequests({
  double: async (number: number) => number * factor,
  fail: async (message: string) => {
    throw new FuelError('blob_missing', message, { hint: 'Look elsewhere.' });
  },
  crash: () => {
    setImmediate(() => {
      throw new Error('crashed');
    });
    return new Promise(() => {});
  },
  hoard: () => {
    const hoarded: unknown[] = [];
    for (;;) hoarded.push(Array.from({ length: 1_000 }, (_, n) => ({ n })));
  },
});
