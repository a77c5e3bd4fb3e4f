import type { LineContext } from './context.ts';

/** The client's own account, counting up over the session and its resumes: the last one holds. */
export function readCostStateLine({ state, record, file }: LineContext): void {
  if (file.role === 'main') state.costs.state = record;
}
