import { type RefCallback, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
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

/** Makes an element a share of the one around it, through the CSSOM: the content security policy forbids style attributes. */
export function useShare(share: number, side: 'width' | 'height' = 'width'): RefCallback<HTMLElement> {
  return useCallback((element) => element?.style.setProperty(side, `${Math.round(share * 1000) / 10}%`), [share, side]);
}
