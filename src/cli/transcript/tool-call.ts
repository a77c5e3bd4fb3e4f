import { fitWidth, textWidth } from '../../lib/text-width.ts';
import { visibleLine } from '../../lib/visible.ts';
import { type Diff, formatChange } from '../../reading/diff.ts';
import { diffOf, outcomeText, type ToolCall, type ToolResult, viewOf } from '../../reading/tool-call.ts';
import { viewText } from '../../reading/view-text.ts';
import { paint } from '../terminal.ts';
import { cutLines, paintLines, safeLines, type View } from './view.ts';

const RESULT_LINES = 6;
const DIFF_LINES = 14;

/** A call: its name and subject on one line, followed by its changes, its output or the work of its sub-agents. */
export function renderCall(view: View, call: ToolCall, nested: readonly string[]): string[] {
  return [headOf(view, call), ...(nested.length > 0 ? nested : bodyOf(view, call))];
}

function headOf({ terminal, columns }: View, call: ToolCall): string {
  const name = fitWidth(visibleLine(call.name), columns);
  const outcome = fitWidth(outcomeText(call), Math.max(0, columns - textWidth(name) - 1));
  const room = columns - textWidth(name) - textWidth(outcome) - 4;
  const about = room < 4 ? '' : fitWidth(visibleLine(call.about), room);
  const style = call.outcome.isError ? 'red' : 'dim';
  return [
    paint(terminal, 'bold', name),
    ...(about === '' ? [] : [about]),
    ...(outcome === '' ? [] : [paint(terminal, style, outcome)]),
  ].join(' '.repeat(about === '' ? 1 : 2));
}

/** Views that are more useful than the result of the call. */
const SHOWN_VIEWS: ReadonlySet<string> = new Set(['todos', 'questions', 'plan']);

function bodyOf(view: View, call: ToolCall): string[] {
  const diff = diffOf(call);
  if (diff !== null) return renderDiff(view, diff);
  const toolView = viewOf(call);
  if (!call.outcome.isError && SHOWN_VIEWS.has(toolView.kind))
    return paintLines(view, 'dim', cutLines(view, safeLines(viewText(toolView)), RESULT_LINES));
  return call.result === null ? [] : renderResult(view, call.result);
}

export function renderResult(view: View, { text, isError }: ToolResult): string[] {
  if (text.trimEnd() === '') return [];
  return paintLines(view, isError ? 'red' : 'dim', cutLines(view, safeLines(text.trimEnd()), RESULT_LINES));
}

const DIFF_STYLES = { '-': 'red', '+': 'green' } as const;

function renderDiff(view: View, diff: Diff): string[] {
  const marked = diff.lines.map(({ mark, text }) => `${mark} ${safeLines(text).join(' ')}`);
  const sum = paint(view.terminal, 'dim', fitWidth(formatChange(diff), view.columns));
  return [
    sum,
    ...cutLines(view, marked, DIFF_LINES).map((line) => {
      const style = DIFF_STYLES[line[0] as keyof typeof DIFF_STYLES] ?? 'dim';
      return paint(view.terminal, style, line);
    }),
  ];
}
