import { useEffect, useRef } from 'react';
import type { Density } from '../../reading/rows/row.ts';
import type { RowList } from '../../reading/rows/row-list.ts';
import { isOnControl, useKeys } from '../keyboard.ts';
import type { Align } from './row-scroller.tsx';

interface ReaderKeys {
  readonly list: RowList;
  /** The selected row; -1 if it is not in the list. */
  readonly current: number;
  readonly firstVisible: number;
  readonly goToRow: (row: number, align: Align) => void;
  readonly goToEnd: () => void;
  readonly open: (row: number) => void;
  readonly setDensity: (density: Density) => void;
  readonly find: () => void;
  /** Steps through what was found; null while nothing is being looked for. */
  readonly stepFind: ((by: 1 | -1) => void) | null;
  readonly leave: () => void;
}

const DOUBLE_MS = 800;

/** The keys of a session page. */
export function useReaderKeys(keys: ReaderKeys): void {
  const { list, current, goToRow, goToEnd, setDensity, stepFind } = keys;
  const lastG = useRef(0);
  const from = current >= 0 ? current : keys.firstVisible - 1;
  const isStop = (row: number) => list.kindAt(row) !== 'day';
  const move = (step: 1 | -1, isWanted: (row: number) => boolean, align: Align) => {
    for (let row = from + step; row >= 0 && row < list.count; row += step)
      if (isWanted(row)) return goToRow(row, align);
  };
  const toStart = () => goToRow(0, 'start');
  const isPrompt = (row: number) => list.kindAt(row) === 'prompt';
  useFindKey(keys.find);
  useKeys({
    j: () => move(1, isStop, 'auto'),
    ArrowDown: () => move(1, isStop, 'auto'),
    k: () => move(-1, isStop, 'auto'),
    ArrowUp: () => move(-1, isStop, 'auto'),
    n: () => (stepFind === null ? move(1, isPrompt, 'start') : stepFind(1)),
    N: () => stepFind?.(-1),
    p: () => move(-1, isPrompt, 'start'),
    Home: toStart,
    End: goToEnd,
    G: goToEnd,
    g: (event) => {
      if (event.timeStamp - lastG.current < DOUBLE_MS) toStart();
      lastG.current = event.timeStamp;
    },
    1: () => setDensity(1),
    2: () => setDensity(2),
    3: () => setDensity(3),
    f: keys.find,
    o: () => keys.open(current),
    Enter: (event) => {
      if (isOnControl(event)) (event.target as HTMLElement).click();
      else keys.open(current);
    },
    Escape: keys.leave,
  });
}

/** On other pages a slash goes to the search field; here it finds in the session. */
function useFindKey(find: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const isTyping = /^(input|textarea|select)$/i.test(target.tagName) || target.isContentEditable;
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      event.stopPropagation();
      find();
    };
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  }, [find]);
}
