import { wrapWidth } from '../lib/text-width.ts';
import { visibleLine } from '../lib/visible.ts';
import type { Terminal } from './terminal.ts';

/** A sentence, whatever stands in it, within the width of the terminal. */
export function say(terminal: Terminal, sentence: string): void {
  terminal.out(`${wrapWidth(visibleLine(sentence), terminal.columns)}\n`);
}

/** Safe text within the width of the terminal, line by line; what is read by a program stays as it is. */
export function inColumns(terminal: Terminal, text: string): string {
  if (!terminal.isInteractive) return text;
  return text
    .split('\n')
    .map((line) => wrapWidth(line, terminal.columns))
    .join('\n');
}

/** The same beside what a script reads. */
export function remark(terminal: Terminal, sentence: string): void {
  terminal.err(`${wrapWidth(visibleLine(sentence), terminal.columns)}\n`);
}
