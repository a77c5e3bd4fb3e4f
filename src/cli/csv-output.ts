import { toCsv } from '../lib/csv.ts';
import type { CommandContext, ParsedArguments } from './command.ts';
import { remark } from './say.ts';

type Cell = string | number | null;

/** The warning of `--raw`, printed on stderr. */
export const RAW_REMARK = 'Not redacted (--raw): the output may contain secrets and home directories.';

/**
 * Prints a table as CSV. CSV is meant to be passed on, so its texts are redacted unless `--raw` is given. Errors:
 * bad_config for a `redact` pattern that would match everything.
 */
export async function printCsv(
  { loaded, terminal }: Pick<CommandContext, 'loaded' | 'terminal'>,
  { flags }: ParsedArguments,
  [header = [], ...rows]: readonly (readonly Cell[])[],
): Promise<void> {
  if (flags.has('raw')) {
    terminal.out(toCsv([header, ...rows]));
    remark(terminal, RAW_REMARK);
    return;
  }
  const { openRedactor } = await import('../app/redactor.ts');
  const redactor = openRedactor(loaded.config);
  const safe = (cell: Cell) => (typeof cell === 'string' ? redactor.text(cell).value : cell);
  terminal.out(toCsv([header, ...rows.map((row) => row.map(safe))]));
}
