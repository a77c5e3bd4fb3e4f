import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Files that a repair has set aside. They may contain deleted sessions, and no purge reads them. */
export function listSetAside(home: string): readonly string[] {
  return [home, join(home, 'archive')].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => /\.(?:broken|damaged)-\d{4}-/.test(name))
      .map((name) => join(folder, name)),
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // In a bucket, there is no such folder.
    return [];
  }
}
