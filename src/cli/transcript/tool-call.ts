import type { BlockRow } from '../../api/answers/transcript.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { fitWidth, textWidth } from '../../lib/text-width.ts';
import { visibleLine } from '../../lib/visible.ts';
import { formatDuration } from '../../reading/format.ts';
import { type Diff, diffEdits, formatChange } from '../../reading/diff.ts';
import { editsOf } from '../../reading/tool-input.ts';
import { outcomeWords } from '../../reading/tool-outcome.ts';
import type { ToolCall } from '../../api/answers/structure.ts';
import { paint } from '../terminal.ts';
import { cutLines, paintLines, safeLines, type View } from './view.ts';

const RESULT_LINES = 6;
const DIFF_LINES = 14;
/** What is quicker needs no word. */
const SLOW_MS = 2_000;

export interface ShownCall {
  readonly use: BlockRow;
  readonly result: BlockRow | undefined;
  readonly facts: ToolCall | undefined;
  /** The work of the sub-agent that it started. */
  readonly nested: readonly string[];
}

/** A call: its name and what it is about on one line, then what it changed or printed. */
export function renderCall(view: View, call: ShownCall): string[] {
  const body = call.nested.length > 0 ? call.nested : bodyOf(view, call);
  return [headOf(view, call), ...body];
}

function headOf({ terminal, columns }: View, call: ShownCall): string {
  const name = fitWidth(visibleLine(call.use.tool_name ?? 'tool'), columns);
  const outcome = fitWidth(outcomeOf(call), Math.max(0, columns - textWidth(name) - 1));
  const room = columns - textWidth(name) - textWidth(outcome) - 4;
  const about = room < 4 ? '' : fitWidth(aboutInput(call.use), room);
  const style = isBad(call) ? 'red' : 'dim';
  return [
    paint(terminal, 'bold', name),
    ...(about === '' ? [] : [about]),
    ...(outcome === '' ? [] : [paint(terminal, style, outcome)]),
  ].join(' '.repeat(about === '' ? 1 : 2));
}

function isBad({ result, facts }: ShownCall): boolean {
  return result?.is_error === true || facts?.status === 'error';
}

function outcomeOf({ result, facts }: ShownCall): string {
  const state = facts === undefined ? (result?.is_error === true ? 'failed' : '') : outcomeWords(facts);
  const code = facts?.exit_code ? `exit ${facts.exit_code}` : state;
  const time = (facts?.duration_ms ?? 0) >= SLOW_MS ? formatDuration(facts?.duration_ms ?? null) : '';
  return [code, time].filter((word) => word !== '').join(' · ');
}

const TELLING_KEYS = [
  'command',
  'file_path',
  'notebook_path',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'skill',
  'subject',
];

function aboutInput({ tool_input }: BlockRow): string {
  const input = asObject(tool_input);
  if (input === null) return '';
  const telling = TELLING_KEYS.map((key) => input[key]).find((value) => typeof value === 'string' && value !== '');
  if (typeof telling === 'string') return visibleLine(telling);
  const text = JSON.stringify(tool_input);
  return text === '{}' ? '' : visibleLine(text);
}

function asObject(value: JsonValue | null | undefined): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

function bodyOf(view: View, call: ShownCall): string[] {
  const edits = isBad(call) ? [] : editsOf(call.use.tool_input);
  if (edits.length > 0) return renderDiff(view, diffEdits(edits));
  const text = (call.result?.result_text ?? '').trimEnd();
  if (text === '') return [];
  return paintLines(view, isBad(call) ? 'red' : 'dim', cutLines(view, safeLines(text), RESULT_LINES));
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
