const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A horizontal bar in eighths of a column; anything above zero is visible. */
export function bar(share: number, columns: number): string {
  if (share <= 0 || columns < 1) return '';
  const eighths = Math.max(1, Math.round(Math.min(1, share) * columns * EIGHTHS.length));
  return '█'.repeat(Math.floor(eighths / EIGHTHS.length)) + (EIGHTHS[eighths % EIGHTHS.length] ?? '');
}

const LEVELS = '▁▂▃▄▅▆▇█';

/** One character per value, scaled to the largest. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(1, ...values);
  return values.map((value) => LEVELS[Math.ceil((value / most) * (LEVELS.length - 1))] ?? LEVELS[0]).join('');
}
