import { type ReactNode, type RefObject, useCallback, useRef, useState } from 'react';
import { plural, formatClock, withoutCodeMarks } from '../../reading/format.ts';
import { type OutlineIndex, rangeOfTurn } from '../../reading/rows/outline-index.ts';
import type { Row } from '../../reading/rows/row.ts';
import type { RowList } from '../../reading/rows/row-list.ts';
import type { MessageRange } from '../items/copy-markdown.ts';
import { inspect } from '../items/inspected.ts';
import { ItemContextValue } from '../items/item-context.ts';
import type { Marker } from '../items/marker.ts';
import { InspectorPane } from '../items/inspector/inspector-pane.tsx';
import { ContextMeter } from './context-meter.tsx';
import { FindBar } from './find-bar.tsx';
import { Minimap, type MinimapHandle } from './minimap.tsx';
import { OutlinePane } from './outline-pane.tsx';
import { PartNote, PrintedRows } from './printed-rows.tsx';
import { type Reader, ReaderContext } from './reader-context.ts';
import styles from './reader.module.css';
import { RowScroller, type ScrollerHandle, type VisibleRows } from './row-scroller.tsx';
import { RowView } from './row-view.tsx';
import { SelectionBar, type TurnSelection, useTurnSelection } from './selection-bar.tsx';
import { Toolbar } from './toolbar.tsx';
import { useReaderKeys } from './use-keys.ts';
import { nextItem } from './use-navigation.ts';
import { type ReaderModel, type ReaderOptions, useReaderModel, useSharedReader } from './use-reader.ts';
import { isFromAgent } from '../../reading/entry.ts';

interface SessionReaderProps extends ReaderOptions {
  readonly onLeave: () => void;
}

/** The conversation of a session with its outline and its map. */
export function SessionReader({ onLeave, ...options }: SessionReaderProps) {
  const { base, session, index } = options;
  const scroller = useRef<ScrollerHandle>(null);
  const model = useReaderModel(options, scroller);
  const { rows, navigation } = model;
  const [firstRow, setFirstRow] = useState(0);
  const [isOutlineOpen, setOutlineOpen] = useState(false);
  const find = useFindState(scroller, navigation.leaveMatch, options.search !== null);
  const reader = useSharedReader({ ...options, model, marked: find.marked });
  const selection = useTurnSelection();
  useSessionKeys({
    model,
    reader,
    find,
    selection,
    firstRow,
    closeOutline: isOutlineOpen ? () => setOutlineOpen(false) : null,
    onLeave,
  });
  return (
    <ReaderProviders reader={reader}>
      <div className={`${styles['reader']} print-flow`} data-outline={isOutlineOpen || undefined}>
        <OutlinePane
          index={index}
          currentTurn={rows.list.turnAt(firstRow)}
          selection={selection}
          navigation={navigation}
          onChosen={() => setOutlineOpen(false)}
        />
        <main className={`${styles['main']} print-flow`}>
          <Toolbar
            density={rows.density}
            onDensity={navigation.setDensity}
            onFind={find.open}
            isOutlineOpen={isOutlineOpen}
            onOutline={() => setOutlineOpen(!isOutlineOpen)}
          >
            <ContextMeter index={index} item={nextItem(rows.list, firstRow, 1)} />
          </Toolbar>
          {find.isOpen && (
            <FindBar base={base} id={session.id} state={find} navigation={navigation} search={options.search} />
          )}
          <Body
            index={index}
            model={model}
            scroller={scroller}
            selection={selection}
            firstRow={firstRow}
            onFirstRow={setFirstRow}
          />
        </main>
        <InspectorPane base={base} sessionId={session.id} turnOf={(ordinal) => turnRange(index, ordinal)} />
      </div>
    </ReaderProviders>
  );
}

interface KeyOptions {
  readonly model: ReaderModel;
  readonly reader: Reader;
  readonly find: FindState;
  readonly selection: TurnSelection;
  readonly firstRow: number;
  /** Null while the outline is not in front of the conversation. */
  readonly closeOutline: (() => void) | null;
  readonly onLeave: () => void;
}

function useSessionKeys(options: KeyOptions): void {
  const { model, reader, find, selection, firstRow, closeOutline, onLeave } = options;
  const { rows, navigation, print } = model;
  const { list } = rows;
  useReaderKeys({
    list,
    current: navigation.selected === null ? -1 : list.rowOfKey(navigation.selected),
    firstVisible: firstRow,
    ...navigation,
    open: (row) => row >= 0 && rows.toggle(list.keyAt(row)),
    inspect: (row) => inspectRow(reader, list, row),
    selectTurn: (row) => list.turnAt(row) >= 0 && selection.flip(list.turnAt(row)),
    find: find.open,
    print: print.start,
    stepFind: find.isOpen ? (by) => find.step.current?.(by) : null,
    leave: firstOf([
      [print.isPrinting, print.cancel],
      [find.isOpen, find.close],
      [closeOutline !== null, () => closeOutline?.()],
      [selection.turns.size > 0, selection.clear],
      [true, onLeave],
    ]),
  });
}

function ReaderProviders({ reader, children }: { readonly reader: Reader; readonly children: ReactNode }) {
  return (
    <ReaderContext value={reader}>
      <ItemContextValue value={reader.context}>{children}</ItemContextValue>
    </ReaderContext>
  );
}

/** The first action whose condition holds. */
function firstOf(actions: readonly (readonly [boolean, () => void])[]): () => void {
  return actions.find(([isWanted]) => isWanted)?.[1] ?? (() => {});
}

/** Shows the details of the item of a row, or of the nearest row after it. */
function inspectRow({ entries, context: { sessionId } }: Reader, list: RowList, row: number): void {
  const entry = entries.entryOf(nextItem(list, Math.max(row, 0), 1));
  if (entry === undefined || entry === null) return;
  inspect({ sessionId, message: entry.message, call: entry.kind === 'tool' ? entry.call : null });
}

/** The turn that a message is part of. */
function turnRange(index: OutlineIndex, ordinal: number): MessageRange | null {
  const turn = index.columns.turn[index.columns.ordinal.indexOf(ordinal)] ?? -1;
  return turn < 0 ? null : rangeOfTurn(index, turn);
}

export interface FindState {
  readonly isOpen: boolean;
  readonly field: RefObject<HTMLInputElement | null>;
  /** Opens the bar, or goes back to its field. */
  readonly open: () => void;
  readonly close: () => void;
  readonly marked: Marker | null;
  readonly mark: (marker: Marker | null) => void;
  /** Goes to another match in the same row; false if the row has no other. */
  readonly move: (by: 1 | -1) => boolean;
  /** Goes to the next or the previous hit. */
  readonly step: RefObject<((by: 1 | -1) => void) | null>;
}

function useFindState(
  scroller: RefObject<ScrollerHandle | null>,
  leaveMatch: () => void,
  isOpenAtStart: boolean,
): FindState {
  const [isOpen, setOpen] = useState(isOpenAtStart);
  const [marked, setMarked] = useState<Marker | null>(null);
  const step = useRef<((by: 1 | -1) => void) | null>(null);
  // Wrapped, because React calls a function that is passed to a setter.
  const mark = useCallback((marker: Marker | null) => setMarked(() => marker), []);
  const field = useRef<HTMLInputElement>(null);
  const open = useCallback(() => {
    setOpen(true);
    field.current?.select();
  }, []);
  const close = () => {
    setOpen(false);
    setMarked(null);
    leaveMatch();
    scroller.current?.focus();
  };
  const move = (by: 1 | -1) => scroller.current?.stepMatch(by) ?? false;
  return { isOpen, field, open, close, marked, mark, move, step };
}

/** Some sessions consist of nothing but what the client added. */
function NothingShown({ onShow }: { readonly onShow: () => void }) {
  return (
    <p className={styles['nothing']} data-part="nothing">
      Nobody wrote anything in this session.{' '}
      <button type="button" onClick={onShow}>
        Show everything
      </button>
    </p>
  );
}

interface BodyProps {
  readonly index: OutlineIndex;
  readonly model: ReaderModel;
  readonly scroller: RefObject<ScrollerHandle | null>;
  readonly selection: TurnSelection;
  readonly firstRow: number;
  readonly onFirstRow: (row: number) => void;
}

/** The rows, and what lies over them. */
function Body({ index, model, scroller, selection, firstRow, onFirstRow }: BodyProps) {
  const { rows, content, print, navigation, follow } = model;
  const { list } = rows;
  const minimap = useRef<MinimapHandle>(null);
  const onVisible = useCallback(
    ({ first, last }: VisibleRows) => {
      onFirstRow(first);
      minimap.current?.mark(nextItem(list, first, 1), nextItem(list, Math.min(last, list.count - 1), -1));
    },
    [list, onFirstRow],
  );
  const renderRow = useCallback((row: Row) => <RowView row={row} />, []);
  if (list.count === 0) return <NothingShown onShow={() => navigation.setDensity(3)} />;
  return (
    <div className={`${styles['body']} print-flow`} data-printed={print.isPrinting || undefined}>
      {print.isPrinting && <PrintedRows list={list} paper={print.paper} renderRow={renderRow} />}
      {!content.isComplete && <PartNote />}
      <RowScroller
        index={index}
        rows={list}
        currentKey={navigation.selected}
        selectedTurns={selection.turns}
        start={model.start}
        renderRow={renderRow}
        handle={scroller}
        onVisible={onVisible}
        onRendered={content.show}
        onMove={model.onMove}
      />
      <StickyPrompt index={index} list={list} firstRow={firstRow} onOpen={navigation.goToTurn} />
      <SelectionBar index={index} selection={selection} />
      <Minimap
        index={index}
        handle={minimap}
        onScrub={(item) => scroller.current?.scrollToRow(list.rowOf(item), 'center')}
        onOpen={navigation.jumpTo}
      />
      {follow.newBelow > 0 && (
        <button type="button" className={styles['pill']} onClick={follow.catchUp}>
          {plural(follow.newBelow, 'new item')} below
        </button>
      )}
      {!content.isComplete && <PartNote />}
      {print.isPrinting && (
        <p className={styles['preparing']} role="status">
          Loading the whole session to print it. <button onClick={print.cancel}>Cancel</button>
        </p>
      )}
      {content.error !== null && (
        <p className={styles['failure']} role="alert">
          {content.error.message} <button onClick={content.retry}>Try again</button>
        </p>
      )}
    </div>
  );
}

interface StickyPromptProps {
  readonly index: OutlineIndex;
  readonly list: RowList;
  readonly firstRow: number;
  readonly onOpen: (turn: number) => void;
}

/** The prompt of the turn on screen, while the prompt itself is above it. */
function StickyPrompt({ index, list, firstRow, onOpen }: StickyPromptProps) {
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
