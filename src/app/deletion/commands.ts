import type { DeletionAnswer } from '../../api/deletions.ts';
import { toFuelError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import type { CommandApp, Commands } from '../commands.ts';

/** Deleting sessions and bringing them back. */
export function deletionCommands(app: CommandApp, clock: Clock, onWork: () => void) {
  const deps = { engine: app.store.engine, journal: app.journal, blobs: app.blobs, device: app.device, clock };
  return {
    'POST /deletions': async ({ body: { session_ids, now, transcript } }) => {
      const { deleteSession } = await import('./deletions.ts');
      const afterDays = now ? 0 : app.config.deleteAfterDays;
      const results: DeletionAnswer['results'][number][] = [];
      for (const session_id of new Set(session_ids)) {
        try {
          const deleted = await deleteSession(deps, session_id, { afterDays, transcript });
          results.push({ ...deleted, is_deleted: true, error: null });
        } catch (error) {
          const { code, message } = toFuelError(error);
          results.push({ session_id, purge_at: null, is_deleted: false, error: { code, message } });
        }
      }
      const is_removed = afterDays === 0 && (await app.purgeDeleted()) === 'done';
      onWork();
      return { results, is_removed };
    },
    'DELETE /deletions/:session_id': async ({ params }) => {
      const { undoDeletion } = await import('./deletions.ts');
      const session_id = await undoDeletion(deps, params.session_id);
      onWork();
      return { session_id };
    },
  } satisfies Partial<Commands>;
}
