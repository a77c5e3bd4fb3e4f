import { FuelError } from '../domain/errors.ts';
import type { ArchiveJournal, BlobStore, Clock } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import type { Sender } from '../domain/device-token.ts';
import { ensureSpeaksFor } from './sender.ts';
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
  /** This machine; its own files never arrive as uploads. */
  readonly device: { readonly id: string };
  readonly kinds: { readonly transcript: ReadonlySet<string>; readonly parsed: ReadonlySet<string> };
}

/** Accepts data from other devices. Errors: forbidden for a token of another device. */
export interface Intake {
  /** Errors: usage, digest_mismatch, busy; conflict for a session of another device. */
  takeChunk(sender: Sender, upload: Upload, bytes: Uint8Array): Promise<ChunkAnswer>;
  takeEvents(sender: Sender, device: UploadDevice, events: readonly unknown[]): Promise<IngestResults>;
  takeGit(sender: Sender, batch: GitBatch): Promise<GitAnswer>;
  /** Errors: not_found for an unknown session; usage for a body without transcript lines. */
  takeTranscript(sender: Sender, upload: TranscriptUpload): Promise<TranscriptAnswer>;
}

/** `onWork` is called when something arrived that needs parsing or is worth showing. */
export function createIntake(deps: IntakeDeps, onWork: () => void): Intake {
  const take = async <T>(sender: Sender, device: UploadDevice, work: () => Promise<T>): Promise<T> => {
    ensureOther(deps, device);
    await ensureSpeaksFor(deps, sender, device.id);
    const answer = await work();
    onWork();
    return answer;
  };
  return {
    takeChunk: (sender, upload, bytes) => take(sender, upload.device, () => takeChunk(deps, upload, bytes)),
    takeEvents: (sender, device, events) => take(sender, device, () => takeEvents(deps, device, events)),
    takeGit: (sender, batch) => take(sender, batch.device, () => takeGit(deps, batch)),
    takeTranscript: async (sender, upload) => {
      const { described } = upload;
      if (described !== null) {
        ensureOther(deps, described.device);
        await ensureSpeaksFor(deps, sender, described.device.id);
      }
      const answer = await takeTranscript(deps, sender, upload);
      onWork();
      return answer;
    },
  };
}

/** A copied data folder: two machines with one id would take each other's files for deleted. */
function ensureOther({ device }: IntakeDeps, { id }: UploadDevice): void {
  if (id !== device.id) return;
  throw new FuelError('usage', 'The device has the id of this server itself.', {
    hint: 'Remove device.json from the data folder of the device that was made as a copy.',
  });
}
