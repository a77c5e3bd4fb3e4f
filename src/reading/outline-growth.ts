import type { Outline } from '../api/outline.ts';

/** With more changes than this, the whole outline is sent. */
const MAX_CHANGED_SHARE = 0.5;

type Part = NonNullable<Outline['since']>['items'];
type Column = readonly (string | number | null)[];
type Columns = Readonly<Record<string, Column>>;

type Earlier = Pick<Outline, 'revision' | 'items' | 'turns' | 'agents'>;

/**
 * The changes of an outline since an earlier one; the outline itself if that is shorter. Items are compared unless it is
 * known which of them have changed.
 */
export function outlineSince(
  before: Earlier,
  now: Outline,
  items: Part = comparePart(before.items, now.items),
): Outline {
  if (items.changed.length + countOf(now.items) - items.kept > countOf(now.items) * MAX_CHANGED_SHARE) return now;
  const turns = comparePart(before.turns, now.turns);
  const agents = compareLists(before.agents, now.agents);
  return {
    ...now,
    since: { revision: before.revision, items, turns, agents },
    items: pickColumns(now.items, items),
    turns: pickColumns(now.turns, turns),
    agents: [...agents.changed, ...restOf(now.agents.length, agents)].map((at) => now.agents[at] as Agent),
  };
}

type Agent = Outline['agents'][number];

function countOf(columns: Columns): number {
  return Object.values(columns)[0]?.length ?? 0;
}

/** Compares row by row; rows beyond the shorter one were added or removed. */
function comparePart(before: Columns, now: Columns): Part {
  const kept = Math.min(countOf(before), countOf(now));
  const isChanged = new Uint8Array(kept);
  for (const [name, column] of Object.entries(now)) {
    const former = before[name] ?? [];
    for (let at = 0; at < kept; at += 1) if (former[at] !== column[at]) isChanged[at] = 1;
  }
  const changed: number[] = [];
  for (let at = isChanged.indexOf(1); at >= 0; at = isChanged.indexOf(1, at + 1)) changed.push(at);
  return { kept, changed };
}

function compareLists(before: readonly unknown[], now: readonly unknown[]): Part {
  const kept = Math.min(before.length, now.length);
  const changed: number[] = [];
  for (let at = 0; at < kept; at += 1)
    if (before[at] !== now[at] && JSON.stringify(before[at]) !== JSON.stringify(now[at])) changed.push(at);
  return { kept, changed };
}

function restOf(count: number, { kept }: Part): readonly number[] {
  return Array.from({ length: count - kept }, (_, at) => kept + at);
}

function pickColumns<C extends Columns>(columns: C, part: Part): C {
  return mapColumns(columns, (column) => [...part.changed.map((at) => column[at] ?? null), ...column.slice(part.kept)]);
}

/** The whole columns again: earlier ones with what has changed since. */
export function mergeColumns<C extends Columns>(before: C, answer: C, part: Part): C {
  return mapColumns(answer, (column, name) => mergeLists(before[name] ?? [], column, part));
}

function mapColumns<C extends Columns>(columns: C, map: (column: Column, name: string) => Column): C {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, map(column, name)])) as C;
}

export function mergeLists<T>(before: readonly T[], answer: readonly T[], { kept, changed }: Part): readonly T[] {
  const merged = before.slice(0, kept);
  for (const [at, index] of changed.entries()) merged[index] = answer[at] as T;
  return merged.concat(answer.slice(changed.length));
}
