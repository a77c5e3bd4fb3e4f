import { type Columns, KIND } from '../../reading/rows/columns.ts';
import type { RowKind } from '../../reading/rows/row.ts';

const FIXED_PX: Readonly<Record<Exclude<RowKind, 'item' | 'prompt'>, number>> = {
  day: 56,
  strip: 40,
  group: 32,
  agent: 60,
  ways: 40,
  inherited: 56,
  context: 32,
};
const CALL_PX = 32;
const LINE_PX = 24;
const CHARS_PER_LINE = 84;
const ANSWER_PX = 28;
const PROMPT_PX = 64;
const MAX_PROMPT_PX = 300;
/** Of an item with an error: its last lines are shown. */
const FAILED_PX = 160;
const MAX_LINES = 60;

/** The height of a row until it is measured. Good estimates keep the scroll bar steady. */
export function estimateRowPx({ kind, size, flags }: Columns, rowKind: RowKind, item: number): number {
  if (rowKind !== 'item' && rowKind !== 'prompt') return FIXED_PX[rowKind];
  const bytes = size[item] ?? 0;
  const linesPx = Math.min(Math.ceil(bytes / CHARS_PER_LINE), MAX_LINES) * LINE_PX;
  if (rowKind === 'prompt')
    return kind[item] === KIND.prompt ? PROMPT_PX + Math.min(linesPx, MAX_PROMPT_PX) : CALL_PX + LINE_PX;
  if (kind[item] === KIND.answer) return ANSWER_PX + linesPx;
  return ((flags[item] ?? 0) & 1) === 0 ? CALL_PX : FAILED_PX;
}
