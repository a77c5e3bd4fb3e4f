import { type RowColumns, rowCount, rowReader } from './usage-rows.ts';

/** Whether scanned files hold an API message: the same id, and the same request where both name one. */
export function heldMessages(parts: readonly RowColumns[]): (id: string, requestId: string | null) => boolean {
  const requests = new Map<string, Set<string | null>>();
  for (const columns of parts) {
    const rowAt = rowReader(columns);
    for (let index = 0; index < rowCount(columns); index += 1) {
      const { id, requestId } = rowAt(index);
      const known = requests.get(id);
      if (known === undefined) requests.set(id, new Set([requestId]));
      else known.add(requestId);
    }
  }
  return (id, requestId) => {
    const held = requests.get(id);
    return held !== undefined && (requestId === null || held.has(requestId) || held.has(null));
  };
}
