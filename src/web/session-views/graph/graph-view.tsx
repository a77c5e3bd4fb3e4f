import { useMemo } from 'react';
import { layOutGraph } from '../../../reading/graph/layout.ts';
import { DEFAULT_SCALE, SCALES } from '../../../reading/graph/geometry.ts';
import { nodesOnPath, type Direction, walk } from '../../../reading/graph/graph.ts';
import { useEntryState } from '../../routing/entry-state.ts';
import { useGo } from '../../routing/use-go.ts';
import type { SessionViewProps } from '../../session/views.ts';
import { isOnControl, useShortcuts } from '../../keyboard.ts';
import { useSettled } from '../../use-settled.ts';
import { useMessagePath, useRelatives } from '../queries.ts';
import { GraphBar } from './graph-bar.tsx';
import { GraphCanvas } from './graph-canvas.tsx';
import { type GraphContext, GraphScope, useGraphContext } from './graph-context.ts';
import { GraphList } from './graph-list.tsx';
import styles from './graph.module.css';
import { X } from 'lucide-react';
import { plural } from '../../../reading/format.ts';
import { describeNode } from '../../../reading/graph/facts.ts';
import type { GraphNode } from '../../../reading/graph/graph.ts';

const NONE = -1;
const NO_NODE = { turn: NONE, compaction: NONE, silent: NONE };

/** The turns of a session as lanes: branches, agents, teammates, compactions, and what the model saw. */
export function GraphView(props: SessionViewProps) {
  const model = useGraph(props);
  const { graph, selected, setSelected } = model;
  const [scale, setScale] = useEntryState('graph-scale', DEFAULT_SCALE);
  const [isList, setList] = useEntryState('graph-list', false);
  const zoom = (by: number) => setScale(Math.min(Math.max(scale + by, 0), SCALES.length - 1));
  useGraphKeys({ ...model, zoom, toggleList: () => setList(!isList), resetZoom: () => setScale(DEFAULT_SCALE) });
  return (
    <GraphScope value={model}>
      <main className={`${styles['view']} print-flow`}>
        <GraphBar scale={scale} onZoom={zoom} isList={isList} onList={setList} />
        {isList ? (
          <GraphList />
        ) : (
          <GraphCanvas
            // A graph of other turns is drawn from the start.
            key={props.session.id}
            scale={SCALES[scale] ?? (SCALES[DEFAULT_SCALE] as (typeof SCALES)[number])}
            onZoom={zoom}
          />
        )}
        {selected !== NONE && selected < graph.nodes.length && <Selected onClose={() => setSelected(NONE)} />}
      </main>
    </GraphScope>
  );
}

export interface GraphModel extends GraphContext {
  readonly setSelected: (node: number) => void;
}

/** Moving quickly from node to node requests nothing on the way. */
const SETTLE_MS = 120;

/** Everything that is drawn, and what is selected. */
function useGraph({ base, session, index, at }: SessionViewProps): GraphModel {
  const go = useGo();
  const { data: relatives } = useRelatives(base, session.id);
  const graph = useMemo(() => layOutGraph(index), [index]);
  const [key, setKey] = useEntryState('graph-selected', at ?? NONE);
  const ordinalOf = (node: number) => {
    const { turn, compaction, silent } = graph.nodes[node] ?? NO_NODE;
    if (silent >= 0) return index.columns.ordinal[index.callOf[silent] ?? NONE] ?? NONE;
    return (compaction >= 0 ? index.compactions[compaction]?.ordinal : index.turns.ordinal[turn]) ?? NONE;
  };
  // One message can start several agents.
  const keyOf = (node: number) => {
    const { silent } = graph.nodes[node] ?? NO_NODE;
    return silent >= 0 ? NONE - 1 - silent : ordinalOf(node);
  };
  const selected = key === NONE ? NONE : graph.nodes.findIndex((_, node) => keyOf(node) === key);
  const settled = useSettled(selected, SETTLE_MS);
  const { turn = NONE, compaction = NONE } = graph.nodes[settled] ?? {};
  const messageId = (compaction >= 0 ? index.compactions[compaction]?.id : index.turns.id[turn]) ?? null;
  const { data: path } = useMessagePath(base, session.id, messageId, index.revision);
  const lit = useMemo(
    () => (path === undefined || messageId === null ? null : nodesOnPath(graph, index, path)),
    [path, messageId, graph, index],
  );
  return {
    index,
    graph,
    relatives: relatives ?? [],
    selected,
    lit: selected === settled ? lit : null,
    setSelected: (node) => setKey(keyOf(node)),
    open: (node) => {
      const { compaction, silent } = graph.nodes[node] ?? NO_NODE;
      const own = index.agents[silent]?.session_id ?? null;
      if (own !== null) return go({ kind: 'session', id: own });
      const place = ordinalOf(node);
      go({ kind: 'session', id: session.id, at: place < 0 ? null : place, view: compaction >= 0 ? 'context' : null });
    },
    leave: () => go({ kind: 'session', id: session.id }, { isReplacing: true }),
  };
}

interface GraphKeys extends GraphModel {
  readonly zoom: (by: number) => void;
  readonly resetZoom: () => void;
  readonly toggleList: () => void;
}

function useGraphKeys({ graph, selected, setSelected, open, leave, zoom, resetZoom, toggleList }: GraphKeys): void {
  const step = (direction: Direction) =>
    setSelected(selected === NONE ? (graph.lanes[0]?.nodes[0] ?? NONE) : walk(graph, selected, direction));
  const main = graph.lanes[0]?.nodes ?? [];
  useShortcuts('Graph', [
    { keys: ['ArrowDown', 'j'], label: 'Next turn', run: () => step('down') },
    { keys: ['ArrowUp', 'k'], label: 'Previous turn', run: () => step('up') },
    {
      keys: ['ArrowLeft', 'ArrowRight'],
      label: 'Lane beside it',
      run: ({ key }) => step(key === 'ArrowLeft' ? 'left' : 'right'),
    },
    { keys: ['Home'], label: 'First turn', run: () => setSelected(main[0] ?? NONE) },
    { keys: ['End'], label: 'Last turn', run: () => setSelected(main.at(-1) ?? NONE) },
    {
      keys: ['Enter'],
      label: 'Open the turn',
      run: (event) => {
        if (isOnControl(event)) (event.target as HTMLElement).click();
        else if (selected !== NONE) open(selected);
      },
    },
    { keys: ['+', '='], label: 'Larger', run: () => zoom(1) },
    { keys: ['-'], label: 'Smaller', run: () => zoom(-1) },
    { keys: ['0'], label: 'Normal size', run: resetZoom },
    { keys: ['l'], label: 'Graph or list', run: toggleList },
    {
      keys: ['Escape'],
      label: 'Select nothing, or back to the conversation',
      run: () => (selected === NONE ? leave() : setSelected(NONE)),
    },
  ]);
}

/** The selected node in words, and what the model saw there. */
function Selected({ onClose }: { readonly onClose: () => void }) {
  const { graph, index, selected, lit, open } = useGraphContext();
  const node = graph.nodes[selected] as GraphNode;
  const { agent, title, facts } = describeNode(index, node, graph);
  const seen = lit === null ? 0 : [...lit].filter((at) => (graph.nodes[at]?.compaction ?? -1) < 0).length;
  const isCompaction = node.compaction >= 0;
  return (
    <div className={styles['selected']}>
      <p role="status" aria-live="polite">
        {agent !== null && <b>{agent}: </b>}
        <bdi>{[title, ...facts].join(', ')}</bdi>
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
