import { wrapWidth } from '../lib/text-width.ts';
import { visibleLine } from '../lib/visible.ts';
import type { Terminal } from './terminal.ts';

/** Prints a sentence, made safe and wrapped to the width of the terminal. */
export function say(terminal: Terminal, sentence: string): void {
  terminal.out(`${wrapWidth(visibleLine(sentence), terminal.columns)}\n`);
}

/** Wraps safe text to the width of the terminal, line by line; output that is not for a terminal is left unchanged. */
export function inColumns(terminal: Terminal, text: string): string {
  if (!terminal.isInteractive) return text;
  return text
    .split('\n')
    .map((line) => wrapWidth(line, terminal.columns))
    .join('\n');
}

/** Prints a sentence on stderr, apart from the output that scripts read. */
export function remark(terminal: Terminal, sentence: string): void {
  terminal.err(`${wrapWidth(visibleLine(sentence), terminal.columns)}\n`);
}
