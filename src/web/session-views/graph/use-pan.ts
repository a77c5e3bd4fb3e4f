import { useEffect, useRef } from 'react';

/** Wheel movement that makes one step of zooming. */
const STEP_PX = 60;

/** Dragging moves the drawing, and the wheel with Ctrl zooms. Everything else is ordinary scrolling. */
export function usePan(box: HTMLElement | null, onZoom: (by: number) => void): void {
  const zoom = useRef(onZoom);
  useEffect(() => {
    zoom.current = onZoom;
  });
  useEffect(() => {
    if (box === null) return undefined;
    const ends = new AbortController();
    const { signal } = ends;
    let turned = 0;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      turned += event.deltaY;
      if (Math.abs(turned) < STEP_PX) return;
      zoom.current(turned < 0 ? 1 : -1);
      turned = 0;
    };
    const drag = ({ buttons, movementX, movementY, pointerType }: PointerEvent) => {
      if (buttons !== 1 || pointerType !== 'mouse') return;
      box.scrollBy(-movementX, -movementY);
    };
    box.addEventListener('wheel', wheel, { signal, passive: false });
    box.addEventListener('pointermove', drag, { signal });
    return () => ends.abort();
  }, [box]);
}
