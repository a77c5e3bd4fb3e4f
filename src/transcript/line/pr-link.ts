import { asCount, asText } from '../read/json.ts';
import type { LineContext } from './context.ts';

/** A pull request that the session made or works on. */
export function readPrLinkLine({ state, record }: LineContext): void {
  const url = asText(record['prUrl']);
  const number = asCount(record['prNumber']);
  const repository = asText(record['prRepository']);
  state.pullRequests.set(url ?? `${repository ?? ''}#${number ?? ''}`, { number, url, repository });
}
