import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { repairJournal } from '../archive/journal/compare.ts';
import { type RestoredFile, restorePath, restoreSession } from '../archive/restore.ts';
import { healArchive, type VerifyReport, verifyArchive } from '../archive/verify.ts';
import { encodeProjectPath } from '../capture/project-folder.ts';
import { shellWord } from '../lib/shell-word.ts';
import { loadSessionFiles } from '../store/queries/archive/archive.ts';
import type { App } from './open-app.ts';

export type { RestoredFile } from '../archive/restore.ts';

export interface RestoreTarget {
  /** The Claude home to write to; by default the original one. */
  readonly to?: string | undefined;
  /** The new working directory of the session. */
  readonly project?: string | undefined;
  readonly replaces: boolean;
  readonly now: Date;
}

export interface Restored {
  readonly session_id?: string;
  readonly resume_command: string | null;
  readonly files: readonly RestoredFile[];
}

/** A restored session, and how to continue it. */
export interface RestoredSession extends Restored {
  readonly session_id: string;
  readonly resume_command: string;
  /** Its working directory; null if unknown. */
  readonly folder: string | null;
  /** The variables that make Claude Code use the Claude home with the files. */
  readonly env: Readonly<Record<string, string>>;
}

/** Restores the files of a session to a Claude home. Errors: not_found, ambiguous. */
export async function restoreOne(app: App, idOrPrefix: string, target: RestoreTarget): Promise<RestoredSession> {
  const { id, cwd } = await app.get('/sessions/:id', { params: { id: idOrPrefix } });
  const own = await loadSessionFiles(app.store.engine.kysely, id);
  const options = optionsFor(app, target, [...new Set(own.map(({ root }) => root))]);
  const files = await restoreSession({ ...options, sessionId: id });
  const folder = target.project === undefined ? cwd : resolve(target.project);
  const isStandard = options.to === resolve(app.config.claudeHome);
  const env: Record<string, string> = isStandard ? {} : { CLAUDE_CONFIG_DIR: options.to };
  return { session_id: id, resume_command: resumeCommand(id, folder, env), folder, env, files };
}

/** Restores any other archived file or folder. Errors: not_found. */
export async function restoreByPath(app: App, path: string, target: RestoreTarget): Promise<Restored> {
  return { files: await restorePath(optionsFor(app, target, []), path), resume_command: null };
}

function optionsFor(app: App, { to, project, replaces, now }: RestoreTarget, roots: readonly string[]) {
  // A session is restored to its original home if that exists on this machine.
  const home = roots.find((root) => isAbsolute(root) && existsSync(root)) ?? app.config.claudeHome;
  return {
    engine: app.store.engine,
    blobs: app.blobs,
    to: resolve(to ?? home),
    projectFolder: project === undefined ? null : encodeProjectPath(resolve(project)),
    replaces,
    now,
  };
}

function resumeCommand(id: string, folder: string | null, env: RestoredSession['env']): string {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)} `);
  return `${folder === null ? '' : `cd ${shellWord(folder)} && `}${settings.join('')}claude --resume ${shellWord(id)}`;
}

export type { VerifyReport } from '../archive/verify.ts';

/** Checks the database and every archived byte. */
export function verify({ store, blobs, journal }: App, signal: AbortSignal): Promise<VerifyReport> {
  return verifyArchive({ engine: store.engine, blobs, journal, signal });
}

/** Stores damaged or lost blobs again from their source files and completes the journal. */
export async function heal({ store, blobs, journal, device }: App): Promise<{ blobs: number; captures: number }> {
  const healed = await healArchive({ engine: store.engine, blobs, deviceId: device.id });
  return { blobs: healed.length, captures: await repairJournal(store.engine, journal) };
}
