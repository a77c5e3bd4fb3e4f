import { createReadStream, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { MAX_CHUNK_BYTES, UPLOAD_FORMAT, type UploadWorkspace } from '../api/ingest.ts';
import { readRange } from '../archive/archive-bytes.ts';
import { type Inspection, inspectTranscript } from '../archive/inspect-transcript.ts';
import { classifyPath } from '../capture/classify-path.ts';
import { encodeProjectPath } from '../capture/project-folder.ts';
import { FuelError } from '../domain/errors.ts';
import { type FileKind, PARSED_KINDS } from '../domain/file-kinds.ts';
import type { Clock } from '../domain/ports.ts';
import { SESSION_ID_PATTERN } from '../domain/session.ts';
import { ensureCanAddTo } from '../ingest/device.ts';
import type { IntakeDeps } from '../ingest/intake.ts';
import { acceptChunk } from '../ingest/upload-chunk.ts';
import { inPieces } from '../lib/in-pieces.ts';
import { sha256Hex } from '../lib/sha256.ts';
import { loadSessionFiles, type SourceFile } from '../store/queries/archive/archive.ts';
import type { App } from './open-app.ts';

export interface UploadRequest {
  /** The transcript. Its sub-agents and stored outputs are in the folder of the same name beside it. */
  readonly path: string;
  /** Null: the session that the transcript names. */
  readonly sessionId: string | null;
  /** A workspace by name or id; null: that of the working directory in the transcript. */
  readonly workspace: string | null;
}

export interface UploadedFile {
  readonly path: string;
  readonly status: 'uploaded' | 'appended' | 'already_uploaded';
  readonly size_bytes: number;
  readonly sha256: string;
}

export interface Uploaded {
  readonly session_id: string;
  /** The transcript first. */
  readonly files: readonly UploadedFile[];
}

/** The root of files that were uploaded; scans never look there. */
const ROOT = 'upload';
const AGENT_FILE = /^agent-.+\.jsonl$/;

/**
 * Archives an uploaded transcript, byte for byte, with its sub-agents. Only bytes that continue what is stored are
 * added. Errors: usage for a file that is not a transcript, or one of another session; gone, conflict, file_unavailable.
 */
export async function uploadTranscript(app: App, clock: Clock, request: UploadRequest): Promise<Uploaded> {
  ensureFile(request.path);
  const inspected = await inspect(request.path);
  ensureTranscript(request.path, inspected);
  const sessionId = chooseSession(request, inspected);
  const deps: IntakeDeps = { engine: app.store.engine, clock, ...pickArchive(app) };
  await ensureCanAddTo(deps, app.device.id, sessionId);
  const workspace = request.workspace === null ? null : await findWorkspace(app, request.workspace);
  const project = encodeProjectPath(inspected.cwd ?? `/${ROOT}`);
  const upload = {
    app,
    deps,
    sessionId,
    project,
    workspace,
    known: await loadSessionFiles(deps.engine.kysely, sessionId),
  };
  const files = [await storeFile(upload, request.path, nameOf(request.path, sessionId), inspected)];
  for (const beside of listBeside(request.path)) {
    const from = join(beside.folder, beside.name);
    files.push(await storeFile(upload, from, `${sessionId}/${beside.name}`, await inspect(from)));
  }
  return { session_id: sessionId, files };
}

function pickArchive({ blobs, journal, device }: App): Pick<IntakeDeps, 'blobs' | 'journal' | 'device'> {
  return { blobs, journal, device };
}

function inspect(path: string): Promise<Inspection> {
  return inspectTranscript(createReadStream(path));
}

function ensureFile(path: string): void {
  const stat = statSync(path);
  if (stat.isFile()) return;
  const what = stat.isDirectory() ? 'is a folder' : 'is not a file';
  throw new FuelError('usage', `${path} ${what}.`, { hint: 'Pass the JSONL file of one session.' });
}

function ensureTranscript(path: string, { sizeBytes, isTranscript }: Inspection): void {
  if (isTranscript) return;
  const what = sizeBytes === 0 ? 'is empty' : 'is not a transcript: it has no line with a prompt or an answer';
  throw new FuelError('usage', `${path} ${what}.`, {
    hint: 'Pass the JSONL file that Claude Code wrote for the session, unchanged.',
  });
}

/** Errors: usage when the transcript names other sessions, or several of them. */
function chooseSession({ path, sessionId }: UploadRequest, { sessionIds }: Inspection): string {
  const [first] = sessionIds;
  const stem = basename(path).replace(/\.jsonl$/, '');
  const chosen =
    sessionId ?? (sessionIds.includes(stem) || first === undefined ? stem : sessionIds.length === 1 ? first : null);
  if (chosen === null) {
    throw new FuelError('usage', `${path} names ${sessionIds.length} sessions.`, {
      hint: `Choose one with --session: ${sessionIds.slice(0, 5).join(', ')}.`,
    });
  }
  if (!SESSION_ID_PATTERN.test(chosen) || (first === undefined && sessionId === null)) {
    throw new FuelError('usage', `${path} does not name its session.`, { hint: 'Add --session ID.' });
  }
  if (first === undefined || sessionIds.includes(chosen)) return chosen;
  throw new FuelError('usage', `${path} belongs to session ${first}, not to ${chosen}.`, {
    hint: `Use --session ${first}. Nothing was stored.`,
  });
}

async function findWorkspace(app: App, name: string): Promise<UploadWorkspace> {
  const found = await app.get('/workspaces/:workspace_id', { params: { workspace_id: name } });
  return { canonical_id: found.canonical_id, display_name: found.display_name, is_chosen: true, folder: null };
}

/** The path of a file in its project folder. */
function nameOf(path: string, sessionId: string): string {
  const name = basename(path);
  return AGENT_FILE.test(name) ? `${sessionId}/subagents/${name}` : `${sessionId}.jsonl`;
}

/** Sub-agents and stored outputs of a transcript, in the folder of the same name. Links are not followed. */
function listBeside(path: string): readonly { readonly folder: string; readonly name: string }[] {
  const folder = join(dirname(path), basename(path).replace(/\.jsonl$/, ''));
  if (folder === path || lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return names
    .filter((name) => PARSED_KINDS.has(classifyPath(`projects/x/id/${name}`)?.kind ?? 'debug'))
    .filter((name) => lstatSync(join(folder, name)).isFile())
    .map((name) => ({ folder, name }));
}

interface Upload {
  readonly app: App;
  readonly deps: IntakeDeps;
  readonly sessionId: string;
  readonly project: string;
  readonly workspace: UploadWorkspace | null;
  readonly known: readonly SourceFile[];
}

async function storeFile(upload: Upload, from: string, name: string, seen: Inspection): Promise<UploadedFile> {
  const { deps, known, project, sessionId } = upload;
  const { kind, agentId } = classifyPath(`projects/${project}/${name}`) ?? { kind: 'main' as FileKind, agentId: null };
  const isSame = (file: SourceFile) => file.path.split('/').slice(2).join('/') === name;
  const stored = known.find((file) => file.root === ROOT && isSame(file)) ?? known.find(isSame) ?? null;
  const answer = { path: from, size_bytes: seen.sizeBytes, sha256: seen.sha256 };
  const relation = stored === null ? 'longer' : await compare(deps, stored, from, seen);
  if (relation === 'contained') return { ...answer, status: 'already_uploaded' };
  if (relation === 'different') throw otherBytes(sessionId, stored);
  if (stored !== null && stored.root !== ROOT) throw ownFile(sessionId, stored);
  const path = stored?.path ?? `projects/${project}/${name}`;
  await sendAll(upload, from, seen, { path, kind, agentId, stored });
  return { ...answer, status: stored === null ? 'uploaded' : 'appended' };
}

/** Whether the stored bytes contain the file, the file continues them, or they differ. */
async function compare(
  deps: IntakeDeps,
  stored: SourceFile,
  from: string,
  { sizeBytes }: Inspection,
): Promise<'contained' | 'longer' | 'different'> {
  const to = Math.min(stored.archivedBytes, sizeBytes);
  const ours = readRange(deps, stored, { from: 0, to });
  const theirs = to === 0 ? [] : createReadStream(from, { end: to - 1 });
  let rest: Uint8Array = Buffer.alloc(0);
  for await (const part of theirs as AsyncIterable<Uint8Array>) {
    for (let at = 0; at < part.length; ) {
      if (rest.length === 0) rest = (await ours.next()).value ?? Buffer.alloc(0);
      const length = Math.min(rest.length, part.length - at);
      if (length === 0 || Buffer.compare(rest.subarray(0, length), part.subarray(at, at + length)) !== 0)
        return 'different';
      rest = rest.subarray(length);
      at += length;
    }
  }
  return sizeBytes <= stored.archivedBytes ? 'contained' : 'longer';
}

function otherBytes(sessionId: string, stored: SourceFile | null): FuelError {
  return new FuelError(
    'conflict',
    `Session ${sessionId} is already stored with different bytes (${stored?.path}). Nothing was stored.`,
    {
      hint: `A transcript can only grow. Compare both, or remove the stored one first: fuel-code delete ${sessionId}.`,
    },
  );
}

function ownFile(sessionId: string, { root, path }: SourceFile): FuelError {
  return new FuelError('conflict', `Session ${sessionId} is imported from ${root}/${path}. Nothing was stored.`, {
    hint: 'Put the newer transcript there; the next import reads it.',
  });
}

interface Target {
  readonly path: string;
  readonly kind: FileKind;
  readonly agentId: string | null;
  readonly stored: SourceFile | null;
}

async function sendAll(upload: Upload, from: string, seen: Inspection, target: Target): Promise<void> {
  const stat = statSync(from);
  let offset = target.stored?.archivedBytes ?? 0;
  const rest = createReadStream(from, { start: offset, end: seen.sizeBytes - 1, highWaterMark: MAX_CHUNK_BYTES / 2 });
  for await (const bytes of inPieces(rest, MAX_CHUNK_BYTES / 2)) {
    const result = await acceptChunk(upload.deps, describe(upload, seen, target, { stat, offset, bytes }), bytes);
    if (result.kind === 'gap' || result.kind === 'other_bytes') throw changed(from);
    offset += bytes.length;
  }
  if (offset !== seen.sizeBytes) throw changed(from);
}

function changed(path: string): FuelError {
  return new FuelError('busy', `${path} changed while it was read.`, {
    hint: 'Try again when no program is writing to it.',
  });
}

interface Piece {
  readonly stat: Stats;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

function describe(upload: Upload, seen: Inspection, target: Target, { stat, offset, bytes }: Piece) {
  const { id, name, hostname, os, arch } = upload.app.device;
  return {
    format: UPLOAD_FORMAT,
    device: { id, name, hostname, os, arch },
    file: {
      root: ROOT,
      path: target.path,
      kind: target.kind,
      state: 'captured' as const,
      session_id: upload.sessionId,
      agent_id: target.agentId,
      mtime_ms: Math.floor(stat.mtimeMs),
      inode: '',
    },
    generation: {
      number: target.stored?.generation ?? 1,
      is_current: true,
      size_bytes: seen.sizeBytes,
      head_sha256: seen.headSha256,
      tail_sha256: seen.tailSha256,
      sha256: seen.sha256,
    },
    workspace: upload.workspace,
    chunk: { offset, size_bytes: bytes.length, sha256: sha256Hex(bytes) },
  } as const;
}
