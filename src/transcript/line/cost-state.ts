import { noteAnomaly } from '../note.ts';
import { isDeeperThan, MAX_JSON_DEPTH } from '../read/json.ts';
import type { LineContext } from './context.ts';

/** The client's own account, counting up over the session and its resumes: the last one holds. */
export function readCostStateLine({ state, record, file }: LineContext): void {
  if (file.role !== 'main') return;
  if (isDeeperThan(record, MAX_JSON_DEPTH)) noteAnomaly(state, 'too_deep');
  else state.costs.state = record;
}
