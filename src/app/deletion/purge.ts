import { join } from 'node:path';
import { purgeArchive } from '../../archive/delete-session.ts';
import { createIgnoreRule } from '../../capture/project-folder.ts';
import { openSpool } from '../../capture/spool/spool.ts';
import type { Config } from '../../config.ts';
import { SETTLE_MS } from '../../domain/deletion.ts';
import { FuelError } from '../../domain/errors.ts';
import type { BlobStore } from '../../domain/ports.ts';
import type { Log } from '../../lib/log.ts';
import { listNames } from '../../lib/private-file.ts';
import { removeShare, sweepShares } from '../../share/stored-shares.ts';
import { withoutCaptures } from '../../store/queries/claims/leases.ts';
import { listDeletions, markPurged, type StoredDeletion } from '../../store/queries/deletions/deletions.ts';
import { listSharesOf } from '../../store/queries/people/shares.ts';
import { type DeletionDeps, finishUndone } from './deletions.ts';

export interface PurgeDeps extends DeletionDeps {
  readonly blobs: BlobStore;
  readonly home: string;
}

/** `busy`: another process is importing; the sessions are hidden, and the next round removes them. */
export type PurgeOutcome = 'nothing_due' | 'done' | 'busy';

/** Removes the bytes of deleted sessions whose grace period is over. Due sessions are derived from the store. */
export async function purgeDeleted(deps: PurgeDeps): Promise<PurgeOutcome> {
  const { engine, clock, device } = deps;
  const all = await listDeletions(engine.kysely);
  if (all.length === 0) return 'nothing_due';
  await finishUndone(deps);
  const due = all.filter((deletion) => isDue(deletion, clock.now()));
  if (due.length === 0) return 'nothing_due';
  try {
    await withoutCaptures(engine, device.id, () => purge(deps, due));
    return 'done';
  } catch (error) {
    if (error instanceof FuelError && error.code === 'busy') return 'busy';
    throw error;
  }
}

function isDue({ at, purgeAt, purgedAt, isSettled, undoAt }: StoredDeletion, now: Date): boolean {
  if (undoAt !== null || isSettled || Date.parse(purgeAt) > now.getTime()) return false;
  return purgedAt === null || Date.parse(at) + SETTLE_MS <= now.getTime();
}

async function purge(deps: PurgeDeps, due: readonly StoredDeletion[]): Promise<void> {
  const { engine, clock } = deps;
  const sessions = new Set(due.map(({ sessionId }) => sessionId));
  const files = new Set(due.flatMap(({ fileIds }) => fileIds));
  for (const id of await listSharesOf(engine.kysely, [...sessions])) await removeShare(deps, id);
  forgetPayloads(deps, sessions);
  await purgeArchive(deps, { sessions, files });
  if (!(await engine.scrub())) return;
  const now = clock.now();
  const settledBefore = new Date(now.getTime() - SETTLE_MS).toISOString();
  await markPurged(engine.kysely, [...sessions], { now: now.toISOString(), settledBefore });
}

/** Removes hook payloads of the sessions that are not stored yet or could not be stored. */
function forgetPayloads({ home, clock }: PurgeDeps, sessions: ReadonlySet<string>): void {
  const ids = [...sessions].map((id) => Buffer.from(id));
  openSpool(home, clock).forget((payload) => ids.some((id) => Buffer.from(payload).includes(id)));
}

interface SweepDeps extends PurgeDeps {
  readonly log: Log;
}

/** Uses a new ignore rule, so that projects excluded meanwhile are respected. Failures are retried in the next round. */
export async function sweep(deps: SweepDeps, config: Config): Promise<void> {
  const ignoresProject = createIgnoreRule(config.ignore);
  await attempt(deps, 'expired shared pages could not be removed yet', () =>
    sweepShares({ ...deps, now: () => deps.clock.now(), ignoresProject }),
  );
  await attempt(deps, 'deleted sessions could not be removed yet', () => purgeDeleted(deps));
}

async function attempt({ log }: SweepDeps, failure: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof FuelError)) throw error;
    log.warn(failure, { error: error.message });
  }
}

/** Files that a repair has set aside. They may contain deleted sessions, and no purge reads them. */
export function listSetAside(home: string): readonly string[] {
  return [home, join(home, 'archive')].flatMap((folder) =>
    listNames(folder)
      .filter((name) => /\.(?:broken|damaged)-\d{4}-/.test(name))
      .map((name) => join(folder, name)),
  );
}
