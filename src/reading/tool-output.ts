import { taggedText } from '../domain/client-tags.ts';

/** A line of a file as the Read tool returns it. */
export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** Output of Read: numbered lines, and the client's remarks around them. */
export interface ReadOutput {
  readonly lines: readonly NumberedLine[];
  readonly remarks: string;
}

/** `     1→text`, or `1<tab>text` in newer clients. */
const NUMBERED = /^ {0,10}(\d{1,9})(?:→|\t)(.*)$/s;

/** Null if the output has no numbered lines: an error, an image, an empty file. */
export function readNumberedLines(output: string): ReadOutput | null {
  const lines: NumberedLine[] = [];
  const remarks: string[] = [];
  for (const raw of output.split('\n')) {
    const match = NUMBERED.exec(raw.replace(/\r$/, ''));
    const number = Number(match?.[1]);
    // Lines are consecutive; anything else that looks numbered belongs to the remarks after the file.
    const isNext = match !== null && (lines.length === 0 || number === (lines.at(-1)?.number ?? 0) + 1);
    if (isNext) lines.push({ number, text: match[2] ?? '' });
    else remarks.push(raw);
  }
  return lines.length === 0 ? null : { lines, remarks: remarks.join('\n').trim() };
}

/** A file found by Grep, Glob or LS. */
export interface FoundFile {
  readonly path: string;
  /** Matches in the file; null if the tool did not count them. */
  readonly count: number | null;
  readonly lines: readonly FoundLine[];
}

export interface FoundLine {
  readonly number: number | null;
  readonly text: string;
  /** False for a line of context around a match. */
  readonly isMatch: boolean;
}

export interface SearchOutput {
  readonly files: readonly FoundFile[];
  /** The rest of the output: `Found 29 files`, a note about truncation. */
  readonly remarks: readonly string[];
}

export type SearchMode = 'content' | 'files' | 'count';

export function readSearchOutput(output: string, mode: SearchMode): SearchOutput {
  const lines = output.split('\n').filter((line) => line !== '' && line !== '--');
  const matches = lines.map((line) => (REMARK.test(line) ? null : readMatch(line, mode)));
  const paths = new Set(matches.flatMap((match) => match?.path ?? []));
  const remarks: string[] = [];
  const files = new Map<string, { count: number | null; lines: FoundLine[] }>();
  for (const [at, line] of lines.entries()) {
    const match = matches[at] ?? null;
    const found = mode === 'content' ? (readContext(line, paths) ?? match) : match;
    if (found === null) {
      remarks.push(line);
      continue;
    }
    const file = files.get(found.path) ?? { count: null, lines: [] };
    files.set(found.path, file);
    if (found.count !== null) file.count = (file.count ?? 0) + found.count;
    if (found.line !== null) file.lines.push(found.line);
  }
  return { files: [...files].map(([path, file]) => ({ path, ...file })), remarks };
}

interface Found {
  readonly path: string;
  readonly count: number | null;
  readonly line: FoundLine | null;
}

const REMARK = /^(?:Found \d+ |No (?:files|matches) found|\(Results are truncated|\[Showing results|<)/;
/** `src/a.ts:12:text` or `src/a.ts:text`; a Windows path starts with a drive letter. */
const MATCH = /^((?:[A-Za-z]:[\\/])?[^:\n]{1,4096}):(?:(\d{1,9}):)?(.*)$/s;

function readMatch(line: string, mode: SearchMode): Found | null {
  if (mode === 'files') return { path: line, count: null, line: null };
  const match = MATCH.exec(line);
  const [, path = '', number, text = ''] = match ?? [];
  if (match === null || (mode === 'count' && !/^\d{1,9}$/.test(text))) return null;
  if (mode === 'count') return { path, count: Number(text), line: null };
  return { path, count: 1, line: { number: number === undefined ? null : Number(number), text, isMatch: true } };
}

/** `src/a.ts-12-text`, a line around a match. Names contain hyphens too, so the path must be one with a match. */
function readContext(line: string, paths: ReadonlySet<string>): Found | null {
  for (const match of line.slice(0, MAX_PATH_CHARS).matchAll(/-(\d{1,9})-/g)) {
    const path = line.slice(0, match.index);
    if (!paths.has(path)) continue;
    const text = line.slice(match.index + match[0].length);
    return { path, count: null, line: { number: Number(match[1]), text, isMatch: false } };
  }
  return null;
}

const MAX_PATH_CHARS = 4096;

export interface WebLink {
  readonly title: string;
  readonly url: string;
}

export interface WebSearchOutput {
  readonly links: readonly WebLink[];
  /** The text around the links, as Markdown. */
  readonly text: string;
}

/** `Links: [{"title":…,"url":…},…]`, once or several times between paragraphs. */
export function readWebSearchOutput(output: string): WebSearchOutput {
  const links: WebLink[] = [];
  const rest: string[] = [];
  for (const line of output.split('\n')) {
    const found = line.startsWith('Links: [') ? readLinks(line.slice('Links: '.length)) : null;
    if (found !== null) links.push(...found);
    else if (!line.startsWith('Web search results for query:')) rest.push(line);
  }
  return { links, text: rest.join('\n').trim() };
}

function readLinks(json: string): readonly WebLink[] | null {
  try {
    const list: unknown = JSON.parse(json);
    if (!Array.isArray(list)) return null;
    return list.flatMap((each: unknown) => {
      const { title, url } = (each ?? {}) as { readonly title?: unknown; readonly url?: unknown };
      return typeof title === 'string' && typeof url === 'string' ? [{ title, url }] : [];
    });
  } catch {
    return null;
  }
}

/** Output of a background command: `<status>running</status> <stdout>…</stdout>`. */
export interface BackgroundOutput {
  readonly status: string | null;
  readonly exitCode: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function readBackgroundOutput(output: string): BackgroundOutput | null {
  const status = taggedText(output, 'status') ?? taggedText(output, 'retrieval_status');
  const stdout = taggedText(output, 'stdout') ?? taggedText(output, 'output');
  if (status === null && stdout === null) return null;
  return {
    status,
    exitCode: taggedText(output, 'exit_code'),
    stdout: stdout ?? '',
    stderr: taggedText(output, 'stderr') ?? '',
  };
}

export interface ListedTask {
  readonly id: string;
  readonly status: string;
  readonly text: string;
}

/** `#1 [completed] Research plan mode (alice)`, one line per task. */
export function readTaskList(output: string): readonly ListedTask[] {
  return output.split('\n').flatMap((line) => {
    const match = /^#(\S{1,40}) \[(\w{1,40})\] (.+)$/.exec(line);
    return match === null ? [] : [{ id: match[1] ?? '', status: match[2] ?? '', text: match[3] ?? '' }];
  });
}

/** The client wraps its own errors in a tag. */
export function errorText(output: string): string {
  return taggedText(output, 'tool_use_error') ?? output;
}

/** The client replaces a result that is too large by a notice with its beginning, in a tag. */
export function withoutNoticeTag(output: string): string {
  const isNotice = output.trimStart().startsWith('<persisted-output>');
  return isNotice ? (taggedText(output, 'persisted-output') ?? output) : output;
}
