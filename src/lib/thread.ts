import { parentPort, type ResourceLimits, Worker } from 'node:worker_threads';
import { type ErrorCode, FuelError, toFuelError } from '../domain/errors.ts';

/** Threads that answer requests. Requests and answers are copied, so they are plain values. */

/** The file of a thread beside a module, both in the sources and in the build. */
export function threadUrl(moduleUrl: string, name: string): URL {
  return new URL(`./${name}${moduleUrl.endsWith('.ts') ? '.ts' : '.cjs'}`, moduleUrl);
}

/** The requests that a thread answers, by name. */
type Answers = { readonly [name: string]: (question: never) => unknown };

/** The handle of a thread with answers of this type. */
export interface Thread<A extends Answers> {
  /** Errors: those of the thread; ThreadDied. */
  ask<K extends keyof A & string>(name: K, question: Parameters<A[K]>[0]): Promise<Awaited<ReturnType<A[K]>>>;
  isAlive(): boolean;
  /** Stops the thread, whatever it is doing. Unanswered requests fail. */
  stop(): Promise<void>;
}

/** The thread crashed, ran out of memory or was stopped; the request may or may not be the cause. */
export class ThreadDied extends Error {}

interface Request {
  readonly id: number;
  readonly name: string;
  readonly question: unknown;
}

/** An error as it can be copied to another thread. */
export interface PackedError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

type Reply = { readonly id: number; readonly answer: unknown } | { readonly id: number; readonly failure: PackedError };

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** Starts a thread. `data` is its `workerData`. */
export function startThread<A extends Answers>(
  url: URL,
  data: unknown,
  resourceLimits: ResourceLimits = {},
): Thread<A> {
  const worker = new Worker(url, { workerData: data, resourceLimits });
  const waiting = new Map<number, Waiting>();
  let failure: ThreadDied | null = null;
  let asked = 0;
  const die = (why: string) => {
    failure ??= new ThreadDied(why);
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  };
  worker.on('error', (error) => die(error instanceof Error ? error.message : String(error)));
  worker.on('exit', () => die('the thread ended'));
  worker.on('message', (reply: Reply) => {
    const asker = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('failure' in reply) asker?.reject(unpackError(reply.failure));
    else asker?.resolve(reply.answer as never);
  });
  return {
    ask: (name, question) =>
      new Promise((resolve, reject) => {
        if (failure !== null) return reject(failure);
        const id = asked++;
        waiting.set(id, { resolve, reject });
        worker.postMessage({ id, name, question } satisfies Request);
      }),
    isAlive: () => failure === null,
    stop: async () => {
      die('the thread was stopped');
      await worker.terminate();
    },
  };
}

/** In the thread: answers requests in the order in which they arrive, without waiting for earlier ones to be answered. */
export function answerRequests(answers: Answers): void {
  const answer = async ({ id, name, question }: Request): Promise<Reply> => {
    try {
      return { id, answer: await answers[name]?.(question as never) };
    } catch (error) {
      return { id, failure: packError(error) };
    }
  };
  parentPort?.on('message', (request: Request) => {
    void answer(request).then((reply) => parentPort?.postMessage(reply));
  });
}

export function packError(error: unknown): PackedError {
  const { code, message, hint } = toFuelError(error);
  return { code, message, hint };
}

export function unpackError({ code, message, hint }: PackedError): FuelError {
  return new FuelError(code, message, hint === undefined ? {} : { hint });
}
