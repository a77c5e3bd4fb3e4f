import type { ArchiveDeps, Changes } from '../archive/find-changes.ts';
import { countDue } from '../store/queries/claims/claims.ts';
import { listGitNotes } from '../store/queries/git/git-activity.ts';
import { findUnsettledSessions } from '../store/queries/sessions/session-life.ts';
import { findUnsettledFamily } from '../store/queries/lineage/settle-families.ts';
import { hasNewActivity } from './has-new-activity.ts';
import { PARSER_VERSION } from '../transcript/parser-version.ts';

/**
 * Whether an import of rows would find nothing to do. Asked before the reader and all that goes with it is loaded: most
 * questions are asked when nothing has changed.
 */
export async function isUpToDate(
  { engine, device, priceBook }: ArchiveDeps & { readonly priceBook: string | undefined },
  { changed, gone }: Changes,
  notesSince: string,
): Promise<boolean> {
  if (changed.length > 0 || gone.length > 0) return false;
  const versions = { parserVersion: PARSER_VERSION, priceBook };
  if ((await countDue(engine, 'parse', versions)) > 0 || (await countDue(engine, 'correlate')) > 0) return false;
  if ((await findUnsettledFamily(engine.kysely)) !== null) return false;
  if ((await findUnsettledSessions(engine.kysely)).length > 0) return false;
  if (await hasNewActivity(engine, device.id)) return false;
  return (await listGitNotes(engine.kysely, { deviceId: device.id, since: notesSince })).length === 0;
}
