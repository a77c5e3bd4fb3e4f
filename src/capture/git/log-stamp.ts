import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { listNames, walkFiles } from './list-files.ts';

const MAX_FILES = 2_000;

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
    ...[...walkFiles(join(commonDir, 'logs/refs/remotes'))].map((name) => `logs/refs/remotes/${name}`),
  ];
  const hash = createHash('sha256');
  for (const file of files.slice(0, MAX_FILES)) hash.update(`${file} ${lookAt(join(commonDir, file)) ?? '-'}\n`);
  return hash.digest('hex').slice(0, 32);
}

function lookAt(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.size}:${stat.mtimeMs}`;
}
