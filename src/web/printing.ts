import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Longer lists would keep the browser busy for a long time, and nobody reads them on paper. */
export const MAX_PRINTED_ROWS = 3_000;

/** True while the browser prints: the document then has all rows, not only those in view. */
export function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // The browser lays out the pages as soon as this returns.
    const begin = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}
