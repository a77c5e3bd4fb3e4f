import { FuelError } from '../domain/errors.ts';
import type { ArchiveJournal, BlobStore, Clock } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { takeEvents } from './take-events.ts';
import { type GitAnswer, takeGit } from './take-git.ts';
import { type ChunkAnswer, takeChunk } from './upload-chunk.ts';
import type { GitBatch, IngestResults, Upload, UploadDevice } from '../api/upload-schema.ts';
import { takeTranscript, type TranscriptAnswer, type TranscriptUpload } from './upload-transcript.ts';

export interface IntakeDeps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly journal: ArchiveJournal;
  readonly clock: Clock;
  /** This machine: its files come from its own disk only. */
  readonly device: { readonly id: string };
  readonly kinds: { readonly transcript: ReadonlySet<string>; readonly parsed: ReadonlySet<string> };
}

/** What other devices may give to this server. */
export interface Intake {
  /** Errors: usage, digest_mismatch, busy. */
  takeChunk(upload: Upload, bytes: Uint8Array): Promise<ChunkAnswer>;
  takeEvents(device: UploadDevice, events: readonly unknown[]): Promise<IngestResults>;
  takeGit(batch: GitBatch): Promise<GitAnswer>;
  /** Errors: not_found for a session that nobody knows. */
  takeTranscript(upload: TranscriptUpload): Promise<TranscriptAnswer>;
}

export function createIntake(deps: IntakeDeps): Intake {
  return {
    takeChunk: (upload, bytes) => {
      ensureOther(deps, upload.device);
      return takeChunk(deps, upload, bytes);
    },
    takeEvents: (device, events) => {
      ensureOther(deps, device);
      return takeEvents(deps, device, events);
    },
    takeGit: (batch) => {
      ensureOther(deps, batch.device);
      return takeGit(deps, batch);
    },
    takeTranscript: (upload) => takeTranscript(deps, upload),
  };
}

/** A copied data folder: two machines under one name would take each other's files for deleted. */
function ensureOther({ device }: IntakeDeps, { id }: UploadDevice): void {
  if (id !== device.id) return;
  throw new FuelError('usage', 'The device has the id of this server itself.', {
    hint: 'Remove device.json from the data folder of the device that was made as a copy.',
  });
}
