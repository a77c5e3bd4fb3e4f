import { FuelError } from '../../domain/errors.ts';
import { MAX_LIVE_STREAMS } from '../limits.ts';

/** Counts what is open at a time. */
export interface StreamGate {
  /** Gives the way to leave again. Errors: rate_limited. */
  enter(): () => void;
  count(): number;
}

export function createStreamGate(max = MAX_LIVE_STREAMS): StreamGate {
  let open = 0;
  return {
    enter: () => {
      if (open >= max) {
        throw new FuelError('rate_limited', `Too many live streams (limit ${max}).`, {
          hint: 'Close a browser tab or program that follows sessions.',
        });
      }
      open += 1;
      let isInside = true;
      return () => {
        if (isInside) open -= 1;
        isInside = false;
      };
    },
    count: () => open,
  };
}
