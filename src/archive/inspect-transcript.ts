import { createHash } from 'node:crypto';
import { isJsonObject, parseJson } from '../domain/json.ts';
import type { JsonObject } from '../domain/transcript.ts';
import { FINGERPRINT_BYTES, sha256Hex } from '../lib/sha256.ts';

/** What the archive knows a file by. */
export interface FileDigest {
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly headSha256: string;
  readonly tailSha256: string;
}

/** What a file is, determined without storing any of it. */
export interface Inspection extends FileDigest {
  /** Whether it has a prompt or an answer. */
  readonly isTranscript: boolean;
  /** The sessions that its lines name, most often named first. */
  readonly sessionIds: readonly string[];
  /** The first working directory that it names. */
  readonly cwd: string | null;
}

/** A session that others were copied into names a few; anything beyond is not needed. */
const MAX_IDS = 1_000;

export async function inspectTranscript(chunks: AsyncIterable<Uint8Array>): Promise<Inspection> {
  const digest = createFileDigest();
  const ids = new Map<string, number>();
  let [isTranscript, cwd]: [boolean, string | null] = [false, null];
  const lines = createLineReader((text) => {
    const line = readLine(text);
    if (line === null) return;
    isTranscript ||= (line.type === 'user' || line.type === 'assistant') && isJsonObject(line.message);
    if (cwd === null && typeof line.cwd === 'string') cwd = line.cwd;
    const { sessionId: id } = line;
    if (typeof id === 'string' && (ids.has(id) || ids.size < MAX_IDS)) ids.set(id, (ids.get(id) ?? 0) + 1);
  });
  for await (const bytes of chunks) {
    digest.add(bytes);
    lines.push(bytes);
  }
  lines.end();
  return {
    ...digest.finish(),
    isTranscript,
    sessionIds: [...ids].toSorted(([, a], [, b]) => b - a).map(([id]) => id),
    cwd,
  };
}

interface DigestInProgress {
  /** Called with the chunks of a file in order. */
  add(bytes: Uint8Array): void;
  finish(): FileDigest;
}

export function createFileDigest(): DigestInProgress {
  const whole = createHash('sha256');
  let sizeBytes = 0;
  let head: Uint8Array = Buffer.alloc(0);
  let tail: Uint8Array = Buffer.alloc(0);
  return {
    add: (bytes) => {
      whole.update(bytes);
      sizeBytes += bytes.length;
      if (head.length < FINGERPRINT_BYTES) head = Buffer.concat([head, bytes]).subarray(0, FINGERPRINT_BYTES);
      // Only the last bytes are copied, whatever the size of the chunk.
      const last = bytes.subarray(-FINGERPRINT_BYTES);
      tail = Buffer.from(Buffer.concat([tail, last]).subarray(-FINGERPRINT_BYTES));
    },
    finish: () => ({
      sizeBytes,
      sha256: whole.digest('hex'),
      headSha256: sha256Hex(head),
      tailSha256: sha256Hex(tail),
    }),
  };
}

function readLine(text: string): JsonObject | null {
  const value = parseJson(text);
  return isJsonObject(value) ? value : null;
}

/** Longer lines consist of images or pasted files; the other lines are enough to recognise a transcript. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;

interface LineReader {
  push(bytes: Uint8Array): void;
  /** Reports a last line without a line break. */
  end(): void;
}

/** Splits a byte stream into lines. Very long lines are reported empty, to bound the memory. */
function createLineReader(onLine: (text: string) => void): LineReader {
  let line: Uint8Array[] = [];
  let lineBytes = 0;
  const endLine = () => {
    const text = lineBytes > MAX_LINE_BYTES ? '' : Buffer.concat(line).toString();
    line = [];
    lineBytes = 0;
    onLine(text);
  };
  const keep = (bytes: Uint8Array) => {
    if (lineBytes + bytes.length <= MAX_LINE_BYTES) line.push(bytes);
    lineBytes += bytes.length;
  };
  return {
    push: (bytes) => {
      for (let from = 0; from < bytes.length; ) {
        const at = bytes.indexOf(NEWLINE, from);
        keep(bytes.subarray(from, at < 0 ? bytes.length : at));
        if (at >= 0) endLine();
        from = at < 0 ? bytes.length : at + 1;
      }
    },
    end: () => {
      if (lineBytes > 0) endLine();
    },
  };
}

/** Detects whether a byte stream contains at least one transcript line: a JSON object with a type. */
interface TranscriptSniffer {
  push(bytes: Uint8Array): void;
  isTranscript(): boolean;
}

export function createTranscriptSniffer(): TranscriptSniffer {
  let isFound = false;
  const lines = createLineReader((text) => {
    isFound ||= typeof readLine(text)?.type === 'string';
  });
  return {
    push: (bytes) => {
      if (!isFound) lines.push(bytes);
    },
    isTranscript: () => {
      if (!isFound) lines.end();
      return isFound;
    },
  };
}
