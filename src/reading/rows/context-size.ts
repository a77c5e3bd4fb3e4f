import { windowOf } from '../model-window.ts';
import type { OutlineIndex } from './outline-index.ts';

type Indexed = Pick<OutlineIndex, 'columns'>;

/** Tokens that the model had to read for the last answer of the main conversation at or before an item; before the first answer, for that one. */
export function contextAt({ columns }: Indexed, item: number): number {
  for (let at = Math.min(item, columns.count - 1); at >= 0; at -= 1)
    if (isKnown(columns, at)) return columns.context[at] as number;
  for (let at = Math.max(item, 0); at < columns.count; at += 1)
    if (isKnown(columns, at)) return columns.context[at] as number;
  return 0;
}

/** The maximum over these items. */
export function fullestContext(columns: Indexed['columns'], items: Iterable<number>): number {
  let fullest = 0;
  for (const item of items) if (isKnown(columns, item)) fullest = Math.max(fullest, columns.context[item] as number);
  return fullest;
}

function isKnown({ agent, context }: Indexed['columns'], item: number): boolean {
  return agent[item] === -1 && (context[item] as number) > 0;
}

/** The size of the context window of the last model in the main conversation; null if it is unknown. */
export function contextWindow({ turns, fullest }: Pick<OutlineIndex, 'turns' | 'fullest'>): number | null {
  const model = turns.model.findLast((name, turn) => name !== null && turns.agent[turn] === -1) ?? null;
  return windowOf(model, fullest);
}
