import { hashGeneration } from '../../archive/archive-bytes.ts';
import { readRange } from '../../archive/read-range.ts';
import { type Upload, UPLOAD_FORMAT, type UploadWorkspace } from '../../api/ingest.ts';
import { type Pending, saveShipment, type Shipment } from '../../store/queries/shipping/shipments.ts';
import { loadSessionWorkspace } from '../../store/queries/shipping/shipping.ts';
import { nextTryMs } from './server-client.ts';
import type { ShipDeps, Step } from './ship.ts';
import { sha256Hex } from '../../lib/sha256.ts';

/** So often the server may have something else to say about where we are, before a person should look. */
const MAX_ATTEMPTS = 5;

/** The progress of a generation while it is shipped. */
interface Course {
  readonly pending: Pending;
  readonly remoteGeneration: number;
  readonly shippedBytes: number;
  readonly attempts: number;
}

/** Sends what the server lacks of one generation, chunk by chunk; each is noted when the server has acknowledged it. */
export async function shipGeneration(deps: ShipDeps, found: Pending): Promise<Step> {
  const pending = await asAWhole(deps, found);
  const workspace = await workspaceOf(deps, pending);
  let course: Course = { pending, ...pending };
  for (let bytes = 0; ; ) {
    const chunk = await readChunk(deps, course);
    const reply = await deps.client.sendChunk(toUpload(deps, course, workspace, chunk), chunk);
    if (reply.kind === 'busy' || reply.kind === 'locked') return reply;
    if (reply.kind === 'refused') return { ...(await setAside(deps, course, reply.reason)), bytes };
    if (reply.kind === 'stumbled') return { ...(await putOff(deps, course, reply.reason)), bytes };
    if (reply.kind === 'ok') {
      bytes += chunk.length;
      // What it has beyond our chunk it had before: it was compared, or will be with the next chunk.
      course = { ...course, shippedBytes: course.shippedBytes + chunk.length };
      const isDone = course.shippedBytes >= pending.sizeBytes;
      await note(deps, course, isDone ? { told: pending, attempts: 0 } : {});
      if (isDone) return { bytes, outcome: 'shipped' };
      continue;
    }
    course = { ...course, ...redirected(course, reply), attempts: course.attempts + 1 };
    if (course.attempts > MAX_ATTEMPTS) {
      return { ...(await setAside(deps, course, 'The server keeps reporting different content.')), bytes };
    }
    await note(deps, course);
  }
}

/** The file may have been replaced before the whole of it was compared; what we have of it is then all there will be. */
async function asAWhole({ engine, blobs }: ShipDeps, pending: Pending): Promise<Pending> {
  if (pending.isCurrent || pending.sha256 !== null) return pending;
  const { fileId: id, generation } = pending;
  return { ...pending, sha256: await hashGeneration(engine, blobs, { id, generation }) };
}

function redirected(
  { remoteGeneration }: Course,
  reply: { readonly kind: 'gap'; readonly at: number } | { readonly kind: 'other_bytes'; generation: number },
): Pick<Course, 'remoteGeneration' | 'shippedBytes'> {
  if (reply.kind === 'gap') return { remoteGeneration, shippedBytes: reply.at };
  return { remoteGeneration: reply.generation, shippedBytes: 0 };
}

async function readChunk({ engine, blobs, chunkBytes }: ShipDeps, { pending, shippedBytes }: Course): Promise<Buffer> {
  const range = { from: shippedBytes, to: Math.min(pending.sizeBytes, shippedBytes + chunkBytes) };
  const file = { id: pending.fileId, generation: pending.generation };
  return Buffer.concat(await Array.fromAsync(readRange({ engine, blobs }, file, range)));
}

function toUpload(
  { device }: ShipDeps,
  { pending, remoteGeneration, shippedBytes }: Course,
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

async function workspaceOf({ engine, device }: ShipDeps, pending: Pending): Promise<UploadWorkspace | null> {
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

/** B7: sent again it would be refused again; a person decides. */
async function setAside(deps: ShipDeps, course: Course, refusal: string): Promise<{ outcome: 'refused' }> {
  await note(deps, course, { refusal, attempts: course.attempts + 1 });
  return { outcome: 'refused' };
}

async function putOff(deps: ShipDeps, course: Course, reason: string): Promise<{ outcome: 'stumbled' | 'refused' }> {
  const attempts = course.attempts + 1;
  if (attempts > MAX_ATTEMPTS) return setAside(deps, course, reason);
  const next = nextTryMs(deps.clock.now().getTime(), attempts, 0, deps.random);
  await note(deps, course, { attempts, nextTryMs: next });
  return { outcome: 'stumbled' };
}

function note(
  { engine, server, clock }: ShipDeps,
  { pending, remoteGeneration, shippedBytes, attempts }: Course,
  also: Partial<Shipment> = {},
): Promise<void> {
  const shipment = { remoteGeneration, shippedBytes, attempts, told: null, nextTryMs: 0, refusal: null, ...also };
  return saveShipment(engine.kysely, server.url, pending, shipment, clock.now().toISOString());
}
