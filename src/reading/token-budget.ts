import { LOW_BYTES_PER_TOKEN } from '../domain/context-parts.ts';

const encoder = new TextEncoder();

export function estimateTokens(text: string): number {
  return Math.ceil(encoder.encode(text).length / LOW_BYTES_PER_TOKEN);
}

/** How far back a cut may move to reach the end of a line. */
const MAX_LINE_CHARS = 200;

/**
 * The length of the longest beginning of a text, from a position on, that fits into a budget. It ends at the end of a
 * line if one is near, and never within a character. At least one character, so that a reader always makes progress.
 */
export function fittingEnd(text: string, from: number, tokens: number): number {
  const bytes = Math.max(0, tokens) * LOW_BYTES_PER_TOKEN;
  const { read } = encoder.encodeInto(text.slice(from, from + bytes), new Uint8Array(bytes));
  const end = Math.max(from + read, from + charAt(text, from));
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf('\n', end - 1) + 1;
  return line > from && end - line <= MAX_LINE_CHARS ? line : end;
}

function charAt(text: string, at: number): number {
  return String.fromCodePoint(text.codePointAt(at) ?? 0).length;
}
