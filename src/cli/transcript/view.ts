import { fitWidth, wrapWidth } from '../../lib/text-width.ts';
import { visible, visibleLine } from '../../lib/visible.ts';
import { paint, type Style, type Terminal } from '../terminal.ts';

/** How much of a transcript is shown, and in how much room. */
export interface View {
  readonly terminal: Terminal;
  readonly columns: number;
  /** Nothing is shortened. */
  readonly isFull: boolean;
  readonly hasThinking: boolean;
  readonly hasSubagents: boolean;
}

/** The room that is left beside a margin. */
export function beside(view: View, margin: number): View {
  return { ...view, columns: view.columns - margin };
}

export function paintLines({ terminal }: View, style: Style, lines: readonly string[]): string[] {
  return lines.map((line) => paint(terminal, style, line));
}

/** The first line after `first`, the others after `rest`. */
export function hang(lines: readonly string[], first: string, rest: string): string[] {
  return lines.map((line, at) => `${at === 0 ? first : rest}${line}`.trimEnd());
}

const COLOURS = /\u001b\[[\d;:]*m/g;
const TAB = '    ';

/** Foreign text as lines that are safe; what a program painted or wrote over is as one saw it in the end. */
export function safeLines(text: string): string[] {
  return text
    .replaceAll(COLOURS, '')
    .split(/\r?\n/)
    .map((line) => visible((line.split('\r').findLast((part) => part !== '') ?? '').replaceAll('\t', TAB)).trimEnd());
}

/** The margin of a line: its indent, and the mark of a list, under which the next line goes on. */
const MARGIN = /^ *(?:(?:[-*•]|\d{1,3}[.)]) +)?/;

/** Text for reading: words move to the next line before they pass the edge, and below where theirs begin. */
export function proseLines({ columns }: View, text: string): string[] {
  return safeLines(text.trim()).flatMap((line) => {
    const [margin = ''] = MARGIN.exec(line) ?? [];
    if (margin.length > columns / 2) return wrapWidth(line.trim(), columns).split('\n');
    const body = wrapWidth(line.slice(margin.length), columns - margin.length).split('\n');
    return hang(body, margin, ' '.repeat(margin.length));
  });
}

/** The first lines of a long text, each on one line of the terminal, and how many were left out. */
export function cutLines(view: View, lines: readonly string[], most: number): string[] {
  if (view.isFull) return lines.flatMap((line) => wrapWidth(line, view.columns).split('\n'));
  // One line more costs no more than to say that there is one.
  const shown = lines.length <= most + 1 ? lines : lines.slice(0, most);
  const rest = lines.length - shown.length;
  const more = rest > 0 ? [`… ${rest} more lines`] : [];
  return [...shown, ...more].map((line) => fitWidth(line, view.columns));
}

export function oneLine(view: View, text: string): string {
  return fitWidth(visibleLine(text), view.columns);
}
