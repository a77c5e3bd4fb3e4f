/** Held by the process that imports the files of a device. */
export function importLease(deviceId: string): string {
  return `import ${deviceId}`;
}

/** Held while a chunk of a shipped file is stored; files with the same key wait for each other. */
export function uploadLease(key: string): string {
  return `upload ${key}`;
}

/** How the leases begin under which captures are recorded. */
export const CAPTURE_LEASES: readonly string[] = [importLease(''), uploadLease('')];
