import { FuelError } from '../domain/errors.ts';
import type { BlobStore, Clock } from '../domain/ports.ts';
import type { ArchiveLinks } from '../api/transcript.ts';
import { currentSessionFiles } from '../archive/moved-files.ts';
import { readRange } from '../archive/read-range.ts';
import type { Engine } from '../store/engine.ts';
import { loadSegments, type SourceFile } from '../store/queries/archive/archive.ts';
import type { OpenedFile } from './data-source.ts';

export type { ByteRange } from '../archive/read-range.ts';

const LINK_SECONDS = 3_600;

interface Deps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly clock: Clock;
}

/** A file of a session: the one of that path, or its main transcript. Errors: not_found. */
export async function openFile(deps: Deps, sessionId: string, path: string | undefined): Promise<OpenedFile> {
  const files = await currentSessionFiles(deps, sessionId);
  const file = files.find((each) => (path === undefined ? each.kind === 'main' : each.path === path));
  if (file === undefined) {
    throw new FuelError('not_found', 'The session has no archived file with that path.', {
      hint: 'The `files` field of the session lists them.',
    });
  }
  return {
    path: file.path,
    sizeBytes: file.archivedBytes,
    tag: `${file.generation}-${file.archivedBytes}-${file.tailSha256.slice(0, 16)}`,
    read: (range) => readRange(deps, file, range),
    links: () => linksOf(deps, file),
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
