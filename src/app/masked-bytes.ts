import type { ByteRange } from '../archive/archive-bytes.ts';
import { FuelError } from '../domain/errors.ts';
import { isJsonObject, parseJson } from '../domain/json.ts';
import type { SecretMask } from '../redact/mask-secrets.ts';

/** Archived bytes of a session whose secrets are masked, as they are shown. The archive keeps the original ones. */

/** A line of a transcript; a line that is not JSON is masked as a text. Unchanged lines keep their bytes. */
export function maskLine(mask: SecretMask, line: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(line);
  const record = parseJson(text);
  if (!isJsonObject(record)) return keepEqual(line, text, mask.text(text));
  const masked = mask.record(record);
  return keepEqual(line, JSON.stringify(record), JSON.stringify(masked));
}

function keepEqual(bytes: Uint8Array, before: string, after: string): Uint8Array {
  return before === after ? bytes : Buffer.from(after);
}

/** The most that is read into memory: a line, or a file that does not consist of records. */
const MAX_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Errors: too_large. */
export async function* maskBytes(
  mask: SecretMask,
  path: string,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const isRecords = path.endsWith('.jsonl');
  const endOfLine = (chunk: Uint8Array, from: number) => (isRecords ? chunk.indexOf(NEWLINE, from) : -1);
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = endOfLine(chunk, 0); end !== -1; end = endOfLine(chunk, from)) {
      yield maskLine(mask, Buffer.concat([...held, chunk.subarray(from, end)]));
      yield chunk.subarray(end, end + 1);
      [held, size, from] = [[], 0, end + 1];
    }
    held.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > MAX_BYTES) throw new FuelError('too_large', 'The file is too large to mask the secrets in it.');
  }
  if (size === 0) return;
  const rest = Buffer.concat(held);
  if (isRecords) yield maskLine(mask, rest);
  else yield Buffer.from(mask.text(rest.toString('utf8')));
}

export async function countBytes(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let count = 0;
  for await (const { length } of bytes) count += length;
  return count;
}

export async function* sliceBytes(
  bytes: AsyncIterable<Uint8Array>,
  { from, to }: ByteRange,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const chunk of bytes) {
    const part = chunk.subarray(Math.max(0, from - at), Math.max(0, to - at));
    if (part.length > 0) yield part;
    at += chunk.length;
    if (at >= to) return;
  }
}
