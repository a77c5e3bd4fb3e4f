import { UUID_PATTERN } from '../../lib/ids.ts';
import { FileScanner, type ReadInto } from './file-scanner.ts';
import type { LineCounts } from './line-scanner.ts';
import type { RowColumns, ScanFile } from './usage-rows.ts';

const UUID = new RegExp(UUID_PATTERN, 'i');
const AGENT_NAME = /^agent-/;
const ASIDE_NAME = /^agent-a?side_question/;

/** Reads a transcript path under projects/: main or sub-agent file, and the session if the path names one. */
export function describeFile(path: string, index: number): ScanFile {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  const folders = parts.slice(0, -1);
  const isAgent = AGENT_NAME.test(name) || folders.includes('subagents');
  const named = isAgent ? folders[folders.lastIndexOf('subagents') - 1] : name;
  const sessionId = UUID.exec(named ?? '')?.[0] ?? '';
  return { index, sessionId, role: !isAgent ? 'main' : ASIDE_NAME.test(name) ? 'aside' : 'agent' };
}

export interface OpenFile {
  readonly read: ReadInto;
  close(): void;
}

export interface FilesScan extends LineCounts {
  readonly columns: RowColumns;
  readonly files: number;
  readonly bytes: number;
  readonly oversizeLines: number;
  /** Files that were deleted before they were scanned or could not be opened. */
  readonly missingFiles: number;
}

/**
 * Scans files, given as paths under projects/, in the order of the indexes that `next` returns, until an index is out
 * of range. Threads that share the work draw indexes from one counter.
 */
export function scanFiles(
  paths: readonly string[],
  open: (path: string, index: number) => OpenFile | null,
  next: () => number,
): FilesScan {
  const scanner = new FileScanner();
  const sums = { files: 0, bytes: 0, oversizeLines: 0, missingFiles: 0 };
  for (let index = next(); index < paths.length; index = next()) {
    const path = paths[index] as string;
    const file = open(path, index);
    if (file === null) {
      sums.missingFiles += 1;
      continue;
    }
    try {
      const { bytes, oversizeLines } = scanner.scan(describeFile(path, index), file.read);
      sums.files += 1;
      sums.bytes += bytes;
      sums.oversizeLines += oversizeLines;
    } finally {
      file.close();
    }
  }
  return { columns: scanner.columns, ...sums, ...scanner.counts };
}
