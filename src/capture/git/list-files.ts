import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const MAX_DEPTH = 12;

/** Paths of the files below a folder, relative to it. */
export function* walkFiles(folder: string, prefix = '', depthLeft = MAX_DEPTH): Generator<string> {
  for (const entry of listEntries(join(folder, prefix))) {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isFile()) yield name;
    else if (entry.isDirectory() && depthLeft > 0) yield* walkFiles(folder, name, depthLeft - 1);
  }
}

export function listNames(folder: string): readonly string[] {
  return listEntries(folder).map(({ name }) => name);
}

/** A folder that does not exist or cannot be read counts as empty. */
function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
