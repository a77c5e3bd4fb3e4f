import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Get } from '../api/table.ts';
import { MAX_ID_CHARS, plainText } from '../api/values.ts';
import { FuelError, invalidCursor } from '../domain/errors.ts';
import type { Scope } from './scope.ts';

export interface ToolContext {
  /** Redacted, unless the person who started the server turned that off. */
  readonly get: Get;
  readonly scope: Scope;
  readonly now: Date;
  /** Time zone of dates in questions. */
  readonly zone: string;
}

export interface ToolAnswer {
  readonly text: string;
  /** Null or missing if this is all. */
  readonly nextCursor?: string | null;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** Written for the model: when to use the tool and what it returns. */
  readonly description: string;
  readonly input: z.ZodObject;
  run(args: unknown, context: ToolContext): Promise<ToolAnswer>;
}

interface Definition<S extends z.ZodRawShape> extends Omit<Tool, 'input' | 'run'> {
  readonly input: S;
  run(args: z.output<z.ZodObject<S>>, context: ToolContext): Promise<ToolAnswer>;
}

export function defineTool<S extends z.ZodRawShape>({ input, run, ...tool }: Definition<S>): Tool {
  return { ...tool, input: z.strictObject(input), run };
}

const MAX_CURSOR_CHARS = 4_096;

/** Text without control characters, as every query of the store requires. */
export function line(maxChars: number) {
  return plainText(maxChars).refine((text) => text.isWellFormed(), 'must be valid Unicode');
}

export const workspace = line(MAX_ID_CHARS)
  .optional()
  .describe('Another workspace by name, or "all". Default: the workspace of the current folder.');

export const cursor = z
  .string()
  .regex(new RegExp(`^[!-~]{1,${MAX_CURSOR_CHARS}}$`), 'is not a valid cursor')
  .optional()
  .describe('From the end of the previous answer, to get the next page. Keep the other arguments the same.');

export function limit(max: number, standard: number) {
  return z.int().min(1).max(max).default(standard).describe(`Maximum number of results (default ${standard}).`);
}

export const date = line(64).optional();

/** Cursors of lists that are cut here and not in a query. */
export function encodeCursor(position: readonly number[]): string {
  return position.join('.');
}

/** Errors: usage for a cursor that is not ours. */
export function decodeCursor(text: string, length: number): readonly number[] {
  const numbers = text.split('.').map((part) => (/^\d{1,10}$/.test(part) ? Number(part) : Number.NaN));
  if (numbers.length === length && !numbers.some(Number.isNaN)) return numbers;
  throw invalidCursor();
}

/** A page of a list that is complete. Errors: usage. */
export function cutRows<T>(
  rows: readonly T[],
  { cursor: text, limit: count }: { readonly cursor?: string | undefined; readonly limit: number },
): { readonly page: readonly T[]; readonly nextCursor: string | null } {
  const [from = 0] = text === undefined ? [] : decodeCursor(text, 1);
  const end = from + count;
  return { page: rows.slice(from, end), nextCursor: end < rows.length ? encodeCursor([end]) : null };
}

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
