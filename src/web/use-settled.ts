import { useEffect, useState } from 'react';

/** The value once it has not changed for this long. Until then, the value before it or, at first, the initial one. */
export function useSettled<T>(value: T, pauseMs: number, initial = value): T {
  const [settled, setSettled] = useState(initial);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
