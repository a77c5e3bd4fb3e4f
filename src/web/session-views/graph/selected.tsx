import { X } from 'lucide-react';
import { plural } from '../../../reading/format.ts';
import { agentName } from '../../../reading/graph/agents.ts';
import { describeNode } from '../../../reading/graph/facts.ts';
import type { GraphNode } from '../../../reading/graph/graph.ts';
import { useGraphContext } from './graph-context.ts';
import styles from './graph.module.css';

/** The selected node in words, and what the model saw there. */
export function Selected({ onClose }: { readonly onClose: () => void }) {
  const { graph, index, selected, lit, open } = useGraphContext();
  const node = graph.nodes[selected] as GraphNode;
  const { agent = -1 } = graph.lanes[node.lane] ?? {};
  const seen = lit === null ? 0 : [...lit].filter((at) => (graph.nodes[at]?.compaction ?? -1) < 0).length;
  const isCompaction = node.compaction >= 0;
  return (
    <div className={styles['selected']}>
      <p role="status" aria-live="polite">
        {agent >= 0 && <b>{agentName(index.agents[agent])}: </b>}
        <bdi>{describeNode(index, node, graph)}</bdi>
      </p>
      {lit !== null && !isCompaction && <span className={styles['seen']}>the model saw {plural(seen, 'turn')}</span>}
      <button type="button" onClick={() => open(selected)}>
        {isCompaction ? 'What was lost' : 'Open'}
      </button>
      <button type="button" aria-label="Select nothing" onClick={onClose}>
        <X size={15} aria-hidden="true" />
      </button>
    </div>
  );
}
