/** Spreadsheets run cells that start with these characters as formulas, some also with their full-width forms. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const SPECIAL = /[",\r\n]/;

/**
 * Rows as specified by RFC 4180, with CRLF line endings. An apostrophe is put before text that would be a formula;
 * numbers are plain decimals, so that columns can be added up.
 */
export function toCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
}

function toCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return decimal(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const MAX_DECIMALS = 12;

/** Without an exponent, which many programs do not read: 0.0000005, not 5e-7. */
function decimal(value: number): string {
  const text = String(value);
  return text.includes('e-') ? value.toFixed(MAX_DECIMALS).replace(/\.?0+$/, '') : text;
}
