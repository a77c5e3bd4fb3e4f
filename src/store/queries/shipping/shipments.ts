import type { Expression } from 'kysely';
import { sql } from 'kysely';
import type { Tx } from '../../engine.ts';
import type { FileGeneration, FileState } from '../archive/archive.ts';
import { listRefusedGit, retryRefusedGit } from './git-shipments.ts';

/** The device whose archive is shipped, and the server. */
export interface Route {
  readonly server: string;
  readonly deviceId: string;
}

/** A generation of one of our files, and how much of it the server has. */
export interface Unshipped extends FileGeneration {
  readonly fileId: string;
  readonly mtimeMs: number;
  readonly inode: string;
  /** False for a generation that was replaced since. */
  readonly isCurrent: boolean;
  readonly sizeBytes: number;
  /** The workspace of its session; null for files that are not transcripts. */
  readonly workspaceId: string | null;
  readonly remoteGeneration: number;
  readonly shippedBytes: number;
  readonly attempts: number;
}

/**
 * Finds what the server lacks and may be sent now. Deleted files come first: a moved file must be known to be gone from
 * its old path before the new one is parsed. Then the newest.
 */
export async function findUnshipped(db: Tx, route: Route, nowMs: number, limit: number): Promise<readonly Unshipped[]> {
  const rows = await selectUnshipped(db, route)
    .where((eb) => eb(eb.fn.coalesce('p.next_try_ms', eb.lit(0)), '<=', nowMs))
    .select([
      'f.id as fileId',
      'f.root',
      'f.path',
      'f.kind',
      'f.state',
      'f.session_id as sessionId',
      'f.agent_id as agentId',
      'f.seen_mtime_ms as mtimeMs',
      'f.seen_inode as inode',
      'f.generation as currentGeneration',
      'g.number as generation',
      'g.size_bytes as sizeBytes',
      'g.head_sha256 as headSha256',
      'g.tail_sha256 as tailSha256',
      'g.sha256',
      'p.remote_generation as remoteGeneration',
      'p.shipped_bytes as shippedBytes',
      'p.attempts',
    ])
    .select(workspaceOf.as('workspaceId'))
    .orderBy(sql`CASE WHEN f.state = 'gone' THEN 0 ELSE 1 END`)
    .orderBy('f.seen_mtime_ms', 'desc')
    .orderBy('f.id')
    .orderBy('g.number')
    .limit(limit)
    .execute();
  return rows.map(({ currentGeneration, ...row }) => ({
    ...row,
    state: row.state as FileState,
    isCurrent: row.generation === currentGeneration,
    remoteGeneration: row.remoteGeneration ?? row.generation,
    shippedBytes: row.shippedBytes ?? 0,
    attempts: row.attempts ?? 0,
  }));
}

/** Lines contain the working directory, so transcripts carry their session's workspace. */
const workspaceOf = sql<string | null>`CASE WHEN f.kind IN ('main', 'agent') THEN s.workspace_id END`;

function selectUnshipped(db: Tx, { server, deviceId }: Route) {
  return db
    .selectFrom('generations as g')
    .innerJoin('source_files as f', 'f.id', 'g.source_file_id')
    .leftJoin('sessions as s', 's.id', 'f.session_id')
    .leftJoin('shipments as p', (join) =>
      join
        .onRef('p.source_file_id', '=', 'g.source_file_id')
        .onRef('p.generation', '=', 'g.number')
        .on('p.server', '=', server),
    )
    .where('f.device_id', '=', deviceId)
    .where('p.refusal', 'is', null)
    .where(({ or, and, eb }) =>
      or([
        eb('p.shipped_bytes', 'is', null),
        eb('p.shipped_bytes', '<', eb.ref('g.size_bytes')),
        // A replaced generation is complete: its state is reported once and never again.
        and([eb('f.generation', '<>', eb.ref('g.number')), eb('p.told_sha256', 'is', null)]),
        and([
          eb('f.generation', '=', eb.ref('g.number')),
          or([
            differ(eb.ref('p.told_state'), eb.ref('f.state')),
            differ(eb.ref('p.told_sha256'), eb.ref('g.sha256')),
            differ(eb.ref('p.told_workspace_id'), workspaceOf),
          ]),
        ]),
      ]),
    );
}

function differ(one: Expression<unknown>, other: Expression<unknown>) {
  return sql<boolean>`${one} IS DISTINCT FROM ${other}`;
}

export interface Shipment {
  readonly remoteGeneration: number;
  readonly shippedBytes: number;
  /** The state of the generation that the server knows; null while bytes are missing there. */
  readonly reported: Pick<Unshipped, 'state' | 'sha256' | 'workspaceId'> | null;
  readonly attempts: number;
  readonly nextTryMs: number;
  /** The reason why it is set aside. */
  readonly refusal: string | null;
}

/** Saves the progress of a generation. */
export async function saveShipment(
  db: Tx,
  server: string,
  { fileId, generation }: Pick<Unshipped, 'fileId' | 'generation'>,
  shipment: Shipment,
  now: string,
): Promise<void> {
  const { reported } = shipment;
  const values = {
    remote_generation: shipment.remoteGeneration,
    shipped_bytes: shipment.shippedBytes,
    told_state: reported?.state ?? null,
    told_sha256: reported?.sha256 ?? null,
    told_workspace_id: reported?.workspaceId ?? null,
    attempts: shipment.attempts,
    next_try_ms: shipment.nextTryMs,
    refusal: shipment.refusal,
    updated_at: now,
  };
  await db
    .insertInto('shipments')
    .values({ server, source_file_id: fileId, generation, ...values })
    .onConflict((conflict) => conflict.columns(['server', 'source_file_id', 'generation']).doUpdateSet(values))
    .execute();
}

export interface Refused {
  readonly id: string;
  readonly detail: string;
  readonly rejectedAt: string;
  readonly attempts: number;
  readonly sizeBytes: number;
}

/** Lists what the server refused, with its reasons. */
export async function listRefused(db: Tx, { server, deviceId }: Route): Promise<readonly Refused[]> {
  const files = await db
    .selectFrom('shipments as p')
    .innerJoin('source_files as f', 'f.id', 'p.source_file_id')
    .innerJoin('generations as g', (join) =>
      join.onRef('g.source_file_id', '=', 'p.source_file_id').onRef('g.number', '=', 'p.generation'),
    )
    .select(['p.source_file_id', 'p.generation', 'f.path', 'p.refusal', 'p.updated_at', 'p.attempts', 'g.size_bytes'])
    .where('p.server', '=', server)
    .where('f.device_id', '=', deviceId)
    .where('p.refusal', 'is not', null)
    .orderBy('p.updated_at')
    .orderBy('p.source_file_id')
    .execute();
  const events = await db
    .selectFrom('events')
    .select(['id', 'type', 'shipping_refusal', 'ingested_at'])
    .where('device_id', '=', deviceId)
    .where('shipping_refusal', 'is not', null)
    .orderBy('id')
    .execute();
  return [
    ...files.map((file) => ({
      id: `${file.source_file_id}.${file.generation}`,
      detail: `${file.path}: ${file.refusal}`,
      rejectedAt: file.updated_at,
      attempts: file.attempts,
      sizeBytes: file.size_bytes,
    })),
    ...events.map((event) => ({
      id: event.id,
      detail: `${event.type}: ${event.shipping_refusal}`,
      rejectedAt: event.ingested_at,
      attempts: 1,
      sizeBytes: 0,
    })),
    ...(await listRefusedGit(db, server)),
  ];
}

/** Removes a refusal, so that it is tried again. False when there is none with that id. */
export async function retryRefused(db: Tx, { server, deviceId }: Route, id: string): Promise<boolean> {
  const [, fileId = '', generation = ''] = /^(file_[0-9a-f]+)\.(\d{1,9})$/.exec(id) ?? [];
  if (fileId === '') {
    const { numUpdatedRows } = await db
      .updateTable('events')
      .set({ shipping_refusal: null })
      .where('id', '=', id)
      .where('device_id', '=', deviceId)
      .where('shipping_refusal', 'is not', null)
      .executeTakeFirst();
    return numUpdatedRows > 0n || retryRefusedGit(db, server, id);
  }
  const { numUpdatedRows } = await db
    .updateTable('shipments')
    .set({ refusal: null, attempts: 0, next_try_ms: 0 })
    .where('server', '=', server)
    .where('source_file_id', '=', fileId)
    .where('generation', '=', Number(generation))
    .where('refusal', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Counts the waiting and the refused generations. */
export async function countShipments(db: Tx, route: Route): Promise<{ waiting: number; refused: number }> {
  const count = sql<number>`count(*)`.as('count');
  const waiting = await selectUnshipped(db, route).select(count).executeTakeFirstOrThrow();
  return { waiting: waiting.count, refused: (await listRefused(db, route)).length };
}
