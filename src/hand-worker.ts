import { parentPort, workerData } from 'node:worker_threads';
import { openApp } from './app.ts';
import type { Config } from './config.ts';
import { type ErrorCode, toFuelError } from './domain/errors.ts';
import { systemClock } from './lib/clock.ts';
import type { Log, LogFields, LogLevel } from './lib/log.ts';
import { type Hand, handOf } from './pipeline/crew.ts';
import type { LineWork } from './pipeline/work-on-next.ts';
import type { WorkResult } from './pipeline/work-on-session.ts';

/** A thread that works on sessions as the one that started it does: with its own store, and one order at a time. */
export interface HandWorkerData {
  readonly config: Config;
}

export type ToHand =
  | { readonly kind: 'one'; readonly work: LineWork; readonly sessionId: string }
  | { readonly kind: 'index' }
  /** What is under way has a little time left; no other order comes. */
  | { readonly kind: 'leave' };

/** Errors of ours lose their class on the way between threads. */
export interface ToldError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

export type ToldResult = { readonly sessionId: string } & (
  | { readonly outcome: Exclude<WorkResult['outcome'], 'failed'> }
  | { readonly outcome: 'failed'; readonly error: ToldError }
);

export type FromHand =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly result: ToldResult }
  /** The order is carried out; of one on a single session, this came of it. */
  | { readonly kind: 'done'; readonly result: ToldResult | null }
  | { readonly kind: 'refused'; readonly error: ToldError }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly message: string; readonly fields: LogFields };

const { config } = workerData as HandWorkerData;
const stop = new AbortController();
const tell = (message: FromHand) => parentPort?.postMessage(message);
const logAt =
  (level: LogLevel) =>
  (message: string, fields: LogFields = {}) =>
    tell({ kind: 'log', level, message, fields });
const log: Log = { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };

void takeOrders().catch((error: unknown) => {
  tell({ kind: 'refused', error: toToldError(error) });
  throw error;
});

async function takeOrders(): Promise<void> {
  await using app = await openApp({ config, clock: systemClock, log });
  const hand = handOf(await app.openLine(stop.signal));
  const dismissed = Promise.withResolvers<void>();
  let underWay = Promise.resolve();
  parentPort?.on('message', (order: ToHand) => {
    if (order.kind !== 'leave') underWay = carryOut(hand, order);
    else dismissed.resolve();
  });
  tell({ kind: 'ready' });
  await dismissed.promise;
  stop.abort();
  await underWay;
  parentPort?.close();
}

async function carryOut(hand: Hand, order: Exclude<ToHand, { kind: 'leave' }>): Promise<void> {
  try {
    const result = order.kind === 'one' ? await hand.one(order.work, order.sessionId) : null;
    if (order.kind === 'index') await hand.index((each) => tell({ kind: 'result', result: toTold(each) }));
    tell({ kind: 'done', result: result === null ? null : toTold(result) });
  } catch (error) {
    tell({ kind: 'refused', error: toToldError(error) });
  }
}

function toTold(result: WorkResult): ToldResult {
  return result.outcome === 'failed' ? { ...result, error: toToldError(result.error) } : result;
}

function toToldError(error: unknown): ToldError {
  const { code, message, hint } = toFuelError(error);
  return { code, message, hint };
}
