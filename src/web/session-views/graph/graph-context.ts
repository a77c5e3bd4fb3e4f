import { createContext, useContext } from 'react';
import type { Relative } from '../../../api/session-views.ts';
import type { Graph } from '../../../reading/graph/graph.ts';
import type { OutlineIndex } from '../../../reading/rows/outline-index.ts';

/** State shared by all parts of a graph. */
export interface GraphContext {
  readonly index: OutlineIndex;
  readonly graph: Graph;
  readonly relatives: readonly Relative[];
  /** -1 if no node is selected. */
  readonly selected: number;
  /** The nodes that the model saw at the selected one; null while that is unknown. */
  readonly lit: ReadonlySet<number> | null;
  readonly setSelected: (node: number) => void;
  /** Shows a turn in the conversation, or what a compaction lost. */
  readonly open: (node: number) => void;
  readonly leave: () => void;
}

export const GraphScope = createContext<GraphContext | null>(null);

export function useGraphContext(): GraphContext {
  const context = useContext(GraphScope);
  if (context === null) throw new Error('A part of a graph is outside of it.');
  return context;
}
