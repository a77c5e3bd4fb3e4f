import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import type { Move, ScrollerHandle } from './row-scroller.tsx';

/** While the end of a running session is in view, it stays in view; otherwise new items are counted. */
export function useFollow(index: OutlineIndex, scroller: RefObject<ScrollerHandle | null>) {
  const { count } = index.columns;
  const isFollowing = useRef(false);
  const lastCount = useRef(count);
  const [seen, setSeen] = useState(count);
  // On every render: loaded text makes rows taller, and the end moves with it.
  useLayoutEffect(() => {
    const hasGrown = lastCount.current !== count;
    if (hasGrown && isFollowing.current) scroller.current?.scrollToEnd();
    else if (!hasGrown && scroller.current !== null) isFollowing.current = scroller.current.isAtEnd();
  });
  // A session that fits on the screen does not scroll.
  useEffect(() => {
    if (isFollowing.current) setSeen(count);
  }, [count]);
  const onMove = useCallback(
    ({ isAtEnd, isUp }: Move) => {
      if (isAtEnd) setSeen(count);
      else if (!isUp) return;
      isFollowing.current = isAtEnd;
      lastCount.current = count;
    },
    [count],
  );
  const catchUp = useCallback(() => {
    isFollowing.current = true;
    setSeen(count);
    scroller.current?.scrollToEnd();
  }, [scroller, count]);
  return { newBelow: countMain(index, seen), onMove, catchUp };
}

/** Items of the main conversation from a position on. Those of agents are folded, or appear in the place of the agent. */
function countMain({ columns: { agent, count } }: OutlineIndex, from: number): number {
  let main = 0;
  for (let item = from; item < count; item += 1) if (agent[item] === -1) main += 1;
  return main;
}
