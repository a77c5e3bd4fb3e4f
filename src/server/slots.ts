import { FuelError } from '../domain/errors.ts';

/** H19: limits how many requests of one kind run at once. */
export interface Slots {
  /** Returns the function that releases the slot. Errors: rate_limited when all are taken. */
  take(): () => void;
  taken(): number;
}

export function createSlots(max: number, what: string, hint = 'Try again when one has finished.'): Slots {
  let taken = 0;
  return {
    take: () => {
      if (taken >= max) throw new FuelError('rate_limited', `Too many ${what} (limit ${max}).`, { hint });
      taken += 1;
      let isReleased = false;
      return () => {
        if (!isReleased) taken -= 1;
        isReleased = true;
      };
    },
    taken: () => taken,
  };
}

/** Errors: rate_limited when all slots are taken. */
export async function withSlot<T>(slots: Slots, work: () => T | Promise<T>): Promise<T> {
  const release = slots.take();
  try {
    return await work();
  } finally {
    release();
  }
}
