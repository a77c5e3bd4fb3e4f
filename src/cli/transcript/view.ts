import { fitWidth, visible, visibleLine, wrapWidth } from '../../lib/terminal-text.ts';
import { plainOutput } from '../../reading/ansi.ts';
import { withoutTerminalCodes } from '../../reading/format.ts';
import { paint, type Style, type Terminal } from '../terminal.ts';

/** How much of a transcript to show, and in what width. */
export interface View {
  readonly terminal: Terminal;
  readonly columns: number;
  /** Truncates nothing. */
  readonly isFull: boolean;
  readonly hasThinking: boolean;
  readonly hasSubagents: boolean;
}

/** The view with the width that is left beside a margin. */
export function beside(view: View, margin: number): View {
  return { ...view, columns: view.columns - margin };
}

export function paintLines({ terminal }: View, style: Style, lines: readonly string[]): string[] {
  return lines.map((line) => paint(terminal, style, line));
}

/** Prefixes the first line with `first` and the others with `rest`. */
export function hang(lines: readonly string[], first: string, rest: string): string[] {
  return lines.map((line, at) => `${at === 0 ? first : rest}${line}`.trimEnd());
}

const TAB = '    ';

/** Splits untrusted text into safe lines, without terminal codes. A pasted text can have carriage returns as line ends. */
export function safeLines(text: string): string[] {
  return withoutTerminalCodes(text)
    .split('\n')
    .map((line) => visible(line.replaceAll('\t', TAB)).trimEnd());
}

/** The same for the output of a command, as a terminal shows it: overwritten text is dropped. */
export function outputLines(text: string): string[] {
  return safeLines(plainOutput(text));
}

/** The margin of a line: its indentation and list marker. Wrapped lines are aligned below it. */
const MARGIN = /^ *(?:(?:[-*•]|\d{1,3}[.)]) +)?/;

/** Wraps prose at word boundaries and aligns continuation lines with the text of their first line. */
export function proseLines({ columns }: View, text: string): string[] {
  return safeLines(text.trim()).flatMap((line) => {
    const [margin = ''] = MARGIN.exec(line) ?? [];
    if (margin.length > columns / 2) return wrapWidth(line.trim(), columns).split('\n');
    const body = wrapWidth(line.slice(margin.length), columns - margin.length).split('\n');
    return hang(body, margin, ' '.repeat(margin.length));
  });
}

/** The first lines of a long text, each fitted to one line, and the number of lines omitted. */
export function cutLines(view: View, lines: readonly string[], most: number): string[] {
  if (view.isFull) return lines.flatMap((line) => wrapWidth(line, view.columns).split('\n'));
  // A note about one omitted line would take as much room as the line itself.
  const shown = lines.length <= most + 1 ? lines : lines.slice(0, most);
  const rest = lines.length - shown.length;
  const more = rest > 0 ? [`… ${rest} more lines`] : [];
  return [...shown, ...more].map((line) => fitWidth(line, view.columns));
}

export function oneLine(view: View, text: string): string {
  return fitWidth(visibleLine(text), view.columns);
}
