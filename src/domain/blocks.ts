import { HOUR_MS, MINUTE_MS } from './durations.ts';
import { SLOT_MS } from './usage.ts';

/** Claude's limits count usage in windows of five hours. */
export const BLOCK_MS = 5 * HOUR_MS;
const BLOCK_SLOTS = BLOCK_MS / SLOT_MS;
const SLOTS_PER_HOUR = HOUR_MS / SLOT_MS;

/** Slots are quarters of an hour. */
export interface Block<C> {
  /** The full hour of its first usage. */
  readonly start: number;
  /** The first slot after it. */
  readonly end: number;
  readonly firstUsed: number;
  readonly lastUsed: number;
  readonly cells: readonly C[];
}

/**
 * Usage in blocks, oldest first. A block starts at the full hour of its first usage and lasts five hours; the next one
 * starts with the first usage after its end. Usage without a time is in none. Only complete if the usage starts after
 * five hours without any, because each block depends on the one before it.
 */
export function findBlocks<C extends { readonly slot: number | null }>(cells: readonly C[]): readonly Block<C>[] {
  const slots = Map.groupBy(
    cells.filter(({ slot }) => slot !== null),
    ({ slot }) => slot as number,
  );
  const blocks: (Block<C> & { lastUsed: number; readonly cells: C[] })[] = [];
  for (const [slot, own] of [...slots].toSorted(([a], [b]) => a - b)) {
    const current = blocks.at(-1);
    if (current !== undefined && slot < current.end) {
      current.lastUsed = slot;
      current.cells.push(...own);
    } else {
      const start = Math.floor(slot / SLOTS_PER_HOUR) * SLOTS_PER_HOUR;
      blocks.push({ start, end: start + BLOCK_SLOTS, firstUsed: slot, lastUsed: slot, cells: [...own] });
    }
  }
  return blocks;
}

/** Whether a block must start at `slot` when the usage before it was at `before`. */
export function startsAfresh(before: number, slot: number): boolean {
  return slot - before >= BLOCK_SLOTS;
}

export function blockAt<C>(blocks: readonly Block<C>[], now: Date): Block<C> | null {
  const slot = now.getTime() / SLOT_MS;
  return blocks.findLast(({ start, end }) => start <= slot && slot < end) ?? null;
}

/** How fast an amount grows in a block, and what it will be at the end of the block at this rate. */
interface Pace {
  readonly perMinute: number;
  readonly projected: number;
}

/** Over the time since the first usage, which is known to a quarter of an hour; so at least over that long. */
export function paceOf(amount: number, { firstUsed, end }: Omit<Block<unknown>, 'cells'>, now: Date): Pace {
  const nowMs = now.getTime();
  const perMinute = amount / (Math.max(nowMs - firstUsed * SLOT_MS, SLOT_MS) / MINUTE_MS);
  const minutesLeft = Math.max(0, end * SLOT_MS - nowMs) / MINUTE_MS;
  return { perMinute, projected: Math.min(Math.round(amount + perMinute * minutesLeft), Number.MAX_SAFE_INTEGER) };
}
