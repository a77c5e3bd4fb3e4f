import { formatBytes } from '../../../reading/format.ts';

/** Longer texts in a line, such as images, are cut; copying has all of them. */
const MAX_TEXT_CHARS = 4_000;
const MAX_LINE_CHARS = 60_000;

/** A line of a transcript, indented; as it is if it is not valid JSON. */
export function prettyLine(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line), (_, value: unknown) => shortened(value), 2);
  } catch {
    return cutLine(line);
  }
}

function shortened(value: unknown): unknown {
  return typeof value === 'string' ? cut(value, MAX_TEXT_CHARS) : value;
}

export function cutLine(line: string): string {
  return cut(line, MAX_LINE_CHARS);
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)} … ${formatBytes(text.length - max)} more`;
}
