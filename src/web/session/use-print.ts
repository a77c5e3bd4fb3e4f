import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { plural } from '../../reading/format.ts';
import { whenMediaLoaded } from '../items/media/use-media.ts';
import { MAX_PRINTED_ROWS } from '../printing.ts';
import { showToast } from '../shell/toasts.ts';
import type { LoadedContent } from './use-content.ts';
import type { Rows } from './use-rows.ts';

interface PrintOptions {
  readonly rows: Rows;
  readonly content: LoadedContent;
  readonly isPrinting: boolean;
  readonly setPrinting: (isPrinting: boolean) => void;
}

export interface Print {
  /** The whole session is being loaded, or is on its way to the printer. */
  readonly isPrinting: boolean;
  /** The rows for the printer. */
  readonly paper: RefObject<HTMLDivElement | null>;
  readonly start: () => void;
  readonly cancel: () => void;
}

/** Prints the session as it is folded now: loads all of it first, because only what is in view is in the document. */
export function usePrint({ rows, content, isPrinting, setPrinting }: PrintOptions): Print {
  const paper = useRef<HTMLDivElement>(null);
  const cancel = () => setPrinting(false);
  const start = () => {
    if (rows.list.count <= MAX_PRINTED_ROWS) setPrinting(true);
    else refuse(rows);
  };
  const fail = useEffectEvent((error: Error) => {
    setPrinting(false);
    showToast(`The session cannot be printed: ${error.message}`);
  });
  const { error, isComplete } = content;
  useEffect(() => {
    if (isPrinting && error !== null) fail(error);
  }, [isPrinting, error]);
  const end = useEffectEvent(cancel);
  useEffect(() => {
    if (!isPrinting || !isComplete) return undefined;
    let isCurrent = true;
    const print = async () => {
      await whenMediaLoaded();
      await Promise.allSettled(Array.from(paper.current?.querySelectorAll('img') ?? [], (image) => image.decode()));
      if (!isCurrent) return;
      window.addEventListener('afterprint', end, { once: true });
      window.print();
    };
    void print();
    return () => {
      isCurrent = false;
      window.removeEventListener('afterprint', end);
    };
  }, [isPrinting, isComplete]);
  return { isPrinting, paper, start, cancel };
}

function refuse({ list, density, setDensity }: Rows): void {
  const text = `${plural(list.count, 'row')} are too many to print. Share › Save as file makes a page of the whole session.`;
  showToast(text, density === 1 ? undefined : { label: 'Show answers only', run: () => setDensity(1) });
}
