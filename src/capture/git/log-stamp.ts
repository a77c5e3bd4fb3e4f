import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';

const MAX_FILES = 2_000;
const MAX_DEPTH = 12;

/**
 * A fingerprint of the sizes and times of git's reference logs; changes whenever a HEAD moves or a push completes.
 * Costs a few system calls, so it can be checked before every query. Null when the repository no longer exists.
 */
export function readLogStamp(commonDir: string): string | null {
  if (lookAt(join(commonDir, 'HEAD')) === null) return null;
  const files = [
    'logs/HEAD',
    'reftable/tables.list',
    ...listNames(join(commonDir, 'worktrees')).map((name) => `worktrees/${name}/logs/HEAD`),
    ...[...walk(join(commonDir, 'logs/refs/remotes'), '', MAX_DEPTH)].map((name) => `logs/refs/remotes/${name}`),
  ];
  const hash = createHash('sha256');
  for (const file of files.slice(0, MAX_FILES)) hash.update(`${file} ${lookAt(join(commonDir, file)) ?? '-'}\n`);
  return hash.digest('hex').slice(0, 32);
}

function lookAt(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.size}:${stat.mtimeMs}`;
}

function* walk(folder: string, prefix: string, depthLeft: number): Generator<string> {
  for (const entry of listEntries(join(folder, prefix))) {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isFile()) yield name;
    else if (entry.isDirectory() && depthLeft > 0) yield* walk(folder, name, depthLeft - 1);
  }
}

function listNames(folder: string): readonly string[] {
  return listEntries(folder).map(({ name }) => name);
}

function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
