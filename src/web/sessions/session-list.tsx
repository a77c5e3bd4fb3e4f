import { useCallback, useMemo, useRef, useState } from 'react';
import type { SessionRow } from '../../api/sessions.ts';
import { isOnControl, useShortcuts } from '../keyboard.ts';
import { useGo } from '../routing/use-go.ts';
import { VirtualList, type RowAttributes, type VirtualHandle } from '../virtual-list.tsx';
import { withPeriods, type ListRow } from './list-rows.ts';
import { COLUMNS, SessionRowView } from './session-row.tsx';

const ROW_PX = 38;
const PERIOD_PX = 42;
const FETCH_BEFORE_END_ROWS = 40;
const HEAD_ROWS = 1;

/** The position of the list when a session was opened, restored when going back. */
const lastPlace = { scrollPx: 0, id: '' };

interface SessionListProps {
  readonly sessions: readonly SessionRow[];
  readonly now: Date;
  readonly hasMore: boolean;
  readonly onNearEnd: () => void;
}

export function SessionList({ sessions, now, hasMore, onNearEnd }: SessionListProps) {
  const rows = useMemo(() => withPeriods(sessions, now), [sessions, now]);
  const list = useRef<VirtualHandle>(null);
  const cursorId = useCursor({ sessions, rows, list });
  const onLastShown = useCallback(
    (index: number) => {
      if (hasMore && index >= rows.length - FETCH_BEFORE_END_ROWS) onNearEnd();
    },
    [hasMore, rows.length, onNearEnd],
  );
  return (
    <div
      className="sessions"
      role="grid"
      aria-label="Sessions"
      aria-rowcount={hasMore ? -1 : rows.length + HEAD_ROWS}
      aria-colcount={COLUMNS.length}
      aria-activedescendant={cursorId === null ? undefined : `session-${cursorId}`}
      tabIndex={0}
    >
      <ColumnHeads />
      <VirtualList
        rows={rows}
        rowKey={(row) => row.key}
        estimatePx={(row) => (row.kind === 'period' ? PERIOD_PX : ROW_PX)}
        rowAttributes={rowAttributes}
        renderRow={(row, index) => <Line row={row} index={index} now={now} isCurrent={row.key === cursorId} />}
        handle={list}
        attributes={{ className: 'scroll', role: 'rowgroup' }}
        paddingPx={{ start: 0, end: 48 }}
        startAtPx={lastPlace.scrollPx}
        onScrollPx={(px) => void (lastPlace.scrollPx = px)}
        onLastShown={onLastShown}
      />
      <Hints />
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
function useCursor({ sessions, rows, list }: CursorInput): string | null {
  const go = useGo();
  const [cursorId, setCursor] = useState<string | null>(lastPlace.id === '' ? null : lastPlace.id);
  const index = sessions.findIndex((session) => session.id === cursorId);
  const move = (step: number) => {
    const target = sessions[Math.min(Math.max(index + step, 0), sessions.length - 1)];
    if (target === undefined) return;
    lastPlace.id = target.id;
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
  return index < 0 ? null : cursorId;
}

function Hints() {
  return (
    <p className="hints" aria-hidden="true">
      <span>
        <kbd>j</kbd>
        <kbd>k</kbd>
        move
      </span>
      <span>
        <kbd>Enter</kbd>
        open
      </span>
      <span>
        <kbd>/</kbd>
        search
      </span>
    </p>
  );
}

function ColumnHeads() {
  return (
    <div className="row row-heads" role="row" aria-rowindex={1}>
      {COLUMNS.map(([name, label]) => (
        <span key={name} role="columnheader" className={`cell cell-${name}`}>
          {label}
        </span>
      ))}
    </div>
  );
}

function Period({ label, rowIndex }: { readonly label: string; readonly rowIndex: number }) {
  return (
    <div className="period" role="row" aria-rowindex={rowIndex}>
      <span role="gridcell" aria-colspan={COLUMNS.length}>
        {label}
      </span>
    </div>
  );
}

interface LineProps {
  readonly row: ListRow;
  readonly index: number;
  readonly now: Date;
  readonly isCurrent: boolean;
}

function Line({ row, index, now, isCurrent }: LineProps) {
  const go = useGo();
  const rowIndex = index + HEAD_ROWS + 1;
  if (row.kind === 'period') return <Period label={row.label} rowIndex={rowIndex} />;
  const { session } = row;
  const open = (event: React.MouseEvent) => {
    lastPlace.id = session.id;
    // The link in the row keeps its native behavior, such as opening in a new tab.
    if (event.target instanceof HTMLElement && event.target.closest('a') !== null) return;
    if (window.getSelection()?.isCollapsed === false) return;
    go({ kind: 'session', id: session.id });
  };
  return (
    <div
      id={`session-${session.id}`}
      className={isCurrent ? 'row current' : 'row'}
      role="row"
      aria-rowindex={rowIndex}
      aria-selected={isCurrent}
      onClick={open}
    >
      <SessionRowView session={session} now={now} />
    </div>
  );
}
