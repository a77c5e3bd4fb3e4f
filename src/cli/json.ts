import type { Source } from './source.ts';
import type { Terminal } from './terminal.ts';

/** Lists have a name too, the same as in the HTTP API: an answer can then gain a field without breaking its readers. */
type Answer<T> = T extends readonly unknown[] ? never : T;

/** What `--json` prints: one object. `import_running` says that the answer may be incomplete. */
export function printJson<T extends object>(
  terminal: Terminal,
  answer: Answer<T>,
  from?: Pick<Source, 'isImporting'>,
): void {
  const shown = from?.isImporting === true ? { ...answer, import_running: true } : answer;
  terminal.out(`${JSON.stringify(shown, null, 2)}\n`);
}
