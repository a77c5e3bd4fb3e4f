import type { JsonObject } from '../domain/transcript.ts';
import type { Capture, CapturedBlob, FileState, SegmentRow } from '../store/queries/archive/archive.ts';

const FORMAT = 1;

/** Converts a capture to a journal record. */
export function captureRecord(capture: Capture, at: string): JsonObject {
  const { segments, blobs, ...file } = capture;
  return {
    format: FORMAT,
    at,
    ...file,
    segments: segments.map(({ startOffset, sizeBytes, sha256, blobOffset }) => [
      startOffset,
      sizeBytes,
      sha256,
      blobOffset,
    ]),
    blobs: blobs.map(({ sha256, sizeBytes, storedBytes }) => [sha256, sizeBytes, storedBytes]),
  };
}

/** Reads the capture in a journal record; null for a newer format or another kind of record. */
export function readCaptureRecord(record: JsonObject): { readonly capture: Capture; readonly at: string } | null {
  if (record.format !== FORMAT || typeof record.id !== 'string' || typeof record.at !== 'string') return null;
  const { format: _format, at, segments, blobs, ...file } = record;
  // Annotation records have an id too.
  if (!Array.isArray(segments) || !Array.isArray(blobs)) return null;
  const rows = segments as readonly (readonly [number, number, string, number])[];
  const stored = blobs as readonly (readonly [string, number, number])[];
  return {
    at,
    capture: {
      ...(file as unknown as Omit<Capture, 'segments' | 'blobs' | 'state'>),
      state: file.state as FileState,
      segments: rows.map(([startOffset, sizeBytes, sha256, blobOffset]): SegmentRow => {
        return { startOffset, sizeBytes, sha256, blobOffset };
      }),
      blobs: stored.map(([sha256, sizeBytes, storedBytes]): CapturedBlob => ({ sha256, sizeBytes, storedBytes })),
    },
  };
}
