import { type MouseEvent, type RefObject, useRef } from 'react';
import { type ListRow, sessionsOf } from '../../reading/list-rows.ts';
import { isOnControl, useShortcuts } from '../keyboard.ts';
import { useGo } from '../routing/use-go.ts';
import type { VirtualHandle } from '../virtual-list.tsx';
import type { Selection } from './use-selection.ts';

interface RowKeysInput {
  readonly rows: readonly ListRow[];
  readonly list: RefObject<VirtualHandle | null>;
  readonly selection: Selection;
  readonly cursorKey: string | null;
  readonly onCursor: (row: ListRow) => void;
  readonly onPeek: () => void;
  readonly isPeekDocked: boolean;
  readonly toggleFold: (key: string) => void;
}

export interface RowActions {
  readonly open: (row: ListRow) => void;
  readonly click: (row: ListRow, event: MouseEvent) => void;
}

/** Keyboard and mouse handling of the rows. Headings are skipped. */
export function useRowKeys(input: RowKeysInput): RowActions {
  const { rows, list, selection, cursorKey, onCursor, onPeek, isPeekDocked, toggleFold } = input;
  const go = useGo();
  const anchor = useRef<string | null>(null);
  const index = rows.findIndex(({ key }) => key === cursorKey);
  const current = rows[index];
  const moveTo = (target: number, step: 1 | -1) => {
    let at = Math.min(Math.max(target, 0), rows.length - 1);
    while (rows[at]?.kind === 'heading') at += step;
    const row = rows[at] ?? current;
    if (row === undefined) return;
    onCursor(row);
    list.current?.scrollTo(rows.indexOf(row), 'auto');
  };
  const open = (row: ListRow) => {
    if (row.kind === 'fold') toggleFold(row.key);
    if (row.kind === 'session') go({ kind: 'session', id: row.session.id });
  };
  const mark = (row: ListRow | undefined) => {
    if (row === undefined) return;
    anchor.current = row.key;
    selection.toggle(sessionsOf(row).map(({ id }) => id));
  };
  const addRange = (to: ListRow) => {
    const range = between(rows, anchor.current ?? cursorKey, to.key);
    selection.add(range.flatMap(sessionsOf).map(({ id }) => id));
  };
  const click = (row: ListRow, event: MouseEvent) => {
    onCursor(row);
    // The link in the row keeps its native behavior, such as opening in a new tab.
    if (event.target instanceof HTMLElement && event.target.closest('a') !== null && !event.shiftKey) return;
    if (event.shiftKey) {
      event.preventDefault();
      return addRange(row);
    }
    if (event.ctrlKey || event.metaKey) return mark(row);
    if (window.getSelection()?.isCollapsed === false) return;
    if (row.kind === 'session' && isPeekDocked) return;
    open(row);
  };
  useShortcuts('Sessions', [
    { keys: ['j', 'ArrowDown'], label: 'Next session', run: () => moveTo(index + 1, 1) },
    {
      keys: ['k', 'ArrowUp'],
      label: 'Previous session',
      run: () => moveTo(index < 0 ? 0 : index - 1, index > 1 ? -1 : 1),
    },
    { keys: ['Home'], label: 'First session', run: () => moveTo(0, 1) },
    { keys: ['End'], label: 'Last session', run: () => moveTo(rows.length - 1, -1) },
    {
      keys: ['Enter'],
      label: 'Open the session, or repeated sessions',
      run: onControlOr(() => current && open(current)),
    },
    { keys: [' '], label: 'Preview the session', run: onControlOr(onPeek) },
    { keys: ['x'], label: 'Select the session; Shift-click selects a range', run: () => mark(current) },
  ]);
  return { open, click };
}

/** Enter and Space keep their meaning on links and buttons. */
function onControlOr(run: () => void) {
  return (event: KeyboardEvent) => (isOnControl(event) ? (event.target as HTMLElement).click() : run());
}

function between(rows: readonly ListRow[], from: string | null, to: string): readonly ListRow[] {
  const ends = [rows.findIndex(({ key }) => key === (from ?? to)), rows.findIndex(({ key }) => key === to)];
  const [first = 0, last = 0] = ends.toSorted((a, b) => a - b);
  return rows.slice(Math.max(first, 0), last + 1);
}
