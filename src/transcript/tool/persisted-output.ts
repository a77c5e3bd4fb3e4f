import type { PersistedOutputRef } from '../../domain/transcript-structure.ts';

/** Content of a notice that replaces a tool result too large for the context. */
export interface PersistedOutput {
  /** As the client wrote it: "48.2KB", "61,204 characters". */
  readonly sizeDescription: string;
  /** As the client wrote it. Before opening it, check that it is in the session's tool-results folder. */
  readonly filePath: string;
  /** Start of the output; empty if the notice has none. */
  readonly preview: string;
}

const OPEN_TAG = '<persisted-output>';
const CLOSE_TAG = '</persisted-output>';
const SIZE_MARK = 'Output too large (';
const PATH_MARK = 'Full output saved to: ';
const PREVIEW_MARK = '\n\nPreview (first ';
const MORE_MARK = '\n...';

const MCP_SIZE_MARK = 'Error: result (';
const MCP_LIMIT_MARK = ') exceeds maximum allowed tokens';
const MCP_PATH_MARK = 'saved to ';

/** Whether a tool result is a notice that the output is in a file: the tagged form, or that of MCP tools. */
export function isPersistedOutput(text: string): boolean {
  return parsePersistedOutput(text) !== null;
}

/** Parses the notice; null if the text is not one. Linear in the length of the text. */
export function parsePersistedOutput(text: string): PersistedOutput | null {
  const start = text.trimStart();
  if (start.startsWith(OPEN_TAG)) return parseTagged(start);
  return start.startsWith(MCP_SIZE_MARK) ? parseMcp(start) : null;
}

function parseTagged(text: string): PersistedOutput | null {
  const sentence = lineAt(text, text.indexOf(SIZE_MARK));
  const path = after(sentence, PATH_MARK);
  if (path === null) return null;
  return {
    sizeDescription: between(sentence, SIZE_MARK, ')') ?? '',
    filePath: path.trim(),
    preview: previewOf(text),
  };
}

function previewOf(text: string): string {
  const mark = text.indexOf(PREVIEW_MARK);
  const start = mark < 0 ? -1 : text.indexOf('\n', mark + PREVIEW_MARK.length);
  if (start < 0) return '';
  const close = text.lastIndexOf(CLOSE_TAG);
  const body = text.slice(start + 1, close < 0 ? text.length : close).trimEnd();
  return body.endsWith(MORE_MARK) ? body.slice(0, -MORE_MARK.length) : body;
}

function parseMcp(text: string): PersistedOutput | null {
  const sentence = lineAt(text, 0);
  const size = between(sentence, MCP_SIZE_MARK, MCP_LIMIT_MARK);
  const path = after(sentence, MCP_PATH_MARK);
  if (size === null || path === null) return null;
  const trimmed = path.trim();
  return {
    sizeDescription: size,
    filePath: trimmed.endsWith('.') ? trimmed.slice(0, -1) : trimmed,
    preview: '',
  };
}

function lineAt(text: string, start: number): string {
  if (start < 0) return '';
  const end = text.indexOf('\n', start);
  return text.slice(start, end < 0 ? text.length : end);
}

/** The rest of the line after a mark; null if either is missing. */
function after(line: string, mark: string): string | null {
  const at = line.indexOf(mark);
  const rest = at < 0 ? '' : line.slice(at + mark.length);
  return rest.trim() === '' ? null : rest;
}

function between(line: string, open: string, close: string): string | null {
  const start = line.indexOf(open);
  const end = start < 0 ? -1 : line.indexOf(close, start + open.length);
  return end < 0 ? null : line.slice(start + open.length, end);
}

/**
 * Large outputs are saved beside the transcript and named in the text. The path may be written by the model, so only a
 * plain file name directly under a `tool-results` folder is accepted, and only in the session's own folder.
 */
const SAFE_NAME = /^[A-Za-z0-9_.-]{1,128}\.(?:txt|json)$/;
const SIZE = /^([0-9.]{1,12}) ?([KMG]?B)$/;
const UNIT_BYTES: ReadonlyMap<string, number> = new Map([
  ['B', 1],
  ['KB', 1024],
  ['MB', 1024 ** 2],
  ['GB', 1024 ** 3],
]);

/** The reference in a result's text, or null if there is none. */
export function persistedOutputIn(text: string): PersistedOutputRef | null {
  const notice = parsePersistedOutput(text);
  return notice === null ? null : persistedRef(notice.filePath, sizeOf(notice.sizeDescription));
}

/** "105.1KB" in bytes; null for a size in characters. */
function sizeOf(description: string): number | null {
  const match = SIZE.exec(description);
  if (match === null) return null;
  const sizeBytes = Math.round(Number(match[1]) * (UNIT_BYTES.get(match[2] as string) ?? 1));
  return Number.isSafeInteger(sizeBytes) ? sizeBytes : null;
}

export function persistedRef(path: string, sizeBytes: number | null): PersistedOutputRef {
  const parts = path.split(/[\\/]/);
  const name = parts.at(-1) ?? '';
  const isInside = parts.at(-2) === 'tool-results' && !parts.includes('..');
  return { fileName: isInside && SAFE_NAME.test(name) && !name.startsWith('.') ? name : null, sizeBytes };
}
