import type { Call, Scribe } from './scribe.ts';

/** A file of the demo home, relative to it. */
export interface DemoFile {
  readonly path: string;
  readonly text: string;
  readonly modifiedAt: Date;
}

const NOT_KEPT = /[^A-Za-z0-9]/g;

/** `projects/<folder>` as the client names it: every character but letters and digits becomes a dash. */
export function projectFolder(cwd: string): string {
  return `projects/${cwd.replace(NOT_KEPT, '-')}`;
}

export function transcriptFile(path: string, scribe: Scribe): DemoFile {
  return { path, text: `${scribe.lines.join('\n')}\n`, modifiedAt: new Date(scribe.now()) };
}

export const HARBOUR = '/home/mira/projects/harbour-ferry';
export const LEDGER = '/home/mira/projects/tea-ledger';
export const STARS = '/home/mira/projects/hoshi-zu';
export const LIGHTHOUSE = '/home/mira/projects/lighthouse';

/** A moment before the given one. */
export function ago(now: Date, days: number, hours = 0, minutes = 0): Date {
  return new Date(now.getTime() - ((days * 24 + hours) * 60 + minutes) * 60_000);
}

/** Sample ids; the first digits distinguish the sessions in a list. */
export function sessionId(first: string): string {
  return `${first}-5e55-4d0e-8a11-0000fe11c0de`;
}

interface Extra {
  readonly say?: string;
  readonly think?: string;
  readonly seconds?: number;
}

interface Bash extends Extra {
  readonly command: string;
  readonly about: string;
  readonly output: string;
  readonly exitCode?: number;
}

export function bash({ command, about, output, exitCode = 0, ...extra }: Bash): Call {
  const input = { command, description: about };
  if (exitCode !== 0)
    return { name: 'Bash', input, output: `Exit code ${exitCode}\n${output}`, isError: true, ...extra };
  const structured = { stdout: output, stderr: '', interrupted: false, isImage: false, noOutputExpected: false };
  return { name: 'Bash', input, output, structured, ...extra };
}

interface Read extends Extra {
  readonly path: string;
  readonly content: string;
}

export function read({ path, content, ...extra }: Read): Call {
  const lines = content.split('\n');
  const numbered = lines.map((line, index) => `${index + 1}\t${line}`).join('\n');
  const file = { filePath: path, content, numLines: lines.length, startLine: 1, totalLines: lines.length };
  return { name: 'Read', input: { file_path: path }, output: numbered, structured: { type: 'text', file }, ...extra };
}

interface Edit extends Extra {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export function edit({ path, before, after, ...extra }: Edit): Call {
  const old = before.split('\n');
  const fresh = after.split('\n');
  const patch = {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: fresh.length,
    lines: [...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)],
  };
  const structured = {
    filePath: path,
    oldString: before,
    newString: after,
    originalFile: before,
    structuredPatch: [patch],
    userModified: false,
    replaceAll: false,
  };
  const input = { replace_all: false, file_path: path, old_string: before, new_string: after };
  return { name: 'Edit', input, output: `The file ${path} has been updated successfully.`, structured, ...extra };
}

interface Write extends Extra {
  readonly path: string;
  readonly content: string;
}

export function write({ path, content, ...extra }: Write): Call {
  const structured = { type: 'create', filePath: path, content, structuredPatch: [], originalFile: null };
  return {
    name: 'Write',
    input: { file_path: path, content },
    output: `File created successfully at: ${path}`,
    structured,
    ...extra,
  };
}

interface Grep extends Extra {
  readonly pattern: string;
  readonly files: readonly string[];
}

export function grep({ pattern, files, ...extra }: Grep): Call {
  const structured = { mode: 'files_with_matches', filenames: files, numFiles: files.length };
  const output = `Found ${files.length} files\n${files.join('\n')}`;
  return { name: 'Grep', input: { pattern, output_mode: 'files_with_matches' }, output, structured, ...extra };
}
