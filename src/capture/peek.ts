import { closeSync, openSync, readSync } from 'node:fs';

const PEEK_BYTES = 64 * 1024;
const SESSION_ID = /"sessionId"\s*:\s*"([A-Za-z0-9][A-Za-z0-9._:-]{0,127})"/;

/** Reads the session id from the first lines of a file, for layouts whose file name does not contain it. */
export function peekSessionId(path: string | Buffer): string | null {
  const buffer = Buffer.alloc(PEEK_BYTES);
  let length = 0;
  const fd = openSync(path, 'r');
  try {
    length = readSync(fd, buffer);
  } finally {
    closeSync(fd);
  }
  return SESSION_ID.exec(buffer.toString('latin1', 0, length))?.[1] ?? null;
}
