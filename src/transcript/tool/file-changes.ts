import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import type { FileTouch } from '../../domain/transcript-structure.ts';
import { asList, asObject, asText } from '../read/json.ts';

/** Files a call is about to touch, from its input. Results in sub-agent files have no structured form. */
export function filesOfInput(name: string, input: JsonObject): readonly FileTouch[] {
  const path = asText(input['file_path']) ?? asText(input['notebook_path']);
  if (path === null) return [];
  switch (name) {
    case 'Read':
    case 'NotebookRead':
      return [{ path, action: 'read', linesAdded: 0, linesRemoved: 0 }];
    case 'Write':
      return [{ path, action: 'create', linesAdded: countLines(asText(input['content']) ?? ''), linesRemoved: 0 }];
    case 'Edit':
      return [{ path, action: 'edit', ...replaced(input) }];
    case 'MultiEdit':
      return (asList(input['edits']) ?? []).flatMap((value) => {
        const edit = asObject(value);
        return edit === null ? [] : [{ path, action: 'edit', ...replaced(edit) } as const];
      });
    case 'NotebookEdit':
      return [{ path, action: 'edit', linesAdded: countLines(asText(input['new_source']) ?? ''), linesRemoved: 0 }];
    default:
      return [];
  }
}

const DRIVE = /^[A-Za-z]:[\\/]/;
const ABSOLUTE = /^(?:[\\/~]|[A-Za-z]:[\\/])/;
/** `./`, `../` and repeated separators. */
const DETOUR = /(?:^|[\\/])\.{1,2}(?:[\\/]|$)|[^\\/][\\/]{2}/;

/** The path of a file as the client resolves it; on Windows with backslashes and the drive letter as in the folder. */
export function absolutePath(path: string, cwd: string | null): string {
  const isRelative = !ABSOLUTE.test(path) && cwd !== null && ABSOLUTE.test(cwd);
  const full = isRelative ? `${cwd}/${path}` : path;
  const isOnDrive = DRIVE.test(full);
  const isSameDrive = isOnDrive && cwd?.charAt(0).toLowerCase() === full.charAt(0).toLowerCase();
  const drive = isSameDrive ? cwd.charAt(0) : full.charAt(0);
  const named = isOnDrive ? drive + full.slice(1).replaceAll('/', '\\') : full;
  return DETOUR.test(named) ? withoutDetours(named, isOnDrive ? '\\' : '/') : named;
}

function withoutDetours(path: string, separator: string): string {
  const parts: string[] = [];
  for (const part of path.split(separator)) {
    if (part === '..' && parts.length > 1) parts.pop();
    else if (part !== '.' && part !== '..' && (part !== '' || parts.length === 0)) parts.push(part);
  }
  return parts.join(separator);
}

function replaced(edit: JsonObject): Pick<FileTouch, 'linesAdded' | 'linesRemoved'> {
  return countReplaced(asText(edit['old_string']) ?? '', asText(edit['new_string']) ?? '');
}

const NEWLINE = 0x0a;

/** Added and removed lines of a `structuredPatch`; null if there is no hunk. */
export function countPatch(patch: JsonValue | undefined): Pick<FileTouch, 'linesAdded' | 'linesRemoved'> | null {
  const hunks = asList(patch);
  if (hunks === null || hunks.length === 0) return null;
  let [linesAdded, linesRemoved] = [0, 0];
  for (const hunk of hunks) {
    for (const line of asList(asObject(hunk)?.['lines']) ?? []) {
      if (typeof line !== 'string') continue;
      const sign = line.charCodeAt(0);
      if (sign === 0x2b) linesAdded += 1;
      else if (sign === 0x2d) linesRemoved += 1;
    }
  }
  return { linesAdded, linesRemoved };
}

/** Number of lines in a text; a final newline ends a line and does not start another. */
export function countLines(text: string): number {
  if (text === '') return 0;
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** Changed lines between two texts without a full diff: the rest after removing common whole lines at both ends. */
export function countReplaced(before: string, after: string): Pick<FileTouch, 'linesAdded' | 'linesRemoved'> {
  if (before === after) return { linesAdded: 0, linesRemoved: 0 };
  const head = commonHead(before, after);
  const tail = commonTail(before, after, head);
  return {
    linesAdded: countLines(after.slice(head, after.length - tail)),
    linesRemoved: countLines(before.slice(head, before.length - tail)),
  };
}

/** Length of the whole lines that both texts start with. */
function commonHead(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let lineStart = 0;
  for (let at = 0; at < most && before.charCodeAt(at) === after.charCodeAt(at); at += 1) {
    if (before.charCodeAt(at) === NEWLINE) lineStart = at + 1;
  }
  return lineStart;
}

/** Length of the whole lines that both texts end with, outside the common head. */
function commonTail(before: string, after: string, head: number): number {
  const most = Math.min(before.length, after.length) - head;
  let whole = 0;
  for (let back = 1; back <= most; back += 1) {
    const code = before.charCodeAt(before.length - back);
    if (code !== after.charCodeAt(after.length - back)) return whole;
    if (code === NEWLINE) whole = back - 1;
  }
  // The shorter text is exhausted: it counts as a line only if the other one has a line end there too.
  const [rest, other] = before.length <= after.length ? [before, after] : [after, before];
  const isAtLineStart = other.charCodeAt(other.length - most - 1) === NEWLINE;
  return most === rest.length - head && isAtLineStart ? most : whole;
}
