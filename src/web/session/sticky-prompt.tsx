import { isFromAgent } from '../../reading/entry.ts';
import { formatClock, withoutCodeMarks } from '../../reading/format.ts';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import type { RowList } from '../../reading/rows/row-list.ts';
import styles from './reader.module.css';

interface StickyPromptProps {
  readonly index: OutlineIndex;
  readonly list: RowList;
  readonly firstRow: number;
  readonly onOpen: (turn: number) => void;
}

/** The prompt of the turn on screen, while the prompt itself is above it. */
export function StickyPrompt({ index, list, firstRow, onOpen }: StickyPromptProps) {
  const turn = firstRow < list.count ? list.turnAt(firstRow) : -1;
  const excerpt = index.turns.excerpt[turn] ?? '';
  if (turn < 0 || excerpt === '' || firstRow <= list.rowOfTurn(turn)) return null;
  const time = index.turns.time[turn] ?? null;
  return (
    <button
      type="button"
      className={`${styles['sticky']} no-print`}
      title="Go to this prompt"
      data-from={isFromAgent(index.turns.origin[turn] ?? '') ? 'agent' : undefined}
      onClick={() => onOpen(turn)}
    >
      <span className={styles['sticky-text']} dir="auto">
        {withoutCodeMarks(excerpt)}
      </span>
      {time !== null && <span className={styles['sticky-time']}>{formatClock(new Date(time).toISOString())}</span>}
    </button>
  );
}
