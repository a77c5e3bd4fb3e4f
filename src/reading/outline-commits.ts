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
  items: Outline['items'],
  ordinalOfCall: (toolUseId: string | null) => number | undefined,
): Outline['commits'] {
  return commits.map(({ sha, message, tool_use_id, timestamp }, at) => {
    const time = Date.parse(timestamp);
    return {
      sha,
      message: message === null ? null : firstLine(message, MAX_MESSAGE_CHARS),
      time,
      turn: turns[at] ?? NONE,
      ordinal: ordinalOfCall(tool_use_id) ?? lastBefore(items, time),
    };
  });
}

/** The position of the last message of the main conversation at or before this time; -1 if there is none. */
function lastBefore({ ordinal, agent, time }: Outline['items'], wanted: number): number {
  for (let item = ordinal.length - 1; item >= 0; item -= 1) {
    const at = time[item] ?? null;
    if (agent[item] === NONE && at !== null && at <= wanted) return ordinal[item] as number;
  }
  return NONE;
}
