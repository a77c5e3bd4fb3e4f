import type { Relative } from '../../../api/session-views.ts';
import { agentName } from '../../../reading/graph/agents.ts';
import { nodeFacts, turnTitle } from '../../../reading/graph/facts.ts';
import type { GraphNode } from '../../../reading/graph/graph.ts';
import { type Bands, type GraphScale, namePx, neckPath, type Point, pointOf } from '../../../reading/graph/geometry.ts';
import { isInherited } from '../../../reading/rows/outline-index.ts';
import { relativeText } from '../../../reading/graph/relatives.ts';
import { isTyped } from '../../../domain/text-origin.ts';
import type { MessageOrigin } from '../../../domain/transcript.ts';
import { fitText } from '../../charts/fit-text.ts';
import { PageLink } from '../../routing/page-link.tsx';
import { type GraphContext, useGraphContext } from './graph-context.ts';
import styles from './graph.module.css';

interface NodeViewProps {
  readonly at: number;
  readonly scale: GraphScale;
  readonly bands: Bands;
  /** Sessions that began here. */
  readonly forks: readonly Relative[] | undefined;
}

const NAME_PX = 13;
const FACTS_PX = 12;
const GAP_PX = 18;
const RING_PX = 4;

export function NodeView({ at, scale, bands, forks = [] }: NodeViewProps) {
  const fork = forks.find(({ title }) => title !== null);
  const context = useGraphContext();
  const { graph, selected, lit, setSelected, open } = context;
  const node = graph.nodes[at] as GraphNode;
  const point = pointOf(graph, scale, node);
  return (
    <g
      className={styles['node']}
      data-node={node.compaction >= 0 ? 'compaction' : node.silent >= 0 ? 'agent' : 'turn'}
      data-kind={kindOf(context, node)}
      data-abandoned={isAbandoned(context, node) || undefined}
      data-copied={(node.compaction < 0 && node.silent < 0 && isInherited(context.index, node.turn)) || undefined}
      data-on-path={lit?.has(at) === true || selected === at || undefined}
      data-selected={selected === at || undefined}
      onClick={() => setSelected(at)}
      onDoubleClick={() => open(at)}
    >
      {scale.hasNames && (
        <rect
          className={styles['target']}
          x={point.x}
          y={point.y - scale.rowPx / 2}
          width={namePx(graph, scale, node)}
          height={scale.rowPx}
        />
      )}
      {selected === at && <circle className={styles['ring']} cx={point.x} cy={point.y} r={scale.radiusPx + RING_PX} />}
      {node.compaction >= 0 ? (
        <path className={styles['neck']} d={neckPath(point, bands.above[at] ?? 0, bands.below[at] ?? 0, scale)} />
      ) : (
        <circle className={styles['dot']} cx={point.x} cy={point.y} r={scale.radiusPx} />
      )}
      <Words node={node} point={point} scale={scale} isLast={isLastOfBranch(context, at)} />
      {scale.hasFacts && fork !== undefined && (
        <PageLink
          page={{ kind: 'session', id: fork.session_id, view: 'graph' }}
          className={styles['fork']}
          tabIndex={-1}
        >
          <text x={point.x + GAP_PX} y={point.y + 2.4 * FACTS_PX} fontSize={FACTS_PX}>
            {fitText(`${relativeText(fork)} ${fork.title}`, namePx(graph, scale, node) - GAP_PX, FACTS_PX)}
          </text>
        </PageLink>
      )}
    </g>
  );
}

interface WordsProps {
  readonly node: GraphNode;
  readonly point: Point;
  readonly scale: GraphScale;
  readonly isLast: boolean;
}

/** How much wider the names of agents are, which are bold. */
const BOLD_WIDTH = 1.12;

/** Name and figures beside a node; a small graph has them as tooltips only. */
function Words({ node, point, scale, isLast }: WordsProps) {
  const context = useGraphContext();
  const { graph, index } = context;
  const agent = startedAgent(context, node);
  const title = node.silent >= 0 ? agentName(index.agents[node.silent]) : turnTitle(index, node.turn);
  const name = node.compaction >= 0 ? 'Compacted' : (agent ?? title);
  const facts = nodeFacts(index, node).join(' · ');
  if (!scale.hasNames) return <title>{[name, facts].filter(Boolean).join(' · ')}</title>;
  const width = namePx(graph, scale, node) - GAP_PX;
  const more = [facts, isLast ? 'rewound here' : ''].filter(Boolean).join(' · ');
  const isOne = !scale.hasFacts || more === '';
  return (
    <>
      <title>{agent === null ? name : title}</title>
      {/* Before the name, whose descenders its outline would cover. */}
      {!isOne && (
        <text className={styles['facts']} x={point.x + GAP_PX} y={point.y + FACTS_PX + 2} fontSize={FACTS_PX}>
          {fitText(more, width, FACTS_PX)}
        </text>
      )}
      <text
        className={styles['name']}
        data-lane-name={agent !== null || undefined}
        x={point.x + GAP_PX}
        y={point.y + (isOne ? NAME_PX / 3 : -2)}
        fontSize={NAME_PX}
      >
        {fitText(name, agent === null && node.silent < 0 ? width : width / BOLD_WIDTH, NAME_PX)}
      </text>
    </>
  );
}

/** The name of the agent whose lane begins here; its prompt says less. */
function startedAgent({ graph, index }: GraphContext, node: GraphNode): string | null {
  const { agent = -1, nodes = [] } = graph.lanes[node.lane] ?? {};
  return agent >= 0 && graph.nodes[nodes[0] ?? -1] === node ? agentName(index.agents[agent]) : null;
}

/** The kind that gives a node its color. */
function kindOf({ index, graph }: GraphContext, { turn, compaction, lane }: GraphNode): string {
  if (compaction >= 0) return 'system';
  if ((graph.lanes[lane]?.agent ?? -1) >= 0) return 'agent';
  return isTyped((index.turns.origin[turn] ?? '') as MessageOrigin) ? 'human' : 'system';
}

function isAbandoned({ index, graph }: GraphContext, { turn, compaction, lane }: GraphNode): boolean {
  return graph.lanes[lane]?.isAbandoned === true || (compaction < 0 && index.turns.branch[turn] === 1);
}

function isLastOfBranch({ graph }: GraphContext, at: number): boolean {
  const lane = graph.lanes[graph.nodes[at]?.lane ?? -1];
  return lane?.kind === 'branch' && lane.nodes.at(-1) === at;
}
