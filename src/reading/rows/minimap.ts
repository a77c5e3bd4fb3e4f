import { TOOL_COLORS } from '../kinds.ts';
import { hasFailed, itemAt, KIND } from './columns.ts';
import { type Commit, commitsByTurn } from './commits.ts';
import { leadGroup, type OutlineIndex } from './outline-index.ts';

const MAIN = -1;
/** Items without text still take some room, and no item takes all of it. */
const MIN_BYTES = 120;
const MAX_BYTES = 20_000;

/** The main conversation from top to bottom, each item with its share of the height. */
export interface Minimap {
  /** Items in reading order. */
  readonly items: Int32Array;
  /** Where each item ends, as a share of the whole. */
  readonly ends: Float64Array;
}

export function buildMinimap(index: OutlineIndex): Minimap {
  const { columns, order, starts, ends: stops, tree } = index;
  const groups = [leadGroup(index, MAIN), ...tree.rootsOf(MAIN)];
  const count = groups.reduce((sum, group) => sum + (stops[group] as number) - (starts[group] as number), 0);
  const items = new Int32Array(count);
  const ends = new Float64Array(count);
  let at = 0;
  let total = 0;
  for (const group of groups) {
    for (let position = starts[group] as number; position < (stops[group] as number); position += 1) {
      const item = order[position] as number;
      total += Math.min(Math.max(columns.size[item] as number, MIN_BYTES), MAX_BYTES);
      items[at] = item;
      ends[at] = total;
      at += 1;
    }
  }
  for (let each = 0; each < count; each += 1) ends[each] = (ends[each] as number) / total;
  return { items, ends };
}

/** What a line of the map shows. */
export const BANDS = [
  'nothing',
  'human',
  'model',
  'read',
  'write',
  'run',
  'web',
  'agent',
  'system',
  'compaction',
  'error',
] as const;
export type Band = (typeof BANDS)[number];

const BAND_OF: Readonly<Record<keyof typeof KIND, Band>> = {
  prompt: 'human',
  command: 'human',
  answer: 'model',
  thinking: 'model',
  ...TOOL_COLORS,
  result: 'system',
  media: 'system',
  notice: 'system',
  error: 'error',
  compaction: 'compaction',
  summary: 'system',
  context: 'system',
};
const BAND_NUMBERS = Uint8Array.from(Object.keys(KIND), (kind) => BANDS.indexOf(BAND_OF[kind as keyof typeof KIND]));
/** These are shown however small they are, in this order. */
const RANKS = new Uint8Array(BANDS.length);
for (const [rank, band] of (['human', 'compaction', 'error'] as const).entries()) RANKS[BANDS.indexOf(band)] = rank + 1;

/** The lines of the map for a height: errors first, then compactions and prompts, then what takes most of a line. */
export function minimapBands({ columns }: OutlineIndex, { items, ends }: Minimap, lines: number): Uint8Array {
  const bands = new Uint8Array(lines);
  const shares = new Float64Array(lines);
  let start = 0;
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at] as number;
    const end = (ends[at] as number) * lines;
    const isError = hasFailed(columns, item);
    const band = isError ? BANDS.indexOf('error') : (BAND_NUMBERS[columns.kind[item] as number] as number);
    const rank = RANKS[band] as number;
    const last = Math.min(Math.ceil(end), lines);
    for (let line = Math.floor(start); line < last; line += 1) {
      const share = Math.min(end, line + 1) - Math.max(start, line);
      const rankThere = RANKS[bands[line] as number] as number;
      if (rank < rankThere || (rank === rankThere && share <= (shares[line] as number))) continue;
      bands[line] = band;
      shares[line] = share;
    }
    start = end;
  }
  return bands;
}

/** The item at a share of the height; -1 for an empty map. */
export function itemAtShare({ items, ends }: Minimap, share: number): number {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] as number) <= share) low = middle + 1;
    else high = middle;
  }
  return items[low] ?? -1;
}

/** Where an item of the main conversation starts on the map, as a share; inside a sub-agent, where its call does. */
export function shareOf(index: OutlineIndex, { ends }: Minimap, places: Int32Array, item: number): number {
  let at = item;
  while ((index.columns.agent[at] as number) >= 0) {
    const call = index.callOf[index.columns.agent[at] as number] ?? -1;
    if (call < 0) break;
    at = call;
  }
  const place = places[at] ?? -1;
  return place <= 0 ? 0 : (ends[place - 1] as number);
}

/** The place of each item on the map; -1 for items that are not on it. */
export function placesOn({ items }: Minimap, count: number): Int32Array {
  const places = new Int32Array(count).fill(-1);
  for (let at = 0; at < items.length; at += 1) places[items[at] as number] = at;
  return places;
}

export interface CommitDot {
  readonly share: number;
  readonly commits: readonly Commit[];
}

/** Dots closer than this would cover each other. */
const DOTS_PER_MAP = 80;

/** Where commits are on the map. One that is not on it, as in an abandoned branch, is where its turn begins. */
export function commitDots(index: OutlineIndex, map: Minimap, places: Int32Array): readonly CommitDot[] {
  const placed = [...commitsByTurn(index)].flatMap(([turn, commits]) =>
    commits.map((commit) => ({ commit, share: shareOfCommit(index, map, places, commit, turn) })),
  );
  const dots = Map.groupBy(placed, ({ share }) => Math.round(share * DOTS_PER_MAP));
  return [...dots.values()].map((group) => ({
    share: group[0]?.share ?? 0,
    commits: group.map(({ commit }) => commit),
  }));
}

function shareOfCommit(
  index: OutlineIndex,
  map: Minimap,
  places: Int32Array,
  { ordinal }: Commit,
  turn: number,
): number {
  const share = ordinal < 0 ? 0 : shareOf(index, map, places, itemAt(index.columns, ordinal));
  return share > 0 ? share : shareOf(index, map, places, itemAt(index.columns, index.turns.ordinal[turn] ?? 0));
}
