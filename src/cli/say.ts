import { wrapWidth } from '../lib/text-width.ts';
import { visibleLine } from '../lib/visible.ts';
import type { Terminal } from './terminal.ts';

/** A sentence, whatever stands in it, within the width of the terminal. */
export function say(terminal: Terminal, sentence: string): void {
  terminal.out(`${wrapWidth(visibleLine(sentence), terminal.columns)}\n`);
}

/** The same beside what a script reads. */
export function remark(terminal: Terminal, sentence: string): void {
  terminal.err(`${wrapWidth(visibleLine(sentence), terminal.columns)}\n`);
}
