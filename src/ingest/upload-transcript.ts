import { createHash } from 'node:crypto';
import { BACKFILL } from '../domain/session.ts';
import { FuelError } from '../domain/errors.ts';
import { loadSessionFiles, loadSourceFile, type SourceFile } from '../store/queries/archive.ts';
import { loadSessionOwner } from '../store/queries/devices.ts';
import { acceptCapture, sourceFileId } from './accept-capture.ts';
import { type ArchivedBytes, archiveBytes, hashGeneration } from './archive-bytes.ts';
import type { IntakeDeps } from './intake.ts';
import { withUploadLease } from './upload-lease.ts';
import { MAX_CHUNK_BYTES } from '../api/upload-schema.ts';
import { FINGERPRINT_BYTES } from '../lib/fingerprint.ts';

export interface TranscriptUpload {
  readonly sessionId: string;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface TranscriptAnswer {
  readonly status: 'uploaded' | 'already_uploaded';
  readonly size_bytes: number;
  readonly sha256: string;
  readonly generation: number;
}

/** Where a transcript that came without its path stands. */
const ROOT = 'upload';

/**
 * Takes the whole main transcript of a session that is known, as it comes, a piece at a time. Other bytes than before
 * are a new generation; they are never refused for being longer or different. Errors: not_found, busy.
 */
export async function takeTranscript(
  deps: IntakeDeps,
  { sessionId, body }: TranscriptUpload,
): Promise<TranscriptAnswer> {
  const owner = await loadSessionOwner(deps.engine.kysely, sessionId);
  if (owner === null) {
    throw new FuelError('not_found', 'No session goes by that id.', {
      hint: 'Send an event of the session first, or upload its file with its path.',
    });
  }
  const received = await receive(deps, body);
  const files = await loadSessionFiles(deps.engine.kysely, sessionId);
  const main = files.find(({ kind, state }) => kind === 'main' && state !== 'gone');
  const root = main?.root ?? ROOT;
  const path = main?.path ?? `projects/${ROOT}/${sessionId}.jsonl`;
  const id = main?.id ?? sourceFileId({ deviceId: owner.deviceId, root, path });
  return withUploadLease(deps.engine, id, () =>
    keepUnlessKnown(deps, { id, root, path, sessionId, ...owner }, received),
  );
}

interface Place {
  readonly id: string;
  readonly root: string;
  readonly path: string;
  readonly sessionId: string;
  readonly deviceId: string;
  readonly workspaceId: string;
}

async function keepUnlessKnown(deps: IntakeDeps, place: Place, received: Received): Promise<TranscriptAnswer> {
  const known = await loadSourceFile(deps.engine.kysely, place.id);
  if (known !== null && (await wholeHash(deps, known)) === received.sha256) {
    return { ...answerOf(received), status: 'already_uploaded', generation: known.generation };
  }
  const generation = (known?.generation ?? 0) + 1;
  await keep(deps, place, generation, received);
  return { ...answerOf(received), status: 'uploaded', generation };
}

function answerOf({ sizeBytes, sha256 }: Received): Pick<TranscriptAnswer, 'size_bytes' | 'sha256'> {
  return { size_bytes: sizeBytes, sha256 };
}

async function wholeHash({ engine, blobs }: IntakeDeps, known: SourceFile): Promise<string> {
  return known.sha256 ?? (await hashGeneration(engine, blobs, known));
}

interface Received {
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly headSha256: string;
  readonly tailSha256: string;
  readonly parts: readonly ArchivedBytes[];
}

/** Bytes go to the archive in pieces; nothing refers to them until all have come. */
async function receive({ blobs }: IntakeDeps, body: AsyncIterable<Uint8Array>): Promise<Received> {
  const whole = createHash('sha256');
  const parts: ArchivedBytes[] = [];
  let sizeBytes = 0;
  let head: Buffer = Buffer.alloc(0);
  let tail: Buffer = Buffer.alloc(0);
  for await (const bytes of inPieces(body)) {
    whole.update(bytes);
    if (head.length < FINGERPRINT_BYTES) head = Buffer.concat([head, bytes]).subarray(0, FINGERPRINT_BYTES);
    tail = Buffer.from(Buffer.concat([tail, bytes]).subarray(-FINGERPRINT_BYTES));
    parts.push(await archiveBytes(blobs, { startOffset: sizeBytes, bytes }));
    sizeBytes += bytes.length;
  }
  const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  return { sizeBytes, sha256: whole.digest('hex'), headSha256: hashOf(head), tailSha256: hashOf(tail), parts };
}

async function* inPieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const bytes of body) {
    held.push(bytes);
    heldBytes += bytes.length;
    if (heldBytes < MAX_CHUNK_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    heldBytes = 0;
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}

async function keep(
  { engine, journal, clock }: IntakeDeps,
  { workspaceId, ...place }: Place,
  generation: number,
  { parts, ...received }: Received,
): Promise<void> {
  const now = clock.now();
  const at = now.toISOString();
  const capture = {
    ...place,
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
  const makes = { id: place.sessionId, workspaceId, deviceId: place.deviceId, startedAt: at, source: BACKFILL };
  await acceptCapture(engine, journal, capture, { makes }, at);
  await journal.flush();
}
