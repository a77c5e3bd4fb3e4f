import { Bot, Copy } from 'lucide-react';
import { type MouseEvent, useEffect, useRef } from 'react';
import { isFromAgent } from '../../reading/entry.ts';
import { formatNanos, plural, withoutCodeMarks } from '../../reading/format.ts';
import { formatChange } from '../../reading/diff.ts';
import { type Commit, commitsOf } from '../../reading/rows/commits.ts';
import { isInherited, type OutlineIndex } from '../../reading/rows/outline-index.ts';
import { failuresIn } from '../../reading/rows/work.ts';
import { VirtualList, type VirtualHandle } from '../virtual-list.tsx';
import { CommitList } from './commit-mark.tsx';
import { useLitTurns } from './lit-turns.ts';
import type { TurnSelection } from './selection-bar.tsx';
import type { Navigation } from './use-navigation.ts';
import styles from './outline-pane.module.css';

interface OutlinePaneProps {
  readonly index: OutlineIndex;
  readonly currentTurn: number;
  readonly selection: TurnSelection;
  readonly navigation: Pick<Navigation, 'goToTurn' | 'jumpTo'>;
  /** The reader has gone to a turn or a commit. */
  readonly onChosen: () => void;
}

const CHAPTER_PX = 58;
const COMMIT_PX = 21;

/** The prompts of a session as chapters. */
export function OutlinePane({ index, currentTurn, selection, navigation, onChosen }: OutlinePaneProps) {
  const turns = index.tree.rootsOf(-1);
  const list = useRef<VirtualHandle>(null);
  const place = turns.indexOf(currentTurn);
  useEffect(() => {
    if (place >= 0) list.current?.scrollTo(place, 'auto');
  }, [place]);
  const choose = (event: MouseEvent, turn: number) => {
    if (event.shiftKey) selection.extend(turn, turns);
    else if (event.ctrlKey || event.metaKey) selection.flip(turn);
    else {
      navigation.goToTurn(turn);
      onChosen();
    }
  };
  const openCommit = ({ ordinal }: Commit) => {
    navigation.jumpTo(ordinal);
    onChosen();
  };
  return (
    <nav className={`${styles['pane']} no-print`} aria-label="Prompts">
      <VirtualList
        rows={turns}
        rowKey={String}
        estimatePx={(turn) => CHAPTER_PX + commitsOf(index, turn).length * COMMIT_PX}
        rowAttributes={() => ({ className: 'virtual-row', role: 'listitem' })}
        renderRow={(turn) => (
          <>
            <Chapter
              index={index}
              turn={turn}
              isCurrent={turn === currentTurn}
              isSelected={selection.turns.has(turn)}
              onChoose={choose}
            />
            <CommitList index={index} turn={turn} onOpen={openCommit} />
          </>
        )}
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
  readonly isSelected: boolean;
  readonly onChoose: (event: MouseEvent, turn: number) => void;
}

function Chapter({ index, turn, isCurrent, isSelected, onChoose }: ChapterProps) {
  const { turns } = index;
  const isLit = useLitTurns().has(turn);
  const cost = turns.cost[turn] ?? null;
  const errors = failuresIn(index, turn);
  const change = { added: turns.lines_added[turn] ?? 0, removed: turns.lines_removed[turn] ?? 0 };
  return (
    <button
      type="button"
      className={styles['chapter']}
      data-turn={turn}
      aria-current={isCurrent ? 'location' : undefined}
      data-selected={isSelected || undefined}
      data-lit={isLit || undefined}
      title={SELECT_HINT}
      onClick={(event) => onChoose(event, turn)}
    >
      <span className={styles['excerpt']} dir="auto">
        <Origin index={index} turn={turn} />
        {withoutCodeMarks(turns.excerpt[turn] ?? '') || originName(turns.origin[turn] ?? '')}
      </span>
      <span className={styles['facts']} data-part="facts">
        {cost !== null && <span>{formatNanos(cost)}</span>}
        {change.added + change.removed > 0 && <span>{formatChange(change)}</span>}
        {errors > 0 && (
          <span className={styles['bad']} title={plural(errors, 'failed call')}>
            ✗ {errors}
          </span>
        )}
      </span>
    </button>
  );
}

/** Marks turns that were not typed in this session. */
function Origin({ index, turn }: Pick<ChapterProps, 'index' | 'turn'>) {
  if (isInherited(index, turn)) return <Copy size={12} role="img" aria-label="Copied:" />;
  if (!isFromAgent(index.turns.origin[turn] ?? '')) return null;
  return <Bot size={13} className={styles['agent']} role="img" aria-label="Teammate:" />;
}

const SELECT_HINT = 'Shift or Ctrl and a click select turns, to copy them';

function originName(origin: string): string {
  return origin.replaceAll('_', ' ');
}
