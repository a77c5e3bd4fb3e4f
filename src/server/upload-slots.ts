import { FuelError } from '../domain/errors.ts';
import { MAX_EXPORTS_AT_ONCE } from './limits.ts';

/** H19: how many uploads, or exports, are under way; each holds a part of its file in memory. */
export interface UploadSlots {
  /** False when all slots are taken. A taken slot must be released. */
  take(): boolean;
  giveBack(): void;
}

/** Errors: rate_limited when all are taken. */
export async function withSlot<T>(slots: UploadSlots, work: () => Promise<T>): Promise<T> {
  if (!slots.take()) throw tooManyExports();
  try {
    return await work();
  } finally {
    slots.giveBack();
  }
}

export function tooManyExports(): FuelError {
  return new FuelError('rate_limited', `Too many concurrent exports (limit ${MAX_EXPORTS_AT_ONCE}).`, {
    hint: 'Try again when one has finished.',
  });
}

export function createUploadSlots(count: number): UploadSlots {
  let free = count;
  return {
    take: () => {
      if (free === 0) return false;
      free--;
      return true;
    },
    giveBack: () => {
      free++;
    },
  };
}
