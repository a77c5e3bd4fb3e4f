import type { Outline } from '../../api/outline.ts';
import { mergeColumns, mergeLists } from '../outline-growth.ts';
import { linkAgents } from './agents.ts';
import { type Columns, extend, growColumns } from './columns.ts';
import { fullestContext } from './context-size.ts';
import { groupOf, indexColumns, linkRest, type OutlineIndex, type Turns } from './outline-index.ts';

type Since = NonNullable<Outline['since']>;

/**
 * The index of a session that has grown, from an answer with only the changes. The work grows with the changes and with the
 * number of turns and agents; everything is read again only if earlier items are gone or belong to other turns. Null if the
 * answer is about another outline. The previous index shares memory with this one and must not be grown again.
 */
export function growIndex(before: OutlineIndex, answer: Outline): OutlineIndex | null {
  const { since } = answer;
  if (since === null || since.revision !== before.revision) return null;
  const turns = mergeColumns(before.turns, answer.turns, since.turns);
  const isGrown = hasOnlyGrown(before, answer, since, turns);
  const columns = growColumns(before.columns, answer, since.items);
  const rest = { ...answer, turns, agents: mergeLists(before.agents, answer.agents, since.agents) };
  if (!isGrown) return indexColumns(columns, rest);
  const links = linkAgents(columns, rest.agents, { ...before, count: before.columns.count });
  const groups = growGroups(before, columns, turns, rest.agents.length);
  const items = [...since.items.changed, ...range(before.columns.count, columns.count)];
  const growth = {
    revision: before.revision,
    items,
    turns: [...since.turns.changed, ...range(before.turnCount, turns.ordinal.length)],
  };
  const { moved, ...grouped } = groups;
  const itemsRead = items.length + moved;
  const fullest = Math.max(before.fullest, fullestContext(columns, items));
  return { origin: before.origin, growth, itemsRead, fullest, columns, ...grouped, ...linkRest(columns, rest, links) };
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

/** Whether everything that existed still exists, in the same group, and no context has become smaller. */
function hasOnlyGrown(before: OutlineIndex, { items }: Outline, since: Since, turns: Turns): boolean {
  const { columns, turnCount, agents } = before;
  if (since.items.kept < columns.count || since.turns.kept < turnCount || since.agents.kept < agents.length)
    return false;
  return (
    since.items.changed.every(
      (item, at) =>
        columns.turn[item] === items.turn[at] &&
        columns.agent[item] === items.agent[at] &&
        !((items.context[at] ?? 0) < (columns.context[item] as number)),
    ) && since.turns.changed.every((turn) => before.turns.agent[turn] === turns.agent[turn])
  );
}

const MIN_SPARE = 16;

/** Adds new items to their groups. A full group moves to the end, with room to double. */
function growGroups(before: OutlineIndex, columns: Columns, turns: Turns, agentCount: number) {
  const move = (places: Int32Array) => movedPlaces(places, before.turnCount, turns.ordinal.length, agentCount);
  const [starts, ends, limits] = [move(before.starts), move(before.ends), move(before.limits)];
  const positions = extend(before.positions, before.columns.count, columns.count);
  let order = before.order;
  let moved = 0;
  const makeRoom = (group: number) => {
    const [start, end] = [starts[group] as number, ends[group] as number];
    const used = order.length;
    order = extend(order, used, used + (end - start) * 2 + MIN_SPARE);
    order.copyWithin(used, start, end);
    for (let at = used; at < used + end - start; at += 1) positions[order[at] as number] = at;
    moved += end - start;
    starts[group] = used;
    ends[group] = used + end - start;
    limits[group] = order.length;
  };
  for (let item = before.columns.count; item < columns.count; item += 1) {
    const group = groupOf(columns, turns, item);
    if (ends[group] === limits[group]) makeRoom(group);
    const position = ends[group] as number;
    order[position] = item;
    positions[item] = position;
    ends[group] = position + 1;
  }
  return { order, positions, starts, ends, limits, moved };
}

/** The groups of conversations follow those of the turns, of which there are more now. */
function movedPlaces(places: Int32Array, turnsBefore: number, turnCount: number, agentCount: number): Int32Array {
  const moved = new Int32Array(turnCount + agentCount + 1);
  moved.set(places.subarray(0, turnsBefore));
  moved.set(places.subarray(turnsBefore), turnCount);
  return moved;
}
