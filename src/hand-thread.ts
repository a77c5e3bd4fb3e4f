import { Worker } from 'node:worker_threads';
import type { Config } from './config.ts';
import { FuelError } from './domain/errors.ts';
import type { FromHand, HandWorkerData, ToHand, ToldError, ToldResult } from './hand-worker.ts';
import type { Log } from './lib/log.ts';
import type { Hand } from './pipeline/crew.ts';
import type { WorkResult } from './pipeline/work-on-session.ts';

export interface ThreadHand extends Hand, AsyncDisposable {}

export interface ThreadHandOptions {
  readonly config: Config;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** The worker stands beside this file, as source or built. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './hand-worker.ts' : './hand-worker.cjs', import.meta.url);

/**
 * A hand in a thread of its own. It takes one order at a time, and leaves when the program is to end or it is disposed
 * of; an order that comes later is not carried out.
 */
export async function startThreadHand({ config, signal, log }: ThreadHandOptions): Promise<ThreadHand> {
  const worker = new Worker(WORKER, { workerData: { config } satisfies HandWorkerData });
  let isLeaving = false;
  let waiting: Waiting = NOBODY;
  worker.on('message', (message: FromHand) => {
    if (message.kind === 'log') log[message.level](message.message, message.fields);
    else if (message.kind === 'result') waiting.tell(fromTold(message.result));
    else if (message.kind === 'refused') waiting.reject(toError(message.error));
    else waiting.resolve(message.kind === 'done' && message.result !== null ? fromTold(message.result) : null);
  });
  worker.once('error', (error) => waiting.reject(error));
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  void exited.then(() => waiting.reject(new Error('a thread that works on sessions ended by itself')));
  const answer = (tell: Waiting['tell'] = () => {}) =>
    new Promise<WorkResult | null>((resolve, reject) => (waiting = { tell, resolve, reject }));
  const ask = async (order: ToHand, tell?: Waiting['tell']) => {
    if (isLeaving) return null;
    worker.postMessage(order);
    return answer(tell);
  };
  const leave = () => {
    if (!isLeaving) worker.postMessage({ kind: 'leave' } satisfies ToHand);
    isLeaving = true;
  };
  await answer();
  signal.addEventListener('abort', leave);
  return {
    one: (work, sessionId) => ask({ kind: 'one', work, sessionId }),
    index: async (tell) => void (await ask({ kind: 'index' }, tell)),
    [Symbol.asyncDispose]: async () => {
      signal.removeEventListener('abort', leave);
      leave();
      await exited;
    },
  };
}

/** Who waits for what comes of an order. */
interface Waiting {
  readonly tell: (result: WorkResult) => void;
  readonly resolve: (result: WorkResult | null) => void;
  readonly reject: (error: Error) => void;
}

const NOBODY: Waiting = { tell: () => {}, resolve: () => {}, reject: () => {} };

function fromTold(result: ToldResult): WorkResult {
  return result.outcome === 'failed' ? { ...result, error: toError(result.error) } : result;
}

function toError({ code, message, hint }: ToldError): FuelError {
  return new FuelError(code, message, hint === undefined ? {} : { hint });
}
