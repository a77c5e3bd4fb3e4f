import type { Outline } from '../api/outline.ts';
import type { OutlineParts } from '../domain/outline.ts';
import { firstLine } from './format.ts';

const NONE = -1;
const MAX_MESSAGE_CHARS = 200;

/**
 * Where commits were made: at the call that made one or, if that is not known, at the last message of the main
 * conversation before it.
 */
export function placeCommits(
  commits: OutlineParts['commits'],
  turns: readonly number[],
  ordinalOf: (timeMs: number, toolUseId: string | null) => number,
): Outline['commits'] {
  return commits.map(({ sha, message, tool_use_id, timestamp }, at) => {
    const time = Date.parse(timestamp);
    return {
      sha,
      message: message === null ? null : firstLine(message, MAX_MESSAGE_CHARS),
      time,
      turn: turns[at] ?? NONE,
      ordinal: ordinalOf(time, tool_use_id),
    };
  });
}

/** Finds the positions of commits by their time. Nothing is searched twice. */
export class CommitPlaces {
  /** By time: how many items were searched, and the one that was found; -1 for none. */
  readonly #known = new Map<number, { readonly searched: number; readonly item: number }>();

  /** Forgets the results at or after an item. */
  cut(count: number): void {
    for (const [time, { searched, item }] of this.#known) {
      if (item >= count) this.#known.delete(time);
      else if (searched > count) this.#known.set(time, { searched: count, item });
    }
  }

  /** The position of the last message of the main conversation at or before this time; -1 if there is none. */
  lastBefore({ ordinal, agent, time }: Outline['items'], wanted: number): number {
    const known = this.#known.get(wanted) ?? { searched: 0, item: NONE };
    let item = ordinal.length - 1;
    const isAt = (at: number) => agent[at] === NONE && (time[at] ?? Number.POSITIVE_INFINITY) <= wanted;
    while (item >= known.searched && !isAt(item)) item -= 1;
    if (item < known.searched) item = known.item;
    this.#known.set(wanted, { searched: ordinal.length, item });
    return ordinal[item] ?? NONE;
  }
}
