import { FuelError } from '../domain/errors.ts';

/** H14: what whoever asked is told when the database was stopped. */
export function slowQuestion(cause?: unknown): FuelError {
  return new FuelError('timeout', 'The database was stopped: the answer took it too long.', {
    hint: 'Ask for less: a rarer word, or a shorter time such as `after:30d`. On a busy server, try again later.',
    ...(cause === undefined ? {} : { cause }),
  });
}
