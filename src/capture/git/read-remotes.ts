import { join } from 'node:path';
import type { Repository } from './find-repository.ts';
import { parseGitConfig } from './parse-config.ts';
import { readSmallFile } from './read-small-file.ts';

export interface Remote {
  readonly name: string;
  readonly url: string;
}

const MAX_CONFIG_BYTES = 1024 * 1024;
const MAX_REF_BYTES = 4 * 1024;

/** Lists the remotes of a repository, origin first, then by name. */
export function readRemotes({ commonDir }: Repository): readonly Remote[] {
  const urls = new Map<string, string>();
  for (const { section, subsection, key, value } of parseGitConfig(
    readSmallFile(join(commonDir, 'config'), MAX_CONFIG_BYTES) ?? '',
  )) {
    const isUrl = section === 'remote' && key === 'url' && subsection !== null && value !== '';
    if (isUrl && !urls.has(subsection)) urls.set(subsection, value);
  }
  return [...urls]
    .map(([name, url]) => ({ name, url }))
    .toSorted((a, b) => Number(b.name === 'origin') - Number(a.name === 'origin') || (a.name < b.name ? -1 : 1));
}

/** The default branch of a remote as recorded when it was cloned. */
export function readDefaultBranch({ commonDir }: Repository, remote: string): string | null {
  // The name comes from a file and must not escape the remotes folder.
  if (/(?:^|\/)\.\.?(?:\/|$)|\0/.test(remote)) return null;
  const text = readSmallFile(join(commonDir, 'refs/remotes', remote, 'HEAD'), MAX_REF_BYTES) ?? '';
  const prefix = `ref: refs/remotes/${remote}/`;
  return text.startsWith(prefix) ? text.slice(prefix.length).trim() || null : null;
}
