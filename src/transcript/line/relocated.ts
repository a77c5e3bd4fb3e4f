import { asText } from '../read/json.ts';
import type { LineContext } from './context.ts';

/** The transcript file moved with the session to another project folder. */
export function readRelocatedLine({ state, record }: LineContext): void {
  const cwd = asText(record['relocatedCwd']);
  if (cwd !== null && cwd !== '') state.facts.cwds.add(cwd);
}
