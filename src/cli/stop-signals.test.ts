import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { toFuelError } from '../domain/errors.ts';
import { watchStopSignals } from './stop-signals.ts';

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])('I4: work that stops at %s is interrupted, not a bug', (name, exitCode) => {
  const process = new EventEmitter();
  const stop = watchStopSignals(process, () => {});
  expect(stop.exitCode()).toBeNull();
  process.emit(name);
  const thrown = (() => {
    try {
      return stop.signal.throwIfAborted();
    } catch (error) {
      return error;
    }
  })();
  expect(toFuelError(thrown)).toMatchObject({ code: 'interrupted', hint: 'Run it again.' });
  expect(stop.exitCode()).toBe(exitCode);
});
