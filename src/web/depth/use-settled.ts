import { useEffect, useState } from 'react';

const SETTLE_MS = 120;

/** The value once it has not changed for a moment, so that walking quickly requests nothing on the way. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
