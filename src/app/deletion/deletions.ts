import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hideSession } from '../../archive/delete-session.ts';
import { replaySessions } from '../../archive/journal/replay.ts';
import type { DeviceIdentity } from '../../capture/device.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { FuelError, refuseEmpty } from '../../domain/errors.ts';
import { toJournal } from '../../domain/journal-note.ts';
import type { ArchiveJournal, BlobStore, Clock } from '../../domain/ports.ts';
import { removeShare } from '../../share/stored-shares.ts';
import type { Engine, Tx } from '../../store/engine.ts';
import {
  findDeletedByPrefix,
  listDeletions,
  markUndone,
  removeDeletion,
  type StoredDeletion,
} from '../../store/queries/deletions/deletions.ts';
import { listOwnFiles } from '../../store/queries/deletions/preview.ts';
import { readDocumentsAgain } from '../../store/queries/deletions/remove-session.ts';
import { listSharesOf } from '../../store/queries/people/shares.ts';
import { findSession } from '../../store/queries/sessions/session-rows.ts';

export interface DeletionDeps {
  readonly engine: Engine;
  readonly journal: ArchiveJournal;
  readonly clock: Clock;
  readonly device: DeviceIdentity;
}

interface DeleteOptions {
  /** Days until the bytes are removed; 0 removes them as soon as no import is running. */
  readonly afterDays: number;
  /** Also removes the files of the session from the Claude home of this machine. */
  readonly transcript?: boolean;
}

/** Deletes a session: it is hidden immediately, and its bytes are removed later. Errors: not_found, ambiguous, gone. */
export async function deleteSession(
  deps: DeletionDeps & { readonly blobs: BlobStore },
  idOrPrefix: string,
  { afterDays, transcript = false }: DeleteOptions,
): Promise<{ readonly session_id: string; readonly purge_at: string }> {
  const { engine, clock } = deps;
  const now = clock.now();
  const id = await findDeletable(engine.kysely, idOrPrefix, afterDays);
  const purgeAt = new Date(now.getTime() + afterDays * DAY_MS).toISOString();
  const files = transcript ? await listOwnFiles(engine.kysely, id, deps.device.id) : [];
  await hideSession(deps, id, { at: now.toISOString(), purgeAt });
  for (const share of await listSharesOf(engine.kysely, [id])) await removeShare(deps, share);
  for (const { root, path } of files) await rm(join(root, path), { force: true });
  return { session_id: id, purge_at: purgeAt };
}

/** Deleting a deleted session again removes its bytes immediately. */
async function findDeletable(db: Tx, idOrPrefix: string, afterDays: number): Promise<string> {
  try {
    return (await findSession(db, idOrPrefix)).id;
  } catch (error) {
    const isHidden = error instanceof FuelError && error.code === 'gone';
    const [hidden] = isHidden && afterDays === 0 ? await findDeletedByPrefix(db, idOrPrefix) : [];
    if (hidden === undefined) throw error;
    return hidden;
  }
}

/** Restores a deleted session; its rows are parsed again from its bytes. Errors: not_found, gone. */
export async function undoDeletion(deps: DeletionDeps, idOrPrefix: string): Promise<string> {
  const { engine, clock } = deps;
  const now = clock.now().toISOString();
  const { sessionId, purgedAt, purgeAt } = await findDeletion(engine.kysely, idOrPrefix);
  if (!(await engine.transaction((tx) => markUndone(tx, sessionId, now)))) {
    throw new FuelError('gone', `Session ${sessionId} cannot be restored: its bytes were removed.`, {
      hint: `They were kept until ${purgedAt ?? purgeAt}. A backup of the data folder may still have them.`,
    });
  }
  await finishUndone(deps);
  return sessionId;
}

async function findDeletion(db: Tx, idOrPrefix: string): Promise<StoredDeletion> {
  refuseEmpty(idOrPrefix, 'session id');
  const all = await listDeletions(db);
  const found = all.filter(({ sessionId }) => sessionId.startsWith(idOrPrefix));
  const exact = found.find(({ sessionId }) => sessionId === idOrPrefix) ?? found[0];
  if (exact === undefined || (found.length > 1 && exact.sessionId !== idOrPrefix)) {
    const many = found.length > 1;
    throw new FuelError(
      many ? 'ambiguous' : 'not_found',
      `${many ? 'Several ids of deleted sessions start' : 'No id of a deleted session starts'} with ${JSON.stringify(idOrPrefix)}.`,
      { hint: '`fuel-code delete --list` lists them.' },
    );
  }
  return exact;
}

/** Completes every requested undo, including those that another process started. */
export async function finishUndone({ engine, journal, clock }: DeletionDeps): Promise<void> {
  for (const { sessionId, undoAt } of await listDeletions(engine.kysely)) {
    if (undoAt === null) continue;
    const at = clock.now().toISOString();
    await journal.append(toJournal({ what: 'session_undeleted', sessionId, at }));
    await journal.flush();
    await replaySessions(engine, journal, new Set([sessionId]));
    await engine.transaction(async (tx) => {
      await readDocumentsAgain(tx, sessionId);
      await removeDeletion(tx, sessionId);
    });
  }
}
