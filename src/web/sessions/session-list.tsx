import { useCallback, useMemo, useRef } from 'react';
import type { SessionRow } from '../../api/sessions.ts';
import { isOnControl, useShortcuts } from '../keyboard.ts';
import { useEntryState, useEntryStore } from '../routing/entry-state.ts';
import { useGo } from '../routing/use-go.ts';
import { VirtualList, type RowAttributes, type VirtualHandle } from '../virtual-list.tsx';
import { withDays, type ListRow } from './list-rows.ts';
import { SessionRowView } from './session-row.tsx';
import styles from './session-list.module.css';
import rowStyles from './session-row.module.css';

const ROW_PX = 56;
const DAY_PX = 36;
const FETCH_BEFORE_END_ROWS = 40;
const COLUMNS = 5;

interface SessionListProps {
  readonly sessions: readonly SessionRow[];
  readonly now: Date;
  readonly hasMore: boolean;
  readonly onNearEnd: () => void;
}

export function SessionList({ sessions, now, hasMore, onNearEnd }: SessionListProps) {
  const rows = useMemo(() => withDays(sessions, now), [sessions, now]);
  const list = useRef<VirtualHandle>(null);
  const entry = useEntryStore();
  const { cursorId, setCursor } = useCursor({ sessions, rows, list });
  const onLastShown = useCallback(
    (index: number) => {
      if (hasMore && index >= rows.length - FETCH_BEFORE_END_ROWS) onNearEnd();
    },
    [hasMore, rows.length, onNearEnd],
  );
  return (
    <div
      className={styles.list}
      role="grid"
      aria-label="Sessions"
      aria-rowcount={hasMore ? -1 : rows.length}
      aria-colcount={COLUMNS}
      aria-activedescendant={cursorId === null ? undefined : `session-${cursorId}`}
      tabIndex={0}
    >
      <VirtualList
        rows={rows}
        rowKey={(row) => row.key}
        estimatePx={(row) => (row.kind === 'day' ? DAY_PX : ROW_PX)}
        rowAttributes={rowAttributes}
        renderRow={(row, index) => (
          <Line row={row} index={index} now={now} isCurrent={row.key === cursorId} onCursor={setCursor} />
        )}
        handle={list}
        attributes={{ className: `scroll ${styles.rows}`, role: 'rowgroup' }}
        paddingPx={{ start: 0, end: 48 }}
        startAtPx={entry.read<number>('scroll') ?? 0}
        onScrollPx={(px) => entry.write('scroll', px)}
        onLastShown={onLastShown}
      />
    </div>
  );
}

function rowAttributes(): RowAttributes {
  return { className: 'virtual-row', role: 'presentation' };
}

interface CursorInput {
  readonly sessions: readonly SessionRow[];
  readonly rows: readonly ListRow[];
  readonly list: React.RefObject<VirtualHandle | null>;
}

/** The row that keyboard shortcuts apply to. */
function useCursor({ sessions, rows, list }: CursorInput) {
  const go = useGo();
  const [cursorId, setCursor] = useEntryState<string | null>('cursor', null);
  const index = sessions.findIndex((session) => session.id === cursorId);
  const move = (step: number) => {
    const target = sessions[Math.min(Math.max(index + step, 0), sessions.length - 1)];
    if (target === undefined) return;
    setCursor(target.id);
    list.current?.scrollTo(
      rows.findIndex((row) => row.key === target.id),
      'auto',
    );
  };
  const open = (event: KeyboardEvent) => {
    if (isOnControl(event)) (event.target as HTMLElement).click();
    else if (index >= 0 && cursorId !== null) go({ kind: 'session', id: cursorId });
  };
  useShortcuts('Sessions', [
    { keys: ['j', 'ArrowDown'], label: 'Next session', run: () => move(1) },
    { keys: ['k', 'ArrowUp'], label: 'Previous session', run: () => move(-1) },
    { keys: ['Home'], label: 'First session', run: () => move(-sessions.length) },
    { keys: ['End'], label: 'Last session', run: () => move(sessions.length) },
    { keys: ['Enter'], label: 'Open the session', run: open },
  ]);
  return { cursorId: index < 0 ? null : cursorId, setCursor };
}

interface LineProps {
  readonly row: ListRow;
  readonly index: number;
  readonly now: Date;
  readonly isCurrent: boolean;
  readonly onCursor: (id: string) => void;
}

function Line({ row, index, now, isCurrent, onCursor }: LineProps) {
  const go = useGo();
  if (row.kind === 'day') {
    return (
      <div className={styles.day} role="row" aria-rowindex={index + 1}>
        <span role="gridcell" aria-colspan={COLUMNS}>
          {row.label}
        </span>
      </div>
    );
  }
  const { session, share } = row;
  const open = (event: React.MouseEvent) => {
    onCursor(session.id);
    // The link in the row keeps its native behavior, such as opening in a new tab.
    if (event.target instanceof HTMLElement && event.target.closest('a') !== null) return;
    if (window.getSelection()?.isCollapsed === false) return;
    go({ kind: 'session', id: session.id });
  };
  return (
    <div
      id={`session-${session.id}`}
      className={rowStyles.row}
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isCurrent}
      onClick={open}
    >
      <SessionRowView session={session} share={share} now={now} />
    </div>
  );
}
