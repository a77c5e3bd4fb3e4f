const MAX_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;

interface LineReader {
  push(bytes: Uint8Array): void;
  /** Reports a last line without a line break. */
  end(): void;
}

/** Splits a byte stream into lines. Lines that the parser would skip for their length are reported empty. */
export function createLineReader(onLine: (text: string) => void): LineReader {
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
export interface TranscriptSniffer {
  push(bytes: Uint8Array): void;
  isTranscript(): boolean;
}

export function createTranscriptSniffer(): TranscriptSniffer {
  let isFound = false;
  const lines = createLineReader((text) => {
    isFound ||= isTranscriptLine(text);
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

function isTranscriptLine(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
  } catch {
    return false;
  }
}
