const MAX_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;

/** Detects whether a byte stream contains at least one transcript line: a JSON object with a type. */
export interface TranscriptSniffer {
  push(bytes: Uint8Array): void;
  isTranscript(): boolean;
}

export function createTranscriptSniffer(): TranscriptSniffer {
  let isFound = false;
  let line: Uint8Array[] = [];
  let lineBytes = 0;
  const endLine = () => {
    isFound ||= isTranscriptLine(Buffer.concat(line).toString());
    line = [];
    lineBytes = 0;
  };
  const keep = (bytes: Uint8Array) => {
    // The parser would skip longer lines too.
    if (lineBytes + bytes.length <= MAX_LINE_BYTES) line.push(bytes);
    lineBytes += bytes.length;
  };
  return {
    push: (bytes) => {
      for (let from = 0; from < bytes.length; ) {
        if (isFound) return;
        const at = bytes.indexOf(NEWLINE, from);
        keep(bytes.subarray(from, at < 0 ? bytes.length : at));
        if (at >= 0) endLine();
        from = at < 0 ? bytes.length : at + 1;
      }
    },
    isTranscript: () => {
      if (!isFound && lineBytes > 0) endLine();
      return isFound;
    },
  };
}

function isTranscriptLine(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
  } catch {
    return false;
  }
}
