import { firstItemFrom, KIND } from '../rows/columns.ts';
import type { OutlineIndex } from '../rows/outline-index.ts';
import type { Graph } from './graph.ts';

/** Items between two turns, although they count as part of the first. */
const BETWEEN: readonly number[] = [KIND.compaction, KIND.summary, KIND.context, KIND.notice];
const isBetween = (kind: number) => BETWEEN.includes(kind);

/** The nodes that a path of messages leads through. */
export function nodesOnPath(graph: Graph, index: OutlineIndex, ordinals: readonly number[]): ReadonlySet<number> {
  const { columns, compactions } = index;
  const turns = new Set<number>();
  for (const ordinal of ordinals) {
    const item = firstItemFrom(columns, ordinal);
    if (columns.ordinal[item] === ordinal && !isBetween(columns.kind[item] as number))
      turns.add(columns.turn[item] as number);
  }
  const onPath = new Set(ordinals);
  const isLit = (compaction: number) => onPath.has(compactions[compaction]?.ordinal ?? -1);
  return new Set(
    graph.nodes.flatMap(({ turn, compaction, silent }, at) =>
      (compaction >= 0 ? isLit(compaction) : silent < 0 && turns.has(turn)) ? [at] : [],
    ),
  );
}
