import {
  type GitBatch,
  gitBatchSchema,
  type GitItem,
  gitItemSchema,
  type IngestResults,
} from '../api/upload-schema.ts';
import type { JsonObject } from '../domain/transcript.ts';
import type { Engine } from '../store/engine.ts';
import { saveDevice } from '../store/queries/devices/devices.ts';
import { keepToldGit } from '../store/queries/git/git-activity.ts';
import type { NamedRepository } from '../store/queries/git/save-git.ts';
import type { IntakeDeps } from './intake.ts';
import { readEach, type Result } from '../archive/read-each.ts';

const FORMAT = 1;
const WHAT = 'git_told';

export type GitAnswer = IngestResults | { readonly late: number };

/**
 * Stores what a device tells of its repositories, each thing judged by itself. Telling it again changes nothing; a request
 * that was held up, and comes after a later one, is not heard.
 */
export async function takeGit({ engine, clock, journal }: IntakeDeps, batch: GitBatch): Promise<GitAnswer> {
  const now = clock.now().toISOString();
  const read = readEach(gitItemSchema, batch.items);
  const items = read.flatMap((one) => ('item' in one ? [one.item] : []));
  const rejected = read.flatMap((one) => ('rejection' in one ? [one.rejection] : []));
  const told = { device: batch.device, order: batch.order, items };
  const answer = await keepGit(engine, told, now);
  if ('late' in answer) return answer;
  // The disk of the device may have forgotten it by the time this database is made again.
  await journal.append({ format: FORMAT, at: now, what: WHAT, ...(told as unknown as JsonObject) });
  await journal.flush();
  return { results: [...rejected, ...answer.results] };
}

/** What a device told once; null for a line of the journal of another kind. */
export function gitFromJournal({ format, at, what, ...told }: JsonObject): ToldOnce | null {
  if (format !== FORMAT || what !== WHAT || typeof at !== 'string') return null;
  const batch = gitBatchSchema.safeParse(told);
  if (!batch.success) return null;
  const items = readEach(gitItemSchema, batch.data.items).flatMap((one) => ('item' in one ? [one.item] : []));
  return { ...batch.data, items, at };
}

interface Told extends GitBatch {
  readonly items: GitItem[];
}

export interface ToldOnce extends Told {
  readonly at: string;
}

type ActivityItem = Extract<GitItem, { kind: 'activity' }>;

export async function keepGit(engine: Engine, { device, order, items }: Told, now: string): Promise<GitAnswer> {
  await saveDevice(engine.kysely, device, now, 'remote');
  const activities = items.filter((item) => item.kind === 'activity');
  const folders = items.filter((item) => item.kind === 'folders');
  const repositories = toRepositories(activities);
  const kept = await keepToldGit(
    engine,
    { deviceId: device.id, order, repositories, sessions: folders.map(toSession) },
    now,
  );
  if (kept.kind === 'late') return { late: kept.order };
  const ofSessions = folders.map(({ id }, at) => OUTCOMES[kept.sessions[at] ?? 'unknown'](id));
  return { results: [...activities.map(({ id }) => OUTCOMES.kept(id)), ...ofSessions] };
}

const OUTCOMES = {
  kept: (id: string): Result => ({ id, status: 'accepted' }),
  foreign: (id: string): Result => ({ id, status: 'duplicate' }),
  unknown: (id: string): Result => ({ id, status: 'rejected', reason: 'The server has no such session.' }),
};

function toSession({ id, folders }: Extract<GitItem, { kind: 'folders' }>) {
  const told = folders.map(({ folder, workspace }) => ({ folder, workspace: identityOf(workspace) }));
  return { sessionId: id, folders: told };
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
