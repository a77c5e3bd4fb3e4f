import type { ArchiveJournal } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { type Capture, saveCapture } from '../store/queries/archive/archive.ts';
import { markBytesCaptured, markMoreToParse, type SessionSeed } from '../store/queries/sessions/session-state.ts';
import { captureRecord } from './capture-record.ts';
import { sha256Hex } from '../lib/sha256.ts';

/** A file's identity on its device; the row id is derived from it. */
export interface FileKey {
  readonly deviceId: string;
  readonly root: string;
  readonly path: string;
}

export function sourceFileId({ deviceId, root, path }: FileKey): string {
  const name = JSON.stringify([deviceId, root, path]);
  return `file_${sha256Hex(name).slice(0, 24)}`;
}

/** How new bytes relate to a session: they create it, they are parsed with it, or (null) they are only stored. */
export type SessionPart = { readonly makes: SessionSeed } | { readonly isParsedWith: string } | null;

/** Records a file's archived bytes in the journal, then stores them and re-opens the session in one transaction. */
export async function acceptCapture(
  engine: Engine,
  journal: ArchiveJournal,
  capture: Capture,
  part: SessionPart,
  now: string,
): Promise<void> {
  // Journal first: the database must never hold more than can be rebuilt from the journal.
  await journal.append(captureRecord(capture, now));
  await engine.transaction(async (tx) => {
    if (part !== null && 'makes' in part) await markBytesCaptured(tx, part.makes, now);
    else if (part !== null) await markMoreToParse(tx, part.isParsedWith, now);
    await saveCapture(engine, tx, capture, now);
  });
}
