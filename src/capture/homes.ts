import { appendFileSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { ClaudeHomeStatus } from '../api/server.ts';
import { readTextFile } from '../lib/private-file.ts';
import { listInstalledSettings } from './hook/hook-files.ts';

/** One path per line. Append-only, so that several processes can add to it at once. */
const LIST = 'claude-homes';

/** The folders that determine which Claude homes are known. */
export interface HomePaths {
  /** The data folder. */
  readonly home: string;
  /** The configured Claude home. */
  readonly claudeHome: string;
}

/**
 * Lists the configured home, every home that was ever read or named by a hook, and every home with our hooks. The order
 * is fixed, oldest first, so that a folder known under two names keeps its first name and its files keep their
 * identity.
 */
export function listHomes({ home, claudeHome }: HomePaths): readonly ClaudeHomeStatus[] {
  const paths = new Set([...readList(home), ...listInstalledSettings(home).map(dirname), claudeHome]);
  const byFolder = new Map<string, string>();
  return [...paths].map((path) => {
    const folder = folderId(join(path, 'projects'));
    if (folder === null) return { path, exists: false, same_as: null };
    const same_as = byFolder.get(folder) ?? null;
    if (same_as === null) byFolder.set(folder, path);
    return { path, exists: true, same_as };
  });
}

/** Lists the homes to read, each real folder once; the configured home if no other exists. */
export function homesToRead(paths: HomePaths): readonly string[] {
  const there = listHomes(paths).filter(({ exists, same_as }) => exists && same_as === null);
  return there.length > 0 ? there.map(({ path }) => path) : [paths.claudeHome];
}

/** The folders in which transcripts are created. */
export function projectFolders(paths: HomePaths): readonly string[] {
  return homesToRead(paths).map((path) => join(path, 'projects'));
}

/**
 * Adds homes to the list, provided the data folder exists. A path with a line break cannot be listed; it is read as
 * long as it is configured.
 */
export function rememberHomes(home: string, paths: readonly string[]): void {
  const known = new Set(readList(home));
  const added = [...new Set(paths)].filter((path) => !known.has(path) && !/[\n\r\0]/.test(path));
  if (added.length === 0) return;
  appendFileSync(join(home, LIST), added.map((path) => `${path}\n`).join(''), { mode: 0o600 });
}

/** The home that contains a transcript; null for a path that no client produces. */
export function homeOfTranscript(path: string): string | null {
  const at = path.lastIndexOf(`${sep}projects${sep}`);
  return at > 0 && path.startsWith(sep) && path.endsWith('.jsonl') ? path.slice(0, at) : null;
}

function readList(home: string): readonly string[] {
  return (readTextFile(join(home, LIST)) ?? '').split('\n').filter((line) => line.startsWith(sep));
}

function folderId(path: string): string | null {
  try {
    const stat = statSync(path);
    return stat.isDirectory() ? `${stat.dev}:${stat.ino}` : null;
  } catch {
    return null;
  }
}
