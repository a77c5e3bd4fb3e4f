import type { BlankOut } from '../capture/read-new-bytes.ts';
import type { FileKind } from '../domain/file-kinds.ts';

export type { BlankOut } from '../capture/read-new-bytes.ts';

/** Files with entries of several sessions: prompts as typed, and the client's list of sessions. */
const SHARED_KINDS: ReadonlySet<string> = new Set<FileKind>(['history', 'sessions_index']);

export function isSharedKind(kind: string): boolean {
  return SHARED_KINDS.has(kind);
}

const [NEWLINE, SPACE, QUOTE, BACKSLASH, OPEN, CLOSE] = Buffer.from('\n "\\{}') as unknown as [
  number,
  number,
  number,
  number,
  number,
  number,
];

/** Blanks the entries of these sessions in a shared file. Every entry keeps its place and its braces. */
export function blankSessions(kind: string, sessionIds: ReadonlySet<string>): BlankOut {
  return (bytes) => {
    const blanked = Buffer.from(bytes);
    const needles = [...sessionIds].map((id) => Buffer.from(JSON.stringify(id)));
    const find = kind === 'history' ? lineAround : objectAround;
    for (const needle of needles) {
      for (let at = blanked.indexOf(needle); at >= 0; at = blanked.indexOf(needle, at + 1)) {
        const entry = find(blanked, at);
        blanked.fill(SPACE, entry.from, entry.to);
      }
    }
    return blanked;
  };
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** A line of JSON without its braces. An incomplete last line is blanked the same way as when it is complete. */
function lineAround(bytes: Buffer, at: number): Range {
  const from = bytes.lastIndexOf(NEWLINE, at) + 1;
  const end = bytes.indexOf(NEWLINE, at);
  const to = end < 0 ? bytes.length : end;
  return { from: bytes[from] === OPEN ? from + 1 : from, to: bytes[to - 1] === CLOSE ? to - 1 : to };
}

/** The inside of the innermost object around a position; the whole file when it is not JSON. */
function objectAround(bytes: Buffer, at: number): Range {
  const open: number[] = [];
  for (let place = 0; place < bytes.length; place++) {
    const byte = bytes[place];
    if (byte === QUOTE) place = endOfString(bytes, place);
    else if (byte === OPEN) open.push(place);
    else if (byte === CLOSE) {
      const from = open.pop() ?? 0;
      if (from < at && place > at) return { from: from + 1, to: place };
    }
  }
  return { from: 0, to: bytes.length };
}

function endOfString(bytes: Buffer, quoteAt: number): number {
  for (let at = quoteAt + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at++;
    else if (bytes[at] === QUOTE) return at;
  }
  return bytes.length;
}
