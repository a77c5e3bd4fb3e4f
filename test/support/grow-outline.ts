import type { Outline } from '../../src/api/outline.ts';
import { mergeColumns, mergeLists } from '../../src/reading/outline-growth.ts';

/**
 * Applies changes to an earlier outline. Null if the changes belong to another outline; then the whole outline must be read.
 */
export function growOutline(before: Outline | null, answer: Outline): Outline | null {
  const { since } = answer;
  if (since === null) return answer;
  if (before === null || before.since !== null || before.revision !== since.revision) return null;
  return {
    ...answer,
    since: null,
    items: mergeColumns(before.items, answer.items, since.items),
    turns: mergeColumns(before.turns, answer.turns, since.turns),
    agents: mergeLists(before.agents, answer.agents, since.agents),
  };
}
