import { readTextFile, writePrivateFile } from '../../lib/private-file.ts';

/** What an installation changed in each file of the user's, so that uninstalling reverts exactly that. */
export type InstallRecords<T> = Readonly<Record<string, T>>;

/** A broken record reads as none: uninstalling then leaves an empty list or object behind. */
export function readInstallRecords<T>(recordPath: string): InstallRecords<T> {
  try {
    return (JSON.parse(readTextFile(recordPath) ?? '{}') as InstallRecords<T> | null) ?? {};
  } catch {
    return {};
  }
}

/** Replaces the record of a file; null removes it. */
export function writeInstallRecord<T>(recordPath: string, changedPath: string, record: T | null): void {
  const { [changedPath]: known, ...others } = readInstallRecords<T>(recordPath);
  if (JSON.stringify(known ?? null) === JSON.stringify(record)) return;
  const records = record === null ? others : { ...others, [changedPath]: record };
  writePrivateFile(recordPath, `${JSON.stringify(records, null, 2)}\n`);
}
