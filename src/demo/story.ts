import type { Scribe } from './scribe.ts';

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

/** A moment before the given one. */
export function ago(now: Date, days: number, hours = 0, minutes = 0): Date {
  return new Date(now.getTime() - ((days * 24 + hours) * 60 + minutes) * 60_000);
}

/** Made up but well-formed ids: the first digits tell the stories apart in a list. */
export function sessionId(first: string): string {
  return `${first}-5e55-4d0e-8a11-0000fe11c0de`;
}
