import { useCallback, useMemo, useRef } from 'react';
import type { SessionRow } from '../../api/sessions.ts';
import type { ListGroup } from '../../domain/saved-view.ts';
import { formatCost, plural } from '../../reading/format.ts';
import { type ListRow, sessionsOf, toListRows } from '../../reading/list-rows.ts';
import { titleOf } from '../../reading/names.ts';
import { useEntryState, useEntryStore } from '../routing/entry-state.ts';
import { VirtualList, type RowAttributes, type VirtualHandle } from '../virtual-list.tsx';
import { FoldRowView, SessionRowView } from './session-row.tsx';
import { type RowActions, useRowKeys } from './use-row-keys.ts';
import type { Selection } from './use-selection.ts';
import styles from './session-list.module.css';
import rowStyles from './session-row.module.css';

const ROW_PX = 56;
const COMPACT_PX = 36;
const HEADING_PX = 36;

const keyOf = ({ key }: ListRow) => key;
const FETCH_BEFORE_END_ROWS = 40;
const COLUMNS = 5;

interface SessionListProps {
  readonly sessions: readonly SessionRow[];
  readonly now: Date;
  readonly group: ListGroup;
  readonly isCompact: boolean;
  readonly hasMore: boolean;
  readonly onNearEnd: () => void;
  readonly selection: Selection;
  readonly cursorKey: string | null;
  readonly onCursor: (row: ListRow) => void;
  /** Space, and a click where the panel is always there. */
  readonly onPeek: () => void;
  readonly isPeekDocked: boolean;
}

export function SessionList(props: SessionListProps) {
  const { sessions, now, group, isCompact, hasMore, onNearEnd, selection, cursorKey } = props;
  const [openKeys, setOpenKeys] = useEntryState<readonly string[]>('folds', []);
  const rows = useMemo(
    () => toListRows(sessions, { group, now, open: new Set(openKeys) }),
    [sessions, group, now, openKeys],
  );
  const list = useRef<VirtualHandle>(null);
  const entry = useEntryStore();
  const toggleFold = useCallback(
    (key: string) => setOpenKeys(openKeys.includes(key) ? openKeys.filter((each) => each !== key) : [...openKeys, key]),
    [openKeys, setOpenKeys],
  );
  const actions = useRowKeys({ ...props, rows, list, toggleFold });
  const onLastShown = useCallback(
    (index: number) => {
      if (hasMore && index >= rows.length - FETCH_BEFORE_END_ROWS) onNearEnd();
    },
    [hasMore, rows.length, onNearEnd],
  );
  const hasCursor = rows.some(({ key }) => key === cursorKey);
  return (
    <div
      className={listClass(isCompact, selection.isActive)}
      role="grid"
      aria-label="Sessions"
      aria-rowcount={hasMore ? -1 : rows.length}
      aria-colcount={COLUMNS}
      aria-multiselectable="true"
      aria-activedescendant={hasCursor ? `row-${cursorKey}` : undefined}
      tabIndex={0}
    >
      <VirtualList
        key={isCompact ? 'compact' : 'roomy'}
        rows={rows}
        rowKey={keyOf}
        estimatePx={(row) => (row.kind === 'heading' ? HEADING_PX : isCompact ? COMPACT_PX : ROW_PX)}
        rowAttributes={rowAttributes}
        renderRow={(row, index) => (
          <Line
            row={row}
            index={index}
            now={now}
            isUnderDay={group === 'day'}
            isCurrent={row.key === cursorKey}
            selection={selection}
            actions={actions}
          />
        )}
        handle={list}
        attributes={{ className: `scroll ${styles['rows']}`, role: 'rowgroup' }}
        paddingPx={{ start: 0, end: 48 }}
        startAtPx={entry.read<number>('scroll') ?? 0}
        onScrollPx={(px) => entry.write('scroll', px)}
        onLastShown={onLastShown}
      />
    </div>
  );
}

function listClass(isCompact: boolean, isSelecting: boolean): string {
  const states = [isCompact && rowStyles['compact'], isSelecting && rowStyles['selecting']];
  return [styles['list'], 'print-flow', ...states].filter(Boolean).join(' ');
}

function rowAttributes(): RowAttributes {
  return { className: 'virtual-row', role: 'presentation' };
}

interface LineProps {
  readonly row: ListRow;
  readonly index: number;
  readonly now: Date;
  readonly isUnderDay: boolean;
  readonly isCurrent: boolean;
  readonly selection: Selection;
  readonly actions: RowActions;
}

function Line({ row, index, now, isUnderDay, isCurrent, selection, actions }: LineProps) {
  if (row.kind === 'heading') {
    return (
      <div className={styles['heading']} role="row" aria-rowindex={index + 1}>
        <span role="gridcell" aria-colspan={COLUMNS}>
          <bdi>{row.label}</bdi>
          <span className={styles['sums']}>
            {plural(row.sessions, 'session')} · {formatCost(row.cost)}
          </span>
        </span>
      </div>
    );
  }
  const ids = sessionsOf(row).map(({ id }) => id);
  const isSelected = ids.every((id) => selection.has(id));
  const checkbox = (
    <input
      type="checkbox"
      className={rowStyles['check']}
      tabIndex={-1}
      aria-label={`Select ${titleOf(row.session)}`}
      checked={isSelected}
      onChange={() => selection.toggle(ids)}
      onClick={(event) => event.stopPropagation()}
    />
  );
  const isInFold = row.kind === 'session' && row.isInFold;
  return (
    <div
      id={`row-${row.key}`}
      className={isInFold ? `${rowStyles['row']} ${rowStyles['inFold']}` : rowStyles['row']}
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      data-current={isCurrent || undefined}
      onClick={(event) => actions.click(row, event)}
      // Shift-click selects rows, not their text.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
    >
      {row.kind === 'fold' ? (
        <FoldRowView
          fold={row}
          now={now}
          isUnderDay={isUnderDay}
          checkbox={checkbox}
          onToggle={() => actions.open(row)}
        />
      ) : (
        <SessionRowView session={row.session} share={row.share} now={now} isUnderDay={isUnderDay} checkbox={checkbox} />
      )}
    </div>
  );
}
