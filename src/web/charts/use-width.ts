import { useEffect, useRef, useState, type RefObject } from 'react';
import { useIsPrinting } from '../printing.ts';

/** Charts are drawn this wide for paper, and scaled to the room that is there. */
const PAPER_PX = 680;

/** The width of an element in pixels, kept up to date; 0 until it is known. */
export function useWidth<E extends Element>(): readonly [RefObject<E | null>, number] {
  const ref = useRef<E>(null);
  const isPrinting = useIsPrinting();
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, isPrinting ? Math.min(width, PAPER_PX) : width];
}
