import { UPLOAD_FORMAT, type Upload, type UploadWorkspace } from '../../api/ingest.ts';
import { hashGeneration, readRange } from '../../archive/archive-bytes.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { type Shipment, saveShipment, type Unshipped } from '../../store/queries/shipping/shipments.ts';
import { loadSessionWorkspace } from '../../store/queries/shipping/shipping.ts';
import { nextTryMs } from './server-client.ts';
import type { ShipDeps, Step } from './ship.ts';

/** After this many corrections by the server, the file is set aside for the user. */
const MAX_ATTEMPTS = 5;

/** The progress of a generation while it is shipped. */
interface Progress {
  readonly pending: Unshipped;
  readonly remoteGeneration: number;
  readonly shippedBytes: number;
  readonly attempts: number;
}

/** Sends the missing part of a generation in chunks and records each acknowledged chunk. */
export async function shipGeneration(deps: ShipDeps, found: Unshipped): Promise<Step> {
  const pending = await withHash(deps, found);
  const workspace = await workspaceOf(deps, pending);
  let progress: Progress = { pending, ...pending };
  for (let bytes = 0; ; ) {
    const chunk = await readChunk(deps, progress);
    const reply = await deps.client.sendChunk(toUpload(deps, progress, workspace, chunk), chunk);
    if (reply.kind === 'busy' || reply.kind === 'locked') return reply;
    if (reply.kind === 'refused') return { ...(await markRefused(deps, progress, reply.reason)), bytes };
    if (reply.kind === 'failed') return { ...(await retryLater(deps, progress, reply.reason)), bytes };
    if (reply.kind === 'ok') {
      bytes += chunk.length;
      // Bytes beyond our chunk were there before; they are compared with the next chunk.
      progress = { ...progress, shippedBytes: progress.shippedBytes + chunk.length };
      const isDone = progress.shippedBytes >= pending.sizeBytes;
      await saveProgress(deps, progress, isDone ? { reported: pending, attempts: 0 } : {});
      if (isDone) return { bytes, outcome: 'shipped' };
      continue;
    }
    progress = { ...progress, ...repositioned(progress, reply), attempts: progress.attempts + 1 };
    if (progress.attempts > MAX_ATTEMPTS) {
      return { ...(await markRefused(deps, progress, 'The server keeps reporting different content.')), bytes };
    }
    await saveProgress(deps, progress);
  }
}

/** A file may have been replaced before its hash was known; its archived bytes are then final. */
async function withHash({ engine, blobs }: ShipDeps, pending: Unshipped): Promise<Unshipped> {
  if (pending.isCurrent || pending.sha256 !== null) return pending;
  const { fileId: id, generation } = pending;
  return { ...pending, sha256: await hashGeneration({ engine, blobs }, { id, generation }) };
}

function repositioned(
  { remoteGeneration }: Progress,
  reply: { readonly kind: 'gap'; readonly at: number } | { readonly kind: 'other_bytes'; generation: number },
): Pick<Progress, 'remoteGeneration' | 'shippedBytes'> {
  if (reply.kind === 'gap') return { remoteGeneration, shippedBytes: reply.at };
  return { remoteGeneration: reply.generation, shippedBytes: 0 };
}

async function readChunk(
  { engine, blobs, chunkBytes }: ShipDeps,
  { pending, shippedBytes }: Progress,
): Promise<Buffer> {
  const range = { from: shippedBytes, to: Math.min(pending.sizeBytes, shippedBytes + chunkBytes) };
  const file = { id: pending.fileId, generation: pending.generation };
  return Buffer.concat(await Array.fromAsync(readRange({ engine, blobs }, file, range)));
}

function toUpload(
  { device }: ShipDeps,
  { pending, remoteGeneration, shippedBytes }: Progress,
  workspace: UploadWorkspace | null,
  chunk: Buffer,
): Upload {
  return {
    format: UPLOAD_FORMAT,
    device,
    file: {
      root: pending.root,
      path: pending.path,
      kind: pending.kind,
      state: pending.isCurrent ? pending.state : 'archived',
      session_id: pending.sessionId,
      agent_id: pending.agentId,
      mtime_ms: pending.mtimeMs,
      inode: pending.inode,
    },
    generation: {
      number: remoteGeneration,
      is_current: pending.isCurrent,
      size_bytes: pending.sizeBytes,
      head_sha256: pending.headSha256,
      tail_sha256: pending.tailSha256,
      sha256: pending.sha256,
    },
    workspace,
    chunk: {
      offset: shippedBytes,
      size_bytes: chunk.length,
      sha256: sha256Hex(chunk),
    },
  };
}

async function workspaceOf({ engine, device }: ShipDeps, pending: Unshipped): Promise<UploadWorkspace | null> {
  if (pending.workspaceId === null || pending.sessionId === null) return null;
  const known = await loadSessionWorkspace(engine.kysely, device.id, pending.sessionId);
  if (known === null) return null;
  return {
    canonical_id: known.canonicalId,
    display_name: known.displayName,
    is_chosen: known.isChosen,
    folder: known.folder && {
      path: known.folder.path,
      root: known.folder.root,
      is_repository: known.folder.isRepository,
      worktree_name: known.folder.worktreeName,
      fingerprint: known.folder.fingerprint,
    },
  };
}

/** B7: a retry would be refused again; the user decides. */
async function markRefused(deps: ShipDeps, progress: Progress, refusal: string): Promise<{ outcome: 'refused' }> {
  await saveProgress(deps, progress, { refusal, attempts: progress.attempts + 1 });
  return { outcome: 'refused' };
}

async function retryLater(
  deps: ShipDeps,
  progress: Progress,
  reason: string,
): Promise<{ outcome: 'failed' | 'refused' }> {
  const attempts = progress.attempts + 1;
  if (attempts > MAX_ATTEMPTS) return markRefused(deps, progress, reason);
  const next = nextTryMs(deps.clock.now().getTime(), attempts, 0, deps.random);
  await saveProgress(deps, progress, { attempts, nextTryMs: next });
  return { outcome: 'failed' };
}

function saveProgress(
  { engine, server, clock }: ShipDeps,
  { pending, remoteGeneration, shippedBytes, attempts }: Progress,
  also: Partial<Shipment> = {},
): Promise<void> {
  const shipment = { remoteGeneration, shippedBytes, attempts, reported: null, nextTryMs: 0, refusal: null, ...also };
  return saveShipment(engine.kysely, server.url, pending, shipment, clock.now().toISOString());
}
