import { join } from 'node:path';
import { listNames } from '../../lib/private-file.ts';

/** Files that a repair has set aside. They may contain deleted sessions, and no purge reads them. */
export function listSetAside(home: string): readonly string[] {
  return [home, join(home, 'archive')].flatMap((folder) =>
    listNames(folder)
      .filter((name) => /\.(?:broken|damaged)-\d{4}-/.test(name))
      .map((name) => join(folder, name)),
  );
}
