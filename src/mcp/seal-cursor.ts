import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { FuelError } from '../domain/errors.ts';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Cursors name the last row of a page, and so its path or name, which answers redact. They are encrypted with a key of this
 * process: a client can only send them back.
 */
export interface CursorSeal {
  close(cursor: string): string;
  /** Errors: usage for a cursor of another process. */
  open(sealed: string): string;
}

export function createCursorSeal(): CursorSeal {
  const key = randomBytes(32);
  return {
    close: (cursor) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv);
      const parts = [iv, cipher.update(cursor, 'utf8'), cipher.final()];
      return Buffer.concat([...parts, cipher.getAuthTag()]).toString('base64url');
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64url');
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8');
        return text + decipher.final('utf8');
      } catch {
        throw new FuelError('usage', 'Invalid cursor.', {
          hint: 'Cursors are only valid while the same server is running. Omit it to start from the beginning.',
        });
      }
    },
  };
}
