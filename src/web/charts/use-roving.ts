import { useCallback, useState, type KeyboardEvent } from 'react';

interface Roving {
  /** The one stop of the Tab key among the elements. */
  readonly isStop: (index: number) => boolean;
  /** For the element around them: arrow keys, Home and End move the focus. */
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

/**
 * Makes many links one stop of the Tab key. The links are those with `data-roving`, in order of the document; `start` is
 * the first stop.
 */
export function useRoving(count: number, start: number): Roving {
  const [chosen, setChosen] = useState<number | null>(null);
  const stop = Math.min(Math.max(chosen ?? start, 0), count - 1);
  const onKeyDown = useCallback(
    (event: KeyboardEvent) => {
      const step = STEPS[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const all = [...event.currentTarget.querySelectorAll<HTMLElement | SVGElement>('[data-roving]')];
      const next = Math.min(Math.max(all.indexOf(event.target as HTMLElement) + step, 0), count - 1);
      setChosen(next);
      all[next]?.focus();
    },
    [count],
  );
  return { isStop: (index) => index === stop, onKeyDown };
}
