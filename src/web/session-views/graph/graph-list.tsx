import { useMemo, useRef } from 'react';
import { describeNode } from '../../../reading/graph/facts.ts';
import type { GraphNode } from '../../../reading/graph/graph.ts';
import { VirtualList, type VirtualHandle } from '../../virtual-list.tsx';
import { useGraphContext } from './graph-context.ts';
import styles from './graph.module.css';

const ROW_PX = 34;
const MAX_DEPTH = 4;

/** The same turns as a list, for those who do not see the drawing. */
export function GraphList() {
  const { graph, index, selected, open } = useGraphContext();
  const list = useRef<VirtualHandle>(null);
  const rows = useMemo(
    () =>
      Array.from(graph.nodes.keys()).sort(
        (a, b) => rowOf(graph.nodes[a]) - rowOf(graph.nodes[b]) || laneOf(graph.nodes[a]) - laneOf(graph.nodes[b]),
      ),
    [graph],
  );
  return (
    <VirtualList
      rows={rows}
      rowKey={String}
      estimatePx={() => ROW_PX}
      rowAttributes={() => ({ className: 'virtual-row', role: 'listitem' })}
      renderRow={(at) => {
        const node = graph.nodes[at] as GraphNode;
        const column = Math.min(graph.lanes[node.lane]?.column ?? 0, MAX_DEPTH);
        const { agent, title, facts } = describeNode(index, node, graph);
        return (
          <button
            type="button"
            className={styles['entry']}
            data-depth={column}
            aria-current={at === selected || undefined}
            onClick={() => open(at)}
          >
            {agent !== null && <span className={styles['entry-lane']}>{agent}</span>}
            <span className={styles['entry-title']} data-agent={node.silent >= 0 || undefined} dir="auto">
              {title}
            </span>
            <span className={styles['entry-facts']}>{facts.join(' · ')}</span>
          </button>
        );
      }}
      handle={list}
      attributes={{ className: `scroll ${styles['list'] ?? ''}`, role: 'list', 'aria-label': 'Turns', tabIndex: 0 }}
    />
  );
}

const rowOf = (node: GraphNode | undefined) => node?.row ?? 0;
const laneOf = (node: GraphNode | undefined) => node?.lane ?? 0;
