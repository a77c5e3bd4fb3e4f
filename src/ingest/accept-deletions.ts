import type { DeletedItem, IngestResults, UploadDevice } from '../api/ingest.ts';
import { hideSession } from '../archive/hide-session.ts';
import { loadSessionOwner } from '../store/queries/devices/devices.ts';
import { canAddTo } from './device.ts';
import type { IntakeDeps } from './intake.ts';

/**
 * Deletes the copies of sessions that their device has deleted permanently. Unknown sessions are ignored; those of
 * another device are kept.
 */
export async function acceptDeletions(
  deps: IntakeDeps,
  device: UploadDevice,
  items: readonly DeletedItem[],
): Promise<IngestResults> {
  const results: IngestResults['results'][number][] = [];
  for (const { id, deleted_at } of items) {
    if ((await loadSessionOwner(deps.engine.kysely, id)) === null) results.push({ id, status: 'duplicate' });
    else if (await canAddTo(deps, device.id, id)) {
      await hideSession(deps, id, { at: deleted_at, purgeAt: deps.clock.now().toISOString() });
      results.push({ id, status: 'accepted' });
    } else results.push({ id, status: 'rejected', reason: 'The session belongs to another device.' });
  }
  return { results };
}
