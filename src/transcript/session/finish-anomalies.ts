import type { AnomalyKind } from '../../domain/transcript.ts';
import type { Forest } from '../graph/forest.ts';
import type { SessionState } from '../state.ts';
import type { FinishedMessages, PriceUsage } from './finish-messages.ts';

/** What the lines told, and what only the whole shows. */
export function finishAnomalies(
  state: SessionState,
  forest: Forest,
  { messages }: FinishedMessages,
  price: PriceUsage | null,
): ReadonlyMap<AnomalyKind, number> {
  const calls = [...state.toolCalls.values()];
  const counted = messages.filter((message) => message.usage !== null);
  const late: readonly (readonly [AnomalyKind, number])[] = [
    ['unpaired_tool_result', calls.filter((call) => call.uses === 0).length],
    ['unpaired_tool_use', calls.filter((call) => call.results === 0).length],
    ['parent_cycle', forest.cycles],
    ['orphan_parent', forest.absentParents],
    ['undercounted_usage', counted.filter((message) => message.metadata['undercounted'] === true).length],
    ['unknown_model', price === null ? 0 : counted.filter((message) => message.costNanos === null).length],
  ];
  const all = new Map(state.anomalies);
  for (const [kind, count] of late) if (count > 0) all.set(kind, count);
  return all;
}
