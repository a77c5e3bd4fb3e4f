import { type GitBatch, gitBatchSchema, type GitItem, gitItemSchema } from '../../api/ingest.ts';
import type { JsonObject } from '../../domain/transcript.ts';
import type { Engine } from '../../store/engine.ts';
import { saveDevice } from '../../store/queries/devices/devices.ts';
import { storeReportedGit } from '../../store/queries/git/git-activity.ts';
import type { NamedRepository } from '../../store/queries/git/save-git.ts';

const FORMAT = 1;
const WHAT = 'git_told';

/** Git activity that a device reported. */
export interface GitReport extends GitBatch {
  readonly items: GitItem[];
}

export interface JournaledGit extends GitReport {
  readonly at: string;
}

/** A git report as one line of the journal. */
export function gitRecord(report: GitReport, at: string): JsonObject {
  return { format: FORMAT, at, what: WHAT, ...(report as unknown as JsonObject) };
}

/** The git report in a line of the journal; null for a line of another kind. */
export function gitFromJournal({ format, at, what, ...rest }: JsonObject): JournaledGit | null {
  if (format !== FORMAT || what !== WHAT || typeof at !== 'string') return null;
  const batch = gitBatchSchema.safeParse(rest);
  if (!batch.success) return null;
  const items = batch.data.items.flatMap((item) => gitItemSchema.safeParse(item).data ?? []);
  return { ...batch.data, items, at };
}

type ActivityItem = Extract<GitItem, { kind: 'activity' }>;

/** Stores a git report. The outcome is `late` when a newer report of the same device is already stored. */
export async function storeGitReport(engine: Engine, { device, order, items }: GitReport, now: string) {
  await saveDevice(engine.kysely, device, now, 'remote');
  const activities = items.filter((item) => item.kind === 'activity');
  const folders = items.filter((item) => item.kind === 'folders');
  const kept = await storeReportedGit(
    engine,
    { deviceId: device.id, order, repositories: toRepositories(activities), sessions: folders.map(toSession) },
    now,
  );
  return { kept, activities, folders };
}

function toSession({ id, folders }: Extract<GitItem, { kind: 'folders' }>) {
  return {
    sessionId: id,
    folders: folders.map(({ folder, workspace }) => ({ folder, workspace: identityOf(workspace) })),
  };
}

function toRepositories(items: readonly ActivityItem[]): readonly NamedRepository[] {
  const byWorkspace = Map.groupBy(items, ({ workspace }) => workspace.canonical_id);
  return [...byWorkspace.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ workspace: identityOf(first.workspace), activities: group.map(toActivity) }];
  });
}

function toActivity(item: ActivityItem) {
  return {
    id: item.id,
    kind: item.type,
    at: item.timestamp,
    sha: item.commit_sha,
    branch: item.branch,
    message: item.message,
    filesChanged: item.files_changed,
    insertions: item.insertions,
    deletions: item.deletions,
    folder: item.folder,
    worktreeName: item.worktree_name,
    sequence: item.sequence ?? 0,
    data: item.data as JsonObject,
  };
}

function identityOf({ canonical_id, display_name }: ActivityItem['workspace']) {
  return { canonicalId: canonical_id, displayName: display_name };
}
