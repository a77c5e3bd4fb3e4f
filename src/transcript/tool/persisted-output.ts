import type { PersistedOutputRef } from '../../domain/transcript-structure.ts';
import { parsePersistedOutput } from '../schema/persisted-output.ts';

/**
 * Large outputs are saved beside the transcript and named in the text. The path is data of the model's making: only a
 * plain file name directly under a `tool-results` folder is ever looked for, and only in the session's own folder.
 */
const SAFE_NAME = /^[A-Za-z0-9_.-]{1,128}\.(?:txt|json)$/;
const SIZE = /^([0-9.]{1,12}) ?([KMG]?B)$/;
const UNIT_BYTES: ReadonlyMap<string, number> = new Map([
  ['B', 1],
  ['KB', 1024],
  ['MB', 1024 ** 2],
  ['GB', 1024 ** 3],
]);

/** The reference in a result's text, or null when it holds none. */
export function persistedOutputIn(text: string): PersistedOutputRef | null {
  const notice = parsePersistedOutput(text);
  return notice === null ? null : persistedRef(notice.filePath, sizeOf(notice.sizeDescription));
}

/** "105.1KB" in bytes; null for a size in characters. */
function sizeOf(description: string): number | null {
  const match = SIZE.exec(description);
  if (match === null) return null;
  const sizeBytes = Math.round(Number(match[1]) * (UNIT_BYTES.get(match[2] as string) ?? 1));
  return Number.isSafeInteger(sizeBytes) ? sizeBytes : null;
}

export function persistedRef(path: string, sizeBytes: number | null): PersistedOutputRef {
  const parts = path.split(/[\\/]/);
  const name = parts.at(-1) ?? '';
  const isInside = parts.at(-2) === 'tool-results' && !parts.includes('..');
  return { fileName: isInside && SAFE_NAME.test(name) && !name.startsWith('.') ? name : null, sizeBytes };
}
