import type { OutlineIndex } from './outline-index.ts';

/** How full the context of the main conversation was, at each item. */
export interface ContextSizes {
  /** Tokens that the model had to read for the last answer at or before an item; before the first answer, for that one. */
  readonly tokens: Float64Array;
  readonly largest: number;
}

export function readContextSizes({ columns }: Pick<OutlineIndex, 'columns'>): ContextSizes {
  const tokens = new Float64Array(columns.count);
  let last = columns.context.find((own, item) => columns.agent[item] === -1 && own > 0) ?? 0;
  let largest = last;
  for (let item = 0; item < columns.count; item += 1) {
    const own = columns.context[item] as number;
    if (columns.agent[item] === -1 && own > 0) last = own;
    tokens[item] = last;
    if (last > largest) largest = last;
  }
  return { tokens, largest };
}
