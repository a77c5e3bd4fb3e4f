/** Clients 2.1.20 to 2.1.47 often wrote the output count of the stream's beginning and never the final one. */
const FIRST = 20;
const LAST = 47;
const VERSION = /^2\.1\.(\d{1,4})(?:\D|$)/;

export function isUndercounting(version: string): boolean {
  const patch = Number(VERSION.exec(version)?.[1] ?? -1);
  return patch >= FIRST && patch <= LAST;
}
