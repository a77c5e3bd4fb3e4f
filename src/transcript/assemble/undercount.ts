/** Clients 2.1.20 to 2.1.47 often wrote the output count of the stream's beginning and never the final one. */
const FIRST = 20;
const LAST = 47;
const VERSION = /^2\.1\.(\d{1,4})(?:\D|$)/;

let lastVersion = '';
let lastAnswer = false;

export function isUndercounting(version: string): boolean {
  if (version === lastVersion) return lastAnswer;
  const patch = Number(VERSION.exec(version)?.[1] ?? -1);
  lastVersion = version;
  lastAnswer = patch >= FIRST && patch <= LAST;
  return lastAnswer;
}
