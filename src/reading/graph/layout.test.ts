import { expect, test } from 'vitest';
import { type ItemSpec, makeOutline, type TurnSpec } from '../../../test/support/make-outline.ts';
import type { Outline } from '../../api/outline.ts';
import { indexOutline } from '../rows/outline-index.ts';
import { describeGraph, describeNode } from './facts.ts';
import { type Graph, nodesOnPath, walk } from './graph.ts';
import { layOutGraph } from './layout.ts';

type Spec = Parameters<typeof makeOutline>[0];

type Agent = Outline['agents'][number];

function graphOf(spec: Spec, known: readonly Partial<Agent>[] = []) {
  const agents = (spec.agents ?? []).map((id) => known.find(({ agent_id }) => agent_id === id) ?? id);
  const index = indexOutline(makeOutline({ ...spec, agents }));
  return { index, graph: layOutGraph(index) };
}

/** Prompts at these positions, each with an answer. */
function prompts(turns: readonly TurnSpec[]): readonly ItemSpec[] {
  return turns.flatMap(({ ordinal, agent = -1 }, turn): ItemSpec[] => [
    { kind: 'prompt', ordinal, turn, agent },
    { kind: 'answer', ordinal: ordinal + 1, turn, agent },
  ]);
}

const cells = ({ nodes, lanes }: Graph) => nodes.map(({ lane, row }) => [row, lanes[lane]?.column]);
const edgesOf = ({ edges }: Graph, kind: string) =>
  edges.filter((edge) => edge.kind === kind).map(({ from, to }) => [from, to]);
const mate = (agent_id: string, agent_name: string, team_name: string | null = 'crew'): Partial<Agent> => ({
  agent_id,
  agent_name,
  team_name,
});

test('turns of a conversation are one lane from top to bottom', () => {
  const turns = [{ ordinal: 0 }, { ordinal: 2 }, { ordinal: 4 }];
  const { graph } = graphOf({ items: prompts(turns), turns });
  expect(cells(graph)).toEqual([
    [0, 0],
    [1, 0],
    [2, 0],
  ]);
  expect(edgesOf(graph, 'next')).toEqual([
    [0, 1],
    [1, 2],
  ]);
  expect(describeGraph(graph)).toBe('3 turns');
});

test('an abandoned branch has a separate column, and its turns stay together', () => {
  const turns = [
    { ordinal: 0 },
    { ordinal: 2, branch: 1, parent: 0 },
    { ordinal: 4, branch: 1, parent: 1 },
    { ordinal: 6, parent: 0 },
  ];
  const branches = [{ after_ordinal: 1, turns: [1, 3], current: 3 }];
  const { index, graph } = graphOf({ items: prompts(turns), turns, branches });
  expect(cells(graph)).toEqual([
    [0, 0],
    [1, 1],
    [2, 1],
    [3, 0],
  ]);
  expect(edgesOf(graph, 'branch')).toEqual([[0, 1]]);
  expect(edgesOf(graph, 'next')).toEqual([
    [0, 3],
    [1, 2],
  ]);
  expect(describeNode(index, graph.nodes[1]!, graph)).toEqual({ agent: null, title: 'prompt 2', facts: ['abandoned'] });
  expect(describeGraph(graph)).toBe('4 turns, 1 abandoned branch');
});

test('concurrent agents are side by side, and return to their caller', () => {
  const turns = [
    { ordinal: 0, time: 0 },
    { ordinal: 5, parent: 0, time: 100 },
    { ordinal: 7, agent: 0, parent: -1, time: 10 },
    { ordinal: 9, agent: 1, parent: -1, time: 11 },
    { ordinal: 11, agent: 0, parent: 2, time: 20 },
    { ordinal: 13, agent: 2, parent: -1, time: 110 },
  ];
  const items: ItemSpec[] = [
    { kind: 'prompt', ordinal: 0, turn: 0 },
    { kind: 'agent', ordinal: 1, turn: 0, spawned: 0 },
    { kind: 'agent', ordinal: 2, turn: 0, spawned: 1 },
    { kind: 'prompt', ordinal: 5, turn: 1 },
    { kind: 'agent', ordinal: 6, turn: 1, spawned: 2 },
    ...prompts(turns).slice(4),
  ];
  const { graph } = graphOf({ items, turns, agents: ['a', 'b', 'c'] });
  expect(graph.nodes.map(({ turn, lane, row }) => [turn, row, graph.lanes[lane]?.column])).toEqual([
    [0, 0, 0],
    [2, 1, 1],
    [3, 1, 2],
    [4, 2, 1],
    [1, 3, 0],
    [5, 4, 1],
  ]);
  expect(edgesOf(graph, 'spawn')).toEqual([
    [0, 1],
    [0, 2],
    [4, 5],
  ]);
  expect(edgesOf(graph, 'result')).toEqual([
    [3, 4],
    [2, 4],
  ]);
  expect(graph.columns).toBe(3);
});

test('a teammate keeps one lane over several agents, and messages lead from lane to lane', () => {
  const turns = [
    { ordinal: 0, time: 0 },
    { ordinal: 2, parent: 0, time: 50, origin: 'teammate', sender: 'ada' },
    { ordinal: 4, agent: 0, parent: -1, time: 10 },
    { ordinal: 6, agent: 1, parent: -1, time: 60, origin: 'teammate', sender: 'team-lead' },
    { ordinal: 8, agent: 2, parent: -1, time: 70, origin: 'teammate', sender: 'ada' },
  ];
  const { graph } = graphOf({ items: prompts(turns), turns, agents: ['a1', 'a2', 'b1'] }, [
    mate('a1', 'ada'),
    mate('a2', 'ada'),
    mate('b1', 'bob'),
  ]);
  expect(graph.lanes.map(({ kind, nodes }) => [kind, nodes.length])).toEqual([
    ['main', 2],
    ['teammate', 2],
    ['teammate', 1],
  ]);
  const sent = edgesOf(graph, 'message').map((ends) => ends.map((node) => graph.nodes[node]?.turn));
  expect(sent).toEqual([
    [2, 1],
    [1, 3],
    [3, 4],
  ]);
  // A message is not drawn again as the start or the end of an agent.
  const started = edgesOf(graph, 'spawn').map((ends) => ends.map((node) => graph.nodes[node]?.turn));
  expect(started).toEqual([
    [0, 2],
    [1, 4],
  ]);
  expect(edgesOf(graph, 'result')).toEqual([]);
  expect(describeGraph(graph)).toBe('5 turns, 2 teammates');
});

test('an agent without messages is one node, from the call that started it to what came next', () => {
  const turns = [{ ordinal: 0 }, { ordinal: 6 }];
  const items: ItemSpec[] = [
    { kind: 'prompt', ordinal: 0, turn: 0 },
    { kind: 'agent', ordinal: 1, turn: 0, spawned: 0 },
    { kind: 'agent', ordinal: 2, turn: 0, spawned: 1 },
    { kind: 'prompt', ordinal: 6, turn: 1 },
  ];
  const stats = { messages: 0, tool_calls: 7, wall_ms: 61_000 };
  const { index, graph } = graphOf({ items, turns, agents: ['a', 'b', 'c'] }, [
    { agent_id: 'a', agent_type: 'Explore', description: 'Find callers', status: 'completed', stats },
    { ...mate('b', 'ada'), session_id: 's2', status: 'running' },
    { agent_id: 'c' },
  ]);
  expect(graph.nodes.map(({ silent, row, lane }) => [silent, row, graph.lanes[lane]?.kind])).toEqual([
    [-1, 0, 'main'],
    [0, 1, 'agent'],
    [1, 1, 'teammate'],
    [-1, 2, 'main'],
    [2, 3, 'agent'],
  ]);
  expect(edgesOf(graph, 'spawn')).toEqual([
    [0, 1],
    [0, 2],
    [3, 4],
  ]);
  expect(edgesOf(graph, 'result')).toEqual([
    [1, 3],
    [2, 3],
  ]);
  expect(graph.nodes.filter(({ silent }) => silent >= 0).map((node) => describeNode(index, node, graph))).toEqual([
    { agent: null, title: 'Explore · Find callers', facts: ['completed', '1m', '7 calls', 'no messages stored'] },
    { agent: null, title: 'ada', facts: ['running', 'in a session of its own'] },
    { agent: null, title: 'agent', facts: ['no messages stored'] },
  ]);
  expect(describeGraph(graph)).toBe('2 turns, 2 agents, 1 teammate');
  expect([...nodesOnPath(graph, index, [0, 1, 2])]).toEqual([0]);
});

test('a compaction is a node between the turns around it', () => {
  const turns = [{ ordinal: 0 }, { ordinal: 4 }];
  const compaction = { id: 'c', ordinal: 3, agent: -1, kind: 'full', trigger: 'auto', duration_ms: null };
  const { index, graph } = graphOf({
    items: [...prompts([{ ordinal: 0 }]), { kind: 'compaction', ordinal: 3, turn: 0 }, ...prompts(turns).slice(2)],
    turns,
    compactions: [{ ...compaction, pre_tokens: 167_361, post_tokens: 9_000 }],
  });
  expect(graph.nodes.map(({ turn, compaction: at }) => [turn, at])).toEqual([
    [0, -1],
    [0, 0],
    [1, -1],
  ]);
  expect(describeNode(index, graph.nodes[1]!, graph)).toEqual({
    agent: null,
    title: 'Compaction',
    facts: ['167k → 9.0k tokens'],
  });
  expect([...nodesOnPath(graph, index, [3, 4])]).toEqual([1, 2]);
});

test('arrow keys move along a lane, into branches and agents, and back', () => {
  const turns = [{ ordinal: 0 }, { ordinal: 2, branch: 1, parent: 0 }, { ordinal: 4, parent: 0 }];
  const { graph } = graphOf({
    items: prompts(turns),
    turns,
    branches: [{ after_ordinal: 1, turns: [1, 2], current: 2 }],
  });
  expect(walk(graph, 0, 'down')).toBe(2);
  expect(walk(graph, 2, 'down')).toBe(2);
  expect(walk(graph, 2, 'right')).toBe(1);
  expect(walk(graph, 1, 'up')).toBe(0);
  expect(walk(graph, 1, 'left')).toBe(0);
});

test('every turn gets a separate place, whatever its parents, times and branches', () => {
  const turns = Array.from({ length: 300 }, (_, at) => ({
    ordinal: at * 2,
    agent: at % 3 === 0 ? -1 : at % 7,
    parent: (at * 31) % 300,
    branch: at % 5 === 0 ? 1 : 0,
    time: at % 4 === 0 ? null : ((at * 7919) % 1000) * 1000,
  }));
  const branches = [{ after_ordinal: 0, turns: [0, 15, 30], current: 3 }];
  const { graph } = graphOf({ items: prompts(turns), turns, branches, agents: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] });
  expect(new Set(cells(graph).map(String)).size).toBe(300);
  expect([...graph.nodeOfTurn].every((node, turn) => graph.nodes[node]?.turn === turn)).toBe(true);
  for (const { from, to } of graph.edges) expect(graph.nodes[from]!.row).toBeLessThan(graph.nodes[to]!.row);
});
