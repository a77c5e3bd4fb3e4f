import type { Get } from '../api/table.ts';
import type { ArchiveLinks } from '../api/transcript.ts';
import { type ByteRange, readRange } from '../archive/archive-bytes.ts';
import { currentSessionFiles } from '../archive/moved-files.ts';
import { FuelError } from '../domain/errors.ts';
import type { BlobStore, Clock } from '../domain/ports.ts';
import type { ExportFormat } from '../domain/requests.ts';
import type { ExportDeps } from '../pipeline/export-session.ts';
import { type Masking, maskOf } from '../pipeline/masking.ts';
import type { SecretMask } from '../redact/mask-secrets.ts';
import type { PageFile } from '../share/page/page.ts';
import type { SharedPage } from '../share/stored-shares.ts';
import type { Engine } from '../store/engine.ts';
import { loadSegments, type SourceFile } from '../store/queries/archive/archive.ts';
import { listChanges, listMessageSizes, readClock } from '../store/queries/sessions/changes.ts';
import { findSession } from '../store/queries/sessions/session-rows.ts';
import { getMessagesAt } from '../store/queries/transcript/transcript-rows.ts';
import { type BlockAddress, readMedia, readRawMessage } from './archived-message.ts';
import { getFrom, openQueries } from './hot-queries.ts';
import type { LiveHub, LiveSource } from './live.ts';
import { countBytes, maskBytes, sliceBytes } from './masked-bytes.ts';
import type { Queries, QueryDeps } from './queries.ts';

export type { PageFile } from '../share/page/page.ts';

/** A file of the archive, ready to be read. */
export interface OpenedFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Changes whenever the bytes change. */
  readonly tag: string;
  read(range: ByteRange): AsyncGenerator<Uint8Array>;
  /** Errors: usage without a bucket. */
  links(): Promise<ArchiveLinks>;
}

/** Everything that can be read from a data folder: JSON answers, files, pages and live changes. The demo has its own. */
export interface DataSource {
  readonly queries: Queries;
  /** Calls one of `queries`. */
  readonly get: Get;
  openFile(idOrPrefix: string, path: string | undefined): Promise<OpenedFile>;
  /** The exact lines of a message. Errors: not_found, ambiguous, too_large. */
  readRawMessage(idOrPrefix: string, messageId: string): Promise<readonly Uint8Array[]>;
  /** The bytes of an image or document. Errors: not_found, ambiguous, too_large. */
  readMedia(idOrPrefix: string, address: BlockAddress): Promise<Uint8Array>;
  /**
   * A session, or some of its turns, as a stream. Redacted unless `raw`. Errors: usage for options that do not fit the
   * format, and for an archived session in any format but `parsed`; not_found for turns that it does not have.
   */
  exportSession(idOrPrefix: string, options: ExportOptions): Promise<PageFile>;
  /** The page behind a link; null if there is none, for any reason. */
  openShare(token: string): Promise<SharedPage | null>;
  /** Settles when the database responds. */
  ping(): Promise<void>;
  readonly live: LiveSource;
}

export interface ExportOptions {
  readonly format: ExportFormat;
  readonly raw?: boolean | undefined;
  /** `3`, `3-7` or `3-`. */
  readonly turns?: string | undefined;
  /** HTML only; true unless it is false. */
  readonly images?: boolean | undefined;
}

export interface DataSourceOptions extends Omit<QueryDeps, 'openFile' | 'previewShare'> {
  readonly blobs: BlobStore;
  readonly masking: Masking;
  readonly hub: LiveHub;
  readonly price: ExportDeps['price'];
}

export function createDataSource(options: DataSourceOptions): DataSource {
  const { engine, clock } = options;
  const now = () => clock.now();
  const open: DataSource['openFile'] = async (idOrPrefix, path) =>
    openFile(options, (await findSession(engine.kysely, idOrPrefix)).id, path);
  const pageDeps = async () => ({ get, redactor: await options.openRedactor() });
  // The code for pages is loaded only when needed.
  const previewShare: QueryDeps['previewShare'] = async (idOrPrefix) =>
    (await import('../share/make-share.ts')).previewShare(await pageDeps(), idOrPrefix);
  const queries = openQueries({ ...options, openFile: open, previewShare });
  const get = getFrom(queries);
  return {
    queries,
    get,
    openFile: open,
    readRawMessage: (idOrPrefix, messageId) => readRawMessage(options, idOrPrefix, messageId),
    readMedia: (idOrPrefix, address) => readMedia(options, idOrPrefix, address),
    exportSession: async (idOrPrefix, request) =>
      (await import('./export.ts')).exportSession({ ...options, get }, idOrPrefix, request),
    openShare: async (token) => (await import('../share/stored-shares.ts')).openShare({ ...options, now }, token),
    ping: async () => void (await readClock(engine.kysely)),
    live: liveSource(options),
  };
}

function liveSource({ engine: { kysely }, hub, progress }: DataSourceOptions): LiveSource {
  return {
    clock: () => readClock(kysely),
    changes: (query) => listChanges(kysely, query),
    messageSizes: (sessionId) => listMessageSizes(kysely, sessionId),
    messagesAt: (sessionId, ordinals) => getMessagesAt(kysely, sessionId, ordinals),
    progress,
    subscribe: (listener) => hub.subscribe(listener),
  };
}

export type { ByteRange } from '../archive/archive-bytes.ts';

const LINK_SECONDS = 3_600;

interface Deps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly masking: Masking;
}

/** The file of a session with this path, or its main transcript. Errors: not_found. */
export async function openFile(deps: Deps, sessionId: string, path: string | undefined): Promise<OpenedFile> {
  const files = await currentSessionFiles(deps, sessionId);
  const file = files.find((each) => (path === undefined ? each.kind === 'main' : each.path === path));
  if (file === undefined) {
    throw new FuelError('not_found', 'The session has no archived file with that path.', {
      hint: 'The `files` field of the session lists them.',
    });
  }
  const opened: OpenedFile = {
    path: file.path,
    sizeBytes: file.archivedBytes,
    tag: `${file.generation}-${file.archivedBytes}-${file.tailSha256.slice(0, 16)}`,
    read: (range) => readRange(deps, file, range),
    links: () => linksOf(deps, file),
  };
  const mask = await maskOf(deps, sessionId);
  return mask === null ? opened : maskFile(opened, mask);
}

/** The same file without its secrets. It is masked twice: its size is part of the answer. */
async function maskFile(file: OpenedFile, mask: SecretMask): Promise<OpenedFile> {
  const bytes = () => maskBytes(mask, file.path, file.read({ from: 0, to: file.sizeBytes }));
  return {
    path: file.path,
    sizeBytes: await countBytes(bytes()),
    tag: `${file.tag}-masked`,
    read: (range) => sliceBytes(bytes(), range),
    links: async () => {
      throw new FuelError('usage', 'Secrets of this session are masked, and the links would give the original bytes.', {
        hint: 'Use /transcript/raw to download the file without its secrets.',
      });
    },
  };
}

async function linksOf({ engine, blobs, clock }: Deps, file: SourceFile): Promise<ArchiveLinks> {
  if (blobs.presign === undefined) {
    throw new FuelError('usage', 'The archive is a folder, not a bucket, so there are no links.', {
      hint: 'Use /transcript/raw to download the file.',
    });
  }
  const parts: ArchiveLinks['parts'][number][] = [];
  for (const segment of await loadSegments(engine.kysely, file.id, file.generation)) {
    parts.push({
      url: await blobs.presign(segment.sha256, LINK_SECONDS),
      encoding: 'zstd',
      start_offset: segment.startOffset,
      size_bytes: segment.sizeBytes,
      blob_offset: segment.blobOffset,
      blob_sha256: segment.sha256,
    });
  }
  const expires = new Date(clock.now().getTime() + LINK_SECONDS * 1_000);
  return {
    path: file.path,
    size_bytes: file.archivedBytes,
    sha256: file.sha256,
    expires_at: expires.toISOString(),
    parts,
  };
}
