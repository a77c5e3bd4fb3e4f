import { type Detect, findSpans, GUTTER } from './detect.ts';

/** Long enough to contain a secret. A run that does not start like text is skipped early. */
const MIN_RUN_CHARS = 32;
/** Encoders wrap lines at 64 or 76 characters. */
const NEXT_LINE = new RegExp(String.raw`\r?\n${GUTTER}([A-Za-z0-9+/_-]{1,400}={0,2})(?![\w+/=-])`, 'y');
const MIN_WRAPPED_CHARS = 60;
const MAX_RUN_CHARS = 400_000;
const SAMPLE_CHARS = 64;
const MIN_PLAIN_SHARE = 0.97;
const NOT_PRINTABLE = /[^\t\n\r\u0020-\u007e]/g;

/** Finds base64 whose decoded text contains a secret; anything that does not decode to text is ignored. */
export function detectEncoded(detectors: readonly Detect[]): Detect {
  return (text, report) => {
    for (let run = nextRun(text, 0); run !== null; run = nextRun(text, run.end)) {
      const first = text.slice(run.start, run.end);
      if (isHexText(first)) {
        if (findSpans(Buffer.from(first, 'hex').toString('latin1'), detectors).length > 0)
          report('encoded-secret', run.start, run.end);
        continue;
      }
      if (!isText(first.slice(0, SAMPLE_CHARS))) continue;
      const { encoded, end } = withNextLines(text, first, run.end);
      run = { start: run.start, end };
      if (encoded.length > MAX_RUN_CHARS || !isText(encoded)) continue;
      if (findSpans(decode(encoded), detectors).length > 0) report('encoded-secret', run.start, end);
    }
  };
}

const IS_BASE64: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9+/_-]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const PADDING = '='.charCodeAt(0);

interface Run {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the next base64 run. Checks every `minChars`th character first, so that text without any is skipped quickly.
 */
export function nextRun(text: string, from: number, minChars = MIN_RUN_CHARS): Run | null {
  const isPart = (at: number) => IS_BASE64[text.charCodeAt(at)] === 1;
  let start = from;
  while (start + minChars <= text.length) {
    let at = start + minChars - 1;
    while (at >= start && isPart(at)) at--;
    if (at >= start) {
      start = at + 1;
      continue;
    }
    let end = start + minChars;
    while (isPart(end)) end++;
    while (text.charCodeAt(end) === PADDING) end++;
    return { start, end };
  }
  return null;
}

function withNextLines(text: string, first: string, end: number): { readonly encoded: string; readonly end: number } {
  let [encoded, last, length] = [first, end, first.length];
  while (length >= MIN_WRAPPED_CHARS && !encoded.endsWith('=') && encoded.length <= MAX_RUN_CHARS) {
    NEXT_LINE.lastIndex = last;
    const line = NEXT_LINE.exec(text)?.[1];
    if (line === undefined || line.length > length) break;
    [encoded, last, length] = [encoded + line, NEXT_LINE.lastIndex, line.length];
  }
  return { encoded, end: last };
}

const HEX_TEXT = /^(?:0x)?(?:[2-7][0-9a-f]|0[9ad]){16,}$/i;

/** Hexadecimal digits that are all codes of printable characters, which those of a checksum are not. */
function isHexText(run: string): boolean {
  return run.length % 2 === 0 && HEX_TEXT.test(run);
}

function decode(encoded: string): string {
  return Buffer.from(encoded, 'base64').toString('latin1');
}

export function isText(encoded: string): boolean {
  if (!/[A-Z]/.test(encoded) || !/[a-z0-9]/.test(encoded)) return false;
  const decoded = decode(encoded);
  return (decoded.match(NOT_PRINTABLE)?.length ?? 0) <= decoded.length * (1 - MIN_PLAIN_SHARE);
}
