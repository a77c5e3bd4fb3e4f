import type { z } from 'zod';
import {
  type DeletedItem,
  eventSchema,
  type GitBatch,
  gitItemSchema,
  type IngestResults,
  readEventItem,
  type UploadDevice,
} from '../api/ingest.ts';
import { hideSession } from '../archive/delete-session.ts';
import { gitRecord, journalEvents, storeGitReport } from '../archive/journal/records.ts';
import type { Event } from '../domain/event.ts';
import { complaintOf, pathText } from '../lib/schema-complaint.ts';
import { loadDeleted } from '../store/queries/deletions/deletions.ts';
import { loadSessionOwner } from '../store/queries/devices/devices.ts';
import { insertEvents, linkEvents } from '../store/queries/events/events.ts';
import { canAddTo, recordDevice } from './device.ts';
import type { IntakeDeps } from './intake.ts';

/**
 * Stores the events of a device, validating each on its own. Events that are already stored are reported as duplicates.
 */
export async function acceptEvents(
  deps: IntakeDeps,
  device: UploadDevice,
  given: readonly unknown[],
): Promise<IngestResults> {
  const { engine, clock } = deps;
  const now = clock.now().toISOString();
  await recordDevice(deps, device, now, 'remote');
  const checked = await validateEach(deps, device, given);
  const wanted = checked.filter((one) => 'type' in one);
  const events = (await deps.masks?.events(wanted)) ?? wanted;
  const byId = new Map(events.map((event) => [event.id, event]));
  const validated = checked.map((one) => ('type' in one ? (byId.get(one.id) ?? one) : one));
  await journalEvents(deps, { at: now, events, workspaces: [] });
  const results: Result[] = [];
  for (const one of validated) {
    if ('status' in one) {
      results.push(one);
      continue;
    }
    const inserted = await engine.transaction((tx) => insertEvents(tx, [one], now));
    results.push({ id: one.id, status: inserted === 1 ? 'accepted' : 'duplicate' });
  }
  await linkEvents(engine.kysely);
  return { results };
}

async function validateEach(
  deps: IntakeDeps,
  device: UploadDevice,
  given: readonly unknown[],
): Promise<readonly (Event | Result)[]> {
  const validated: (Event | Result)[] = [];
  const { sessions: deleted } = await loadDeleted(deps.engine.kysely);
  for (const read of readEach(eventSchema, given)) {
    if ('rejection' in read) validated.push(read.rejection);
    else validated.push(await checkSession(deps, { ...readEventItem(read.item), device_id: device.id }, deleted));
  }
  return validated;
}

async function checkSession(
  deps: IntakeDeps,
  event: Event,
  deleted: ReadonlyMap<string, string>,
): Promise<Event | Result> {
  const { id, session_id, device_id } = event;
  if (deleted.has(session_id)) return { id, status: 'rejected', reason: 'The session was deleted.' };
  if (await canAddTo(deps, device_id, session_id)) return event;
  return { id, status: 'rejected', reason: 'The session belongs to another device.' };
}

export type GitResult = IngestResults | { readonly late: number };

/**
 * Stores the git activity that a device reports, validating each item on its own. Repeating a request changes nothing;
 * a request that arrives after a later one is ignored.
 */
export async function acceptGit(deps: IntakeDeps, batch: GitBatch): Promise<GitResult> {
  const { engine, clock, journal } = deps;
  const now = clock.now().toISOString();
  const read = readEach(gitItemSchema, batch.items);
  const valid = read.flatMap((one) => ('item' in one ? [one.item] : []));
  const items = [...((await deps.masks?.git(valid)) ?? valid)];
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

type Result = IngestResults['results'][number];
type Read<T> = { readonly item: T } | { readonly rejection: Result };

/** Validates each item of a batch; an invalid item yields a rejection without affecting the others. */
function readEach<T>(schema: z.ZodType<T>, given: readonly unknown[]): readonly Read<T>[] {
  return given.map((one) => {
    const read = schema.safeParse(one);
    return read.success ? { item: read.data } : { rejection: rejectionOf(one, read.error) };
  });
}

function rejectionOf(given: unknown, { issues: [issue] }: z.ZodError): Result {
  const reason = issue === undefined ? 'is not valid' : `${pathText(issue.path)}: ${complaintOf(issue)}`;
  return { id: idOf(given), status: 'rejected', reason };
}

function idOf(given: unknown): string | null {
  const id = typeof given === 'object' && given !== null && 'id' in given ? given.id : null;
  return typeof id === 'string' ? id.slice(0, 64) : null;
}

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
