import { Copy, X } from 'lucide-react';
import { useCallback, useState } from 'react';
import { plural } from '../../reading/format.ts';
import { type OutlineIndex, rangeOfTurn } from '../../reading/rows/outline-index.ts';
import { copyMarkdown } from '../items/copy-markdown.ts';
import { useItemContext } from '../items/item-context.ts';
import styles from './selection-bar.module.css';

export interface TurnSelection {
  readonly turns: ReadonlySet<number>;
  readonly flip: (turn: number) => void;
  /** Adds all turns from the one that was chosen last. */
  readonly extend: (turn: number, all: readonly number[]) => void;
  readonly clear: () => void;
}

const NO_TURNS: ReadonlySet<number> = new Set();

/** Turns chosen to be copied together. */
export function useTurnSelection(): TurnSelection {
  const [turns, setTurns] = useState(NO_TURNS);
  const [last, setLast] = useState(-1);
  const flip = useCallback((turn: number) => {
    setLast(turn);
    setTurns((chosen) =>
      chosen.has(turn) ? new Set([...chosen].filter((each) => each !== turn)) : new Set([...chosen, turn]),
    );
  }, []);
  const extend = (turn: number, all: readonly number[]) => {
    const [from, to] = [all.indexOf(last), all.indexOf(turn)].toSorted((a, b) => a - b) as [number, number];
    if (from < 0) return flip(turn);
    setLast(turn);
    setTurns(new Set([...turns, ...all.slice(from, to + 1)]));
  };
  return { turns, flip, extend, clear: () => setTurns(NO_TURNS) };
}

interface SelectionBarProps {
  readonly index: OutlineIndex;
  readonly selection: TurnSelection;
}

/** Actions for the selected turns. */
export function SelectionBar({ index, selection: { turns, clear } }: SelectionBarProps) {
  const context = useItemContext();
  if (turns.size === 0) return null;
  const copy = (isRedacted: boolean) => {
    const ranges = [...turns].map((turn) => rangeOfTurn(index, turn)).toSorted((a, b) => a.from - b.from);
    void copyMarkdown(context, ranges, { isRedacted });
  };
  return (
    <div className={`${styles['bar']} no-print`} role="toolbar" aria-label="Selected turns">
      <output>{plural(turns.size, 'turn')} selected</output>
      <span className={styles['copies']}>
        <button type="button" className={styles['main']} onClick={() => copy(true)}>
          <Copy size={14} aria-hidden="true" />
          Copy without secrets
        </button>
        <button type="button" onClick={() => copy(false)}>
          Copy as it is
        </button>
      </span>
      <button type="button" aria-label="Clear the selection" title="Clear the selection (Esc)" onClick={clear}>
        <X size={16} aria-hidden="true" />
      </button>
    </div>
  );
}
