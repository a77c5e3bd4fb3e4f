import type { DeletedItem, GitBatch, GitItem, IngestResults, Upload, UploadDevice } from '../api/ingest.ts';
import type { Sender } from '../domain/device.ts';
import { FuelError } from '../domain/errors.ts';
import type { Event } from '../domain/event.ts';
import type { ArchiveJournal, BlobStore, Clock } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { acceptDeletions, acceptEvents, acceptGit, type GitResult } from './accept-batch.ts';
import { ensureTokenMatchesDevice } from './device.ts';
import { acceptChunk, type ChunkResult } from './upload-chunk.ts';
import { acceptTranscript, type TranscriptResult, type TranscriptUpload } from './upload-transcript.ts';

export interface IntakeDeps {
  readonly engine: Engine;
  readonly blobs: BlobStore;
  readonly journal: ArchiveJournal;
  readonly clock: Clock;
  /** This machine; its own files arrive only from `fuel-code upload`. */
  readonly device: { readonly id: string };
  readonly masks?: IngestMasks;
}

/** Masks secrets where they were forgotten, before anything is stored. */
export interface IngestMasks {
  events(events: readonly Event[]): Promise<readonly Event[]>;
  git(items: readonly GitItem[]): Promise<readonly GitItem[]>;
}

/** Accepts data from other devices. Errors: forbidden for a token of another device. */
export interface Intake {
  /** Errors: usage, digest_mismatch, busy; conflict for a session of another device. */
  acceptChunk(sender: Sender, upload: Upload, bytes: Uint8Array): Promise<ChunkResult>;
  acceptEvents(sender: Sender, device: UploadDevice, events: readonly unknown[]): Promise<IngestResults>;
  acceptGit(sender: Sender, batch: GitBatch): Promise<GitResult>;
  /** Deletes sessions of the device. */
  acceptDeletions(sender: Sender, device: UploadDevice, items: readonly DeletedItem[]): Promise<IngestResults>;
  /** Errors: not_found for an unknown session; usage for a body without transcript lines. */
  acceptTranscript(sender: Sender, upload: TranscriptUpload): Promise<TranscriptResult>;
}

/** `onWork` is called when something arrived that needs parsing or is worth showing. */
export function createIntake(deps: IntakeDeps, onWork: () => void): Intake {
  const take = async <T>(sender: Sender, device: UploadDevice, work: () => Promise<T>): Promise<T> => {
    ensureOtherDevice(deps, device);
    await ensureTokenMatchesDevice(deps, sender, device.id);
    const answer = await work();
    onWork();
    return answer;
  };
  return {
    acceptChunk: (sender, upload, bytes) => take(sender, upload.device, () => acceptChunk(deps, upload, bytes)),
    acceptEvents: (sender, device, events) => take(sender, device, () => acceptEvents(deps, device, events)),
    acceptGit: (sender, batch) => take(sender, batch.device, () => acceptGit(deps, batch)),
    acceptDeletions: (sender, device, items) => take(sender, device, () => acceptDeletions(deps, device, items)),
    acceptTranscript: async (sender, upload) => {
      const { described } = upload;
      if (described !== null) {
        ensureOtherDevice(deps, described.device);
        await ensureTokenMatchesDevice(deps, sender, described.device.id);
      }
      const answer = await acceptTranscript(deps, sender, upload);
      onWork();
      return answer;
    },
  };
}

/** A copied data folder: two machines with one id would take each other's files for deleted. */
function ensureOtherDevice({ device }: IntakeDeps, { id }: UploadDevice): void {
  if (id !== device.id) return;
  throw new FuelError('usage', 'The device has the same id as this server.', {
    hint: 'Delete device.json from the copied data folder.',
  });
}
