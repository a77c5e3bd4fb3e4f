import { useEffect, useRef } from 'react';
import { NANOS_PER_DOLLAR } from '../../domain/usage.ts';
import { formatCost } from '../../reading/format.ts';
import { formatChange } from '../../reading/diff.ts';
import type { OutlineIndex } from '../../reading/rows/outline-index.ts';
import { VirtualList, type VirtualHandle } from '../virtual-list.tsx';
import styles from './outline-pane.module.css';

interface OutlinePaneProps {
  readonly index: OutlineIndex;
  readonly currentTurn: number;
  readonly onChoose: (turn: number) => void;
}

const CHAPTER_PX = 58;

/** The prompts of a session as chapters. */
export function OutlinePane({ index, currentTurn, onChoose }: OutlinePaneProps) {
  const turns = index.tree.rootsOf(-1);
  const list = useRef<VirtualHandle>(null);
  const place = turns.indexOf(currentTurn);
  useEffect(() => {
    if (place >= 0) list.current?.scrollTo(place, 'auto');
  }, [place]);
  return (
    <nav className={styles['pane']} aria-label="Prompts">
      <VirtualList
        rows={turns}
        rowKey={String}
        estimatePx={() => CHAPTER_PX}
        rowAttributes={() => ({ className: 'virtual-row', role: 'listitem' })}
        renderRow={(turn) => <Chapter index={index} turn={turn} isCurrent={turn === currentTurn} onChoose={onChoose} />}
        handle={list}
        attributes={{ className: `scroll ${styles['list'] ?? ''}`, role: 'list' }}
      />
    </nav>
  );
}

interface ChapterProps {
  readonly index: OutlineIndex;
  readonly turn: number;
  readonly isCurrent: boolean;
  readonly onChoose: (turn: number) => void;
}

function Chapter({ index: { turns }, turn, isCurrent, onChoose }: ChapterProps) {
  const cost = turns.cost[turn] ?? null;
  const errors = turns.tool_errors[turn] ?? 0;
  const commits = turns.commits[turn] ?? 0;
  const change = { added: turns.lines_added[turn] ?? 0, removed: turns.lines_removed[turn] ?? 0 };
  return (
    <button
      type="button"
      className={styles['chapter']}
      aria-current={isCurrent ? 'location' : undefined}
      onClick={() => onChoose(turn)}
    >
      <span className={styles['excerpt']} dir="auto">
        {turns.excerpt[turn] || originName(turns.origin[turn] ?? '')}
      </span>
      <span className={styles['facts']}>
        {cost !== null && <span>{formatCost(cost / NANOS_PER_DOLLAR)}</span>}
        {change.added + change.removed > 0 && <span>{formatChange(change)}</span>}
        {commits > 0 && <span className={styles['good']}>✓ {commits === 1 ? 'commit' : `${commits} commits`}</span>}
        {errors > 0 && <span className={styles['bad']}>✗ {errors}</span>}
      </span>
    </button>
  );
}

function originName(origin: string): string {
  return origin.replaceAll('_', ' ');
}
