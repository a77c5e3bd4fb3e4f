import type { Density } from '../../reading/rows/row.ts';
import type { RowList } from '../../reading/rows/row-list.ts';
import { isOnControl, useShortcuts } from '../keyboard.ts';
import type { Align } from './row-scroller.tsx';

interface ReaderKeys {
  readonly list: RowList;
  /** The selected row; -1 if it is not in the list. */
  readonly current: number;
  readonly firstVisible: number;
  readonly goToRow: (row: number, align: Align) => void;
  readonly goToEnd: () => void;
  readonly open: (row: number) => void;
  readonly inspect: (row: number) => void;
  /** Adds the turn of a row to the selection, or removes it. */
  readonly selectTurn: (row: number) => void;
  readonly setDensity: (density: Density) => void;
  readonly find: () => void;
  readonly print: () => void;
  /** Steps through what was found; null while nothing is being looked for. */
  readonly stepFind: ((by: 1 | -1) => void) | null;
  readonly leave: () => void;
}

/** The keys of a session page. */
export function useReaderKeys(keys: ReaderKeys): void {
  const { list, current, goToRow, setDensity, stepFind } = keys;
  const from = current >= 0 ? current : keys.firstVisible - 1;
  const here = current >= 0 ? current : keys.firstVisible;
  const isStop = (row: number) => list.kindAt(row) !== 'day';
  const move = (step: 1 | -1, isWanted: (row: number) => boolean, align: Align) => {
    for (let row = from + step; row >= 0 && row < list.count; row += step)
      if (isWanted(row)) return goToRow(row, align);
  };
  const toStart = () => goToRow(0, 'start');
  const isPrompt = (row: number) => list.kindAt(row) === 'prompt';
  useShortcuts('Session', [
    { keys: ['j', 'ArrowDown'], label: 'Next row', run: () => move(1, isStop, 'auto') },
    { keys: ['k', 'ArrowUp'], label: 'Previous row', run: () => move(-1, isStop, 'auto') },
    {
      keys: ['n'],
      label: stepFind === null ? 'Next prompt' : 'Next match',
      run: () => (stepFind === null ? move(1, isPrompt, 'start') : stepFind(1)),
    },
    { keys: ['p'], label: 'Previous prompt', run: () => move(-1, isPrompt, 'start') },
    { keys: ['N'], label: stepFind === null ? '' : 'Previous match', run: () => stepFind?.(-1) },
    { keys: ['o', 'Enter'], label: 'Open or close a row', run: (event) => openCurrent(event, keys) },
    { keys: ['i'], label: 'Details and raw line of a row', run: () => keys.inspect(here) },
    { keys: ['x'], label: 'Select a turn, to copy it', run: () => keys.selectTurn(here) },
    { keys: ['Home'], label: 'Beginning', run: toStart },
    { keys: ['End', 'G'], label: 'End', run: keys.goToEnd },
    { keys: ['1'], label: 'Prompts and answers', run: () => setDensity(1) },
    { keys: ['2'], label: 'Also the work', run: () => setDensity(2) },
    { keys: ['3'], label: 'Everything', run: () => setDensity(3) },
    { keys: ['f', '/', 'Mod+f'], label: 'Find in this session', run: keys.find },
    { keys: ['Mod+p'], label: 'Print the whole session', run: keys.print },
    { keys: ['Escape'], label: 'Close, or back to the list', run: keys.leave },
  ]);
}

function openCurrent(event: KeyboardEvent, { open, current }: ReaderKeys): void {
  if (event.key === 'Enter' && isOnControl(event)) (event.target as HTMLElement).click();
  else open(current);
}
