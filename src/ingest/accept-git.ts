import { type GitBatch, gitItemSchema, type IngestResults } from '../api/ingest.ts';
import { gitRecord, storeGitReport } from '../archive/journal/git-record.ts';
import type { IntakeDeps } from './intake.ts';
import { readEach, type Result } from './read-each.ts';

export type GitResult = IngestResults | { readonly late: number };

/**
 * Stores the git activity that a device reports, validating each item on its own. Repeating a request changes nothing;
 * a request that arrives after a later one is ignored.
 */
export async function acceptGit({ engine, clock, journal }: IntakeDeps, batch: GitBatch): Promise<GitResult> {
  const now = clock.now().toISOString();
  const read = readEach(gitItemSchema, batch.items);
  const items = read.flatMap((one) => ('item' in one ? [one.item] : []));
  const rejected = read.flatMap((one) => ('rejection' in one ? [one.rejection] : []));
  const report = { device: batch.device, order: batch.order, items };
  const { kept, activities, folders } = await storeGitReport(engine, report, now);
  if (kept.kind === 'late') return { late: kept.order };
  // By the time this database is rebuilt, the device's repository may have pruned it.
  await journal.append(gitRecord(report, now));
  await journal.flush();
  const ofSessions = folders.map(({ id }, at) => OUTCOMES[kept.sessions[at] ?? 'unknown'](id));
  return { results: [...rejected, ...activities.map(({ id }) => OUTCOMES.kept(id)), ...ofSessions] };
}

const OUTCOMES = {
  kept: (id: string): Result => ({ id, status: 'accepted' }),
  foreign: (id: string): Result => ({ id, status: 'duplicate' }),
  unknown: (id: string): Result => ({ id, status: 'rejected', reason: 'Unknown session.' }),
};
