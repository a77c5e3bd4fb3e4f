import { fitEnd, fitWidth, padWidth, textWidth, visibleLine } from '../lib/terminal-text.ts';
import { paint, type Style, type Terminal } from './terminal.ts';

export interface Column<T> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** The one column that takes the remaining width. */
  readonly grows?: boolean;
  /** Omitted when the terminal is narrower than this. */
  readonly fromColumns?: number;
  /** Truncated when it is wider than this. */
  readonly maxColumns?: number;
  /** The part that is kept when it is truncated (default: the start). */
  readonly keeps?: 'start' | 'end';
  text(row: T): string;
  /** The color of a cell on a terminal; it repeats what the text says and is never the only sign of it. */
  style?(row: T): Style | null;
}

const GAP = '  ';
const MIN_GROWING = 10;

/** Rows in columns, fitted to the width of the terminal. Cells are made safe for the terminal here. */
export function renderTable<T>(terminal: Terminal, columns: readonly Column<T>[], rows: readonly T[]): string {
  const shown = columns.filter(({ fromColumns = 0 }) => terminal.columns >= fromColumns);
  const cells = rows.map((row) => shown.map((column) => visibleLine(column.text(row))));
  const wanted = shown.map(({ title, maxColumns = Number.POSITIVE_INFINITY }, at) => {
    const widest = cells.reduce((most, row) => Math.max(most, textWidth(row[at] ?? '')), textWidth(title));
    return Math.min(widest, maxColumns);
  });
  const widths = fitColumns(
    wanted,
    shown.findIndex(({ grows }) => grows),
    terminal.columns - GAP.length * (shown.length - 1),
  );
  const fitted = (texts: readonly string[]) =>
    texts.map((text, at) => {
      const [width, fit] = [widths[at] ?? 0, shown[at]?.keeps === 'end' ? fitEnd : fitWidth];
      return padWidth(fit(text, width), width, shown[at]?.align);
    });
  const head = paint(
    terminal,
    'bold',
    fitted(shown.map(({ title }) => title))
      .join(GAP)
      .trimEnd(),
  );
  const lines = cells.map((texts, at) => paintCells(terminal, shown, rows[at] as T, fitted(texts)));
  return `${[head, ...lines].join('\n')}\n`;
}

/** The last cell loses its padding before it is colored, so that no line ends in spaces. */
function paintCells<T>(terminal: Terminal, columns: readonly Column<T>[], row: T, cells: readonly string[]): string {
  const end = cells.findLastIndex((cell) => cell.trim() !== '');
  return cells
    .slice(0, end + 1)
    .map((cell, at) => {
      const text = at === end ? cell.trimEnd() : cell;
      const style = columns[at]?.style?.(row) ?? null;
      return style === null || text.trim() === '' ? text : paint(terminal, style, text);
    })
    .join(GAP);
}

/** Shrinks the growing column first, then the widest one. */
function fitColumns(wanted: readonly number[], growing: number, room: number): readonly number[] {
  const widths = [...wanted];
  const sum = () => widths.reduce((total, width) => total + width, 0);
  const own = widths[growing];
  if (own !== undefined) widths[growing] = Math.max(Math.min(own, MIN_GROWING), own - Math.max(0, sum() - room));
  while (sum() > room && Math.max(...widths) > 1) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return widths;
}
