import { createHash } from 'node:crypto';
import type { ArchiveJournal } from '../domain/ports.ts';
import type { Engine } from '../store/engine.ts';
import { type Capture, saveCapture } from '../store/queries/archive/archive.ts';
import { markBytesCaptured, markMoreToParse, type SessionSeed } from '../store/queries/sessions/session-state.ts';
import { captureRecord } from './capture-record.ts';

/** A file's identity on its device; the row id follows from it. */
export interface FileKey {
  readonly deviceId: string;
  readonly root: string;
  readonly path: string;
}

export function sourceFileId({ deviceId, root, path }: FileKey): string {
  const name = JSON.stringify([deviceId, root, path]);
  return `file_${createHash('sha256').update(name).digest('hex').slice(0, 24)}`;
}

/** What new bytes mean for a session: they make it, they are parsed with it, or they only lie beside it. */
export type SessionPart = { readonly makes: SessionSeed } | { readonly isParsedWith: string } | null;

/** Notes a file's archived bytes and re-opens its session, both or neither, after the journal has it. */
export async function acceptCapture(
  engine: Engine,
  journal: ArchiveJournal,
  capture: Capture,
  part: SessionPart,
  now: string,
): Promise<void> {
  // First: what the database knows must never be more than what it could be made of again.
  await journal.append(captureRecord(capture, now));
  await engine.transaction(async (tx) => {
    if (part !== null && 'makes' in part) await markBytesCaptured(tx, part.makes, now);
    else if (part !== null) await markMoreToParse(tx, part.isParsedWith, now);
    await saveCapture(engine, tx, capture, now);
  });
}
