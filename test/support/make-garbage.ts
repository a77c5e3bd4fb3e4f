import { setTimeout as wait } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { keepHeapsSmall } from '../../src/lib/small-heaps.ts';

/** Creates objects that live for a while, first with the young generation held, then without, and prints its sizes. */
const sizeOf = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;

function makeGarbage(): number {
  let kept: unknown[] = [];
  for (let n = 0; n < 1_000_000; n += 1) {
    kept.push({ n, text: `${n}` });
    if (kept.length > 20_000) kept = [];
  }
  return sizeOf();
}

const held = keepHeapsSmall();
const alsoHeld = keepHeapsSmall();
// Grows until it is large enough.
let kept: unknown[] = [];
while (sizeOf() < 8 * 1024 * 1024) {
  for (let n = 0; n < 10_000; n += 1) kept.push({ n });
  if (kept.length > 100_000) kept = [];
}
const enough = sizeOf();
await wait(500);
alsoHeld[Symbol.dispose]();
const whileHeld = makeGarbage();
held[Symbol.dispose]();
console.log(JSON.stringify({ enough, whileHeld, afterwards: makeGarbage() }));
