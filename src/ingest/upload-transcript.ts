import { type DescribedSession, MAX_CHUNK_BYTES } from '../api/ingest.ts';
import { type ArchivedBytes, archiveBytes, hashGeneration } from '../archive/archive-bytes.ts';
import { acceptCaptures, sourceFileId } from '../archive/captures.ts';
import { createFileDigest, createTranscriptSniffer, type FileDigest } from '../archive/inspect-transcript.ts';
import { sessionDeleted } from '../domain/deletion.ts';
import type { Sender } from '../domain/device.ts';
import { FuelError } from '../domain/errors.ts';
import { BACKFILL, startSource } from '../domain/session.ts';
import { UNASSOCIATED } from '../domain/workspace.ts';
import { inPieces } from '../lib/in-pieces.ts';
import { loadSessionFiles, loadSourceFile, type SourceFile } from '../store/queries/archive/archive.ts';
import { findDeleted } from '../store/queries/deletions/deletions.ts';
import { readBoundDevice } from '../store/queries/devices/device-tokens.ts';
import { loadSessionOwner, ownerDevice, saveDevice } from '../store/queries/devices/devices.ts';
import { findSession } from '../store/queries/sessions/session-rows.ts';
import type { SessionSeed } from '../store/queries/sessions/session-state.ts';
import { saveDecision, saveMergedWorkspace } from '../store/queries/workspaces/workspaces.ts';
import { ensureCanAddTo } from './device.ts';
import type { IntakeDeps } from './intake.ts';
import { withUploadLease } from './upload-chunk.ts';

export interface TranscriptUpload {
  /** The session id or a unique prefix of it. */
  readonly sessionId: string;
  /** Device and start of the session, for a session that the server does not know yet. */
  readonly described: DescribedSession | null;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface TranscriptResult {
  readonly status: 'uploaded' | 'already_uploaded';
  readonly size_bytes: number;
  readonly sha256: string;
  readonly generation: number;
}

/** The root and project of a transcript that was uploaded without a path. */
const ROOT = 'upload';

/**
 * Accepts the complete main transcript of a session as a stream. Different bytes become a new generation, provided they
 * contain a transcript line. Errors: not_found, ambiguous, conflict, usage, busy.
 */
export async function acceptTranscript(
  deps: IntakeDeps,
  sender: Sender,
  upload: TranscriptUpload,
): Promise<TranscriptResult> {
  const owner = await findOwner(deps, upload);
  if (sender !== null) await ensureOwnSession(deps, sender, owner);
  const received = await receive(deps, upload.body);
  const files = await loadSessionFiles(deps.engine.kysely, owner.sessionId);
  const main = files.find(({ kind, state }) => kind === 'main' && state !== 'gone');
  const root = main?.root ?? ROOT;
  const path = main?.path ?? `projects/${ROOT}/${owner.sessionId}.jsonl`;
  const id = main?.id ?? sourceFileId({ deviceId: owner.deviceId, root, path });
  return withUploadLease(deps.engine, id, () => storeUnlessKnown(deps, { id, root, path, ...owner }, received));
}

interface Owner extends Pick<SessionSeed, 'deviceId' | 'workspaceId' | 'source'> {
  readonly sessionId: string;
}

/** Finds the session or creates it from its description. Errors: not_found, ambiguous, conflict, gone. */
async function findOwner(deps: IntakeDeps, { sessionId, described }: TranscriptUpload): Promise<Owner> {
  const { kysely } = deps.engine;
  if ((await findDeleted(kysely, [sessionId])).size > 0) throw sessionDeleted(sessionId);
  const known = await loadSessionOwner(kysely, sessionId);
  if (described === null) {
    const id = known === null ? await findByPrefix(deps, sessionId) : sessionId;
    const owner = known ?? (await loadSessionOwner(kysely, id));
    if (owner !== null) return { sessionId: id, ...owner, source: BACKFILL };
    throw unknownSession();
  }
  await ensureCanAddTo(deps, described.device.id, sessionId);
  const now = deps.clock.now().toISOString();
  await saveDevice(kysely, described.device, now, 'remote');
  const source = startSource(described.source) ?? BACKFILL;
  if (known !== null) return { sessionId, ...known, source };
  const deviceId = await ownerDevice(kysely, described.device.id);
  const named = described.workspace;
  const workspace =
    named === undefined ? UNASSOCIATED : { canonicalId: named.canonical_id, displayName: named.display_name };
  const workspaceId = await saveMergedWorkspace(kysely, workspace, now);
  await saveDecision(kysely, { sessionId, workspaceId, isChosen: false }, now);
  return { sessionId, deviceId, workspaceId, source };
}

async function findByPrefix({ engine }: IntakeDeps, prefix: string): Promise<string> {
  try {
    return (await findSession(engine.kysely, prefix)).id;
  } catch (error) {
    if (error instanceof FuelError && error.code === 'not_found') throw unknownSession();
    throw error;
  }
}

function unknownSession(): FuelError {
  return new FuelError('not_found', 'No session with that id.', {
    hint: 'Report its start first (POST /api/events/ingest), or describe it in the header Fuel-Session.',
  });
}

/** E16: the request names no device, so the token's device must own the session. */
async function ensureOwnSession(
  deps: IntakeDeps,
  sender: NonNullable<Sender>,
  { deviceId, sessionId }: Owner,
): Promise<void> {
  const bound = await readBoundDevice(deps.engine.kysely, sender.tokenId);
  if (bound !== null && (await ownerDevice(deps.engine.kysely, bound)) === deviceId) return;
  throw new FuelError(
    'forbidden',
    `Session ${sessionId} belongs to a different device than the token "${sender.name}".`,
  );
}

interface UploadTarget {
  readonly id: string;
  readonly root: string;
  readonly path: string;
  readonly sessionId: string;
  readonly deviceId: string;
  readonly workspaceId: string;
  readonly source: string | null;
}

async function storeUnlessKnown(deps: IntakeDeps, target: UploadTarget, received: Received): Promise<TranscriptResult> {
  const known = await loadSourceFile(deps.engine.kysely, target.id);
  if (known !== null && (await wholeHash(deps, known)) === received.sha256) {
    return { ...answerOf(received), status: 'already_uploaded', generation: known.generation };
  }
  const generation = (known?.generation ?? 0) + 1;
  await recordGeneration(deps, target, generation, received);
  return { ...answerOf(received), status: 'uploaded', generation };
}

function answerOf({ sizeBytes, sha256 }: Received): Pick<TranscriptResult, 'size_bytes' | 'sha256'> {
  return { size_bytes: sizeBytes, sha256 };
}

async function wholeHash({ engine, blobs }: IntakeDeps, known: SourceFile): Promise<string> {
  return known.sha256 ?? (await hashGeneration({ engine, blobs }, known));
}

interface Received extends FileDigest {
  readonly parts: readonly ArchivedBytes[];
}

/**
 * Archives the body in pieces; nothing refers to them until it is complete. Errors: usage for a body without transcript
 * lines.
 */
async function receive({ blobs }: IntakeDeps, body: AsyncIterable<Uint8Array>): Promise<Received> {
  const digest = createFileDigest();
  const sniffer = createTranscriptSniffer();
  const parts: ArchivedBytes[] = [];
  let startOffset = 0;
  for await (const bytes of inPieces(body, MAX_CHUNK_BYTES)) {
    digest.add(bytes);
    sniffer.push(bytes);
    parts.push(await archiveBytes(blobs, { startOffset, bytes }));
    startOffset += bytes.length;
  }
  if (!sniffer.isTranscript()) {
    throw new FuelError('usage', 'The upload contains no transcript lines.', {
      hint: 'Send the JSONL file of the session unchanged. The stored session was not changed.',
    });
  }
  return { ...digest.finish(), parts };
}

async function recordGeneration(
  { engine, journal, clock }: IntakeDeps,
  { workspaceId, source, ...target }: UploadTarget,
  generation: number,
  { parts, ...received }: Received,
): Promise<void> {
  const now = clock.now();
  const at = now.toISOString();
  const capture = {
    ...target,
    kind: 'main',
    state: 'captured' as const,
    agentId: null,
    generation,
    mtimeMs: now.getTime(),
    inode: '',
    ...received,
    segments: parts.flatMap(({ segments }) => segments),
    blobs: parts.flatMap(({ blobs }) => blobs),
  };
  const makes = { id: target.sessionId, workspaceId, deviceId: target.deviceId, startedAt: at, source };
  await acceptCaptures(engine, journal, [{ capture, part: { makes } }], at);
  await journal.flush();
}
