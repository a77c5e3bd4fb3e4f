import { appendFileSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { ClaudeHomeStatus } from '../api/answers/server.ts';
import { readTextFile } from '../lib/private-file.ts';
import { listInstalledSettings } from './hook/hook-files.ts';

/** One path per line. Only ever appended to, so that any number of processes may add to it at once. */
const LIST = 'claude-homes';

/** Where the homes are known from. */
export interface HomesPlace {
  /** The data folder. */
  readonly home: string;
  /** The configured Claude home. */
  readonly claudeHome: string;
}

/**
 * Every home that was ever read or named by a hook, every home with our hooks, and the configured one. In a fixed order,
 * oldest first: a folder that is known under two names keeps its first one, and its files their identity.
 */
export function listHomes({ home, claudeHome }: HomesPlace): readonly ClaudeHomeStatus[] {
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

/** The homes to read: each folder once. The configured one stands in when there is none at all. */
export function homesToRead(place: HomesPlace): readonly string[] {
  const there = listHomes(place).filter(({ exists, same_as }) => exists && same_as === null);
  return there.length > 0 ? there.map(({ path }) => path) : [place.claudeHome];
}

/** The folders in which transcripts appear. */
export function projectFolders(place: HomesPlace): readonly string[] {
  return homesToRead(place).map((path) => join(path, 'projects'));
}

/** Adds homes to the list of a data folder that exists. A path that a line cannot hold is read while it is configured. */
export function rememberHomes(home: string, paths: readonly string[]): void {
  const known = new Set(readList(home));
  const added = [...new Set(paths)].filter((path) => !known.has(path) && !/[\n\r\0]/.test(path));
  if (added.length === 0) return;
  appendFileSync(join(home, LIST), added.map((path) => `${path}\n`).join(''), { mode: 0o600 });
}

/** The home that a transcript lies in; null for a path that no client gives. */
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
