import type { Source } from './source.ts';
import type { Terminal } from './terminal.ts';

/** Lists are wrapped in an object, as in the HTTP API, so that fields can be added without breaking readers. */
type Answer<T> = T extends readonly unknown[] ? never : T;

/** The output of `--json`: one object. `import_running` means that the answer may be incomplete. */
export function printJson<T extends object>(
  terminal: Terminal,
  answer: Answer<T>,
  from?: Pick<Source, 'isImporting'>,
): void {
  const shown = from?.isImporting === true ? { ...answer, import_running: true } : answer;
  terminal.out(`${JSON.stringify(shown, null, 2)}\n`);
}
