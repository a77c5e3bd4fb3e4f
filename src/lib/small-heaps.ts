import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Limits the memory of a process with several threads. V8 lets the space for new objects grow to 64 MB in the main thread
 * and collects old objects only when they have grown fourfold; neither can be limited for a running thread. For an import, 4
 * MB for new objects are enough, and old ones may grow by 70 %: less growth takes more time, more growth takes more memory.
 * Threads that start meanwhile get their full space for new objects immediately.
 */

const ENOUGH_BYTES = 4 * 1024 * 1024;
const SMALL_FLAGS = ['--heap-growing-percent=70', '--min-semi-space-size=4'];
const DEFAULT_FLAGS = ['--heap-growing-percent=0', '--min-semi-space-size=0', '--semi-space-growth-factor=2'];
const CHECK_MS = 200;

let holders = 0;
let timer: NodeJS.Timeout | undefined;

/** Keeps the heaps of all threads small until all holders have released it. */
export function keepHeapsSmall(): Disposable {
  if (holders++ === 0) {
    for (const flag of SMALL_FLAGS) setFlagsFromString(flag);
    stopGrowthWhenEnough();
  }
  return { [Symbol.dispose]: release };
}

/** Lets the space grow to a useful size first: a smaller one would be collected all the time. */
function stopGrowthWhenEnough(): void {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  if ((young?.space_size ?? 0) >= ENOUGH_BYTES) return setFlagsFromString('--semi-space-growth-factor=1');
  timer = setTimeout(stopGrowthWhenEnough, CHECK_MS).unref();
}

function release(): void {
  if (--holders > 0) return;
  clearTimeout(timer);
  for (const flag of DEFAULT_FLAGS) setFlagsFromString(flag);
}
