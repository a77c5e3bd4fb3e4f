import { fitWidth, padWidth, textWidth } from '../lib/text-width.ts';
import { visibleLine } from '../lib/visible.ts';
import { paint, type Terminal } from './terminal.ts';

export interface Column<T> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** The column that takes what is left of the width; there is one. */
  readonly grows?: boolean;
  /** Left out when the terminal is narrower than this. */
  readonly fromColumns?: number;
  text(row: T): string;
}

const GAP = '  ';
const MIN_GROWING = 10;

/** Rows in columns, as wide as the terminal allows. Cells are made safe for the terminal here. */
export function renderTable<T>(terminal: Terminal, columns: readonly Column<T>[], rows: readonly T[]): string {
  const shown = columns.filter(({ fromColumns = 0 }) => terminal.columns >= fromColumns);
  const cells = rows.map((row) => shown.map((column) => visibleLine(column.text(row))));
  const widths = shown.map(({ title }, at) =>
    Math.max(textWidth(title), ...cells.map((row) => textWidth(row[at] ?? ''))),
  );
  const growing = shown.findIndex(({ grows }) => grows);
  if (growing >= 0) {
    const fixed = widths.reduce((sum, width, at) => sum + (at === growing ? 0 : width + GAP.length), 0);
    widths[growing] = Math.max(MIN_GROWING, Math.min(widths[growing] ?? 0, terminal.columns - fixed));
  }
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => padWidth(fitWidth(text, widths[at] ?? 0), widths[at] ?? 0, shown[at]?.align))
      .join(GAP)
      .trimEnd();
  const head = paint(terminal, 'bold', line(shown.map(({ title }) => title)));
  return `${[head, ...cells.map(line)].join('\n')}\n`;
}
