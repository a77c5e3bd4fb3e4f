import { FuelError } from '../domain/errors.ts';

/** H14: the error for a query that was stopped. */
export function slowQuestion(cause?: unknown): FuelError {
  return new FuelError('timeout', 'The query took too long and was cancelled.', {
    hint: 'Narrow it down with a rarer word or a shorter period such as `after:30d`. On a busy server, try again later.',
    ...(cause === undefined ? {} : { cause }),
  });
}
