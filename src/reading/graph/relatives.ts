import type { Relative } from '../../api/session-views.ts';
import { isInherited, type OutlineIndex } from '../rows/outline-index.ts';
import type { Graph } from './graph.ts';

/** What this session is to the other one, followed by its title: `Copied from`, `Continued in`. */
const FROM: Readonly<Record<string, string>> = {
  forked: 'Forked from',
  branched: 'Branched from',
  shared: 'Same beginning as',
  copied: 'Contains lines of',
  cleared: 'Cleared from',
  continued: 'Continued in',
  planned: 'Carries out the plan of',
  forked_context: 'An agent began with the context of',
};
const INTO: Readonly<Record<string, string>> = {
  forked: 'Forked into',
  branched: 'Branched into',
  shared: 'Same beginning as',
  copied: 'Lines are also in',
  cleared: 'Cleared into',
  continued: 'Continues',
  planned: 'Its plan is carried out by',
  forked_context: 'Its context was given to an agent of',
};

export function relativeText({ kind, is_origin }: Pick<Relative, 'kind' | 'is_origin'>): string {
  return (is_origin ? FROM : INTO)[kind] ?? 'Related to';
}

/** The rows of the beginning that was copied, and the session it comes from; null if nothing was. */
export function copiedRows(graph: Graph, index: OutlineIndex, relatives: readonly Relative[]) {
  const rows = graph.nodes.flatMap(({ turn, compaction, silent, row }) =>
    compaction < 0 && silent < 0 && isInherited(index, turn) ? [row] : [],
  );
  if (rows.length === 0) return null;
  const origin = relatives.find(({ is_origin, lines }) => is_origin && lines > 0) ?? null;
  return { first: Math.min(...rows), last: Math.max(...rows), origin };
}

/** Sessions that began here, by the node after which they went their own way. */
export function forksByNode(graph: Graph, index: OutlineIndex, relatives: readonly Relative[]) {
  const main = (graph.lanes[0]?.nodes ?? []).filter((node) => (graph.nodes[node]?.compaction ?? -1) < 0);
  const placed = relatives.flatMap((relative) => {
    if (relative.is_origin || relative.at_ordinal === null) return [];
    const at = relative.at_ordinal;
    const node = main.findLast((each) => (index.turns.ordinal[graph.nodes[each]?.turn ?? -1] ?? Infinity) <= at);
    return node === undefined ? [] : [[node, relative] as const];
  });
  return new Map(
    [...Map.groupBy(placed, ([node]) => node)].map(([node, list]) => [node, list.map(([, relative]) => relative)]),
  );
}
