import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf, FuelError, fileReasonOf } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { makeFolder, OLD_TEMPORARY_MS, syncFolder } from '../../lib/private-file.ts';
import { JsonProblem } from './jsonc.ts';

/** The client's state file has an entry for every project, so it can be large. */
const MAX_SETTINGS_BYTES = 32 * 1024 * 1024;
const MAX_LINKS = 40;
const MAX_TRIES = 50;
const NEW_FILE_MODE = 0o600;
/** Error codes of file systems without hard links. */
const NO_HARD_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
const BOM = '\ufeff';

export const EMPTY_SETTINGS = '{}\n';

export function isEmptySettings(text: string): boolean {
  return /^\s*\{\s*\}\s*$/.test(text);
}

/** Reads a settings file without its byte order mark; null when it is missing or empty. */
export function readSettings(path: string): string | null {
  const file = readTarget(path);
  return file.text === null || file.text.trim() === '' ? null : file.text;
}

/**
 * Changes a settings file atomically and keeps its mode. A link is followed and its target written. If another program
 * changes the file meanwhile, `change` is called again with the new text. Returning null removes the file. Errors:
 * bad_config when the file cannot be read, parsed or replaced; busy when it keeps changing. Nothing is changed then.
 */
export function changeSettings(path: string, clock: Clock, change: (text: string | null) => string | null): boolean {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const file = readTarget(path);
    const isEmpty = file.text === null || file.text.trim() === '';
    const changed = parseSettings(path, file.text ?? '', () => change(isEmpty ? null : file.text));
    if (changed === (isEmpty ? null : file.text)) return false;
    if ((file.mode & 0o222) === 0) throw refuse(path, 'is read-only');
    if (attempt(path, () => replaceTarget(file, changed, clock))) return true;
  }
  throw new FuelError('busy', `${path} keeps being changed by another program.`, { hint: 'Try again in a moment.' });
}

/** Runs a parser on the text and turns its error into a message with path, line and reason. Errors: bad_config. */
export function parseSettings<T>(path: string, text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    const line = text.slice(0, error.offset).split('\n').length;
    throw refuse(path, `is invalid in line ${line}: ${error.message}`, error);
  }
}

interface Target {
  readonly path: string;
  readonly bytes: Buffer | null;
  readonly bom: string;
  readonly text: string | null;
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number } | null;
}

function readTarget(path: string): Target {
  const target = attempt(path, () => followLinks(path));
  const fd = attempt(path, () => openIfThere(target));
  if (fd === null) return { path: target, bytes: null, bom: '', text: null, mode: NEW_FILE_MODE, owner: null };
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw refuse(path, 'is not a regular file');
    if (stat.size > MAX_SETTINGS_BYTES) throw refuse(path, `is larger than ${MAX_SETTINGS_BYTES} bytes`);
    const bytes = readFileSync(fd);
    const text = decode(path, bytes);
    const bom = text.startsWith(BOM) ? BOM : '';
    const owner = { uid: stat.uid, gid: stat.gid };
    return { path: target, bytes, bom, text: text.slice(bom.length), mode: stat.mode & 0o7777, owner };
  } finally {
    closeSync(fd);
  }
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw refuse(path, 'is not UTF-8 text', cause);
  }
}

/** Resolves the chain of links, even when the last target does not exist yet. */
function followLinks(path: string): string {
  let target = resolve(path);
  for (let links = 0; links < MAX_LINKS; links++) {
    if (!lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) return target;
    target = resolve(dirname(target), readlinkSync(target));
  }
  throw refuse(path, 'is a circular link');
}

function openIfThere(path: string): number | null {
  try {
    // Non-blocking: a FIFO in place of the file would block forever.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** False when the file has changed since it was read. */
function replaceTarget(file: Target, text: string | null, clock: Clock): boolean {
  if (text === null) {
    if (!isUnchanged(file)) return false;
    rmSync(file.path);
    return true;
  }
  makeFolder(dirname(file.path), 0o700);
  sweepTemporaries(file.path, clock);
  const temporary = join(dirname(file.path), temporaryName(file.path, randomBytes(6).toString('hex')));
  try {
    writeTemporary(temporary, file, file.bom + text);
    return swap(file, temporary);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function swap(file: Target, temporary: string): boolean {
  if (file.bytes === null) return linkNew(temporary, file.path);
  if (!isUnchanged(file)) return false;
  renameSync(temporary, file.path);
  syncFolder(dirname(file.path));
  return true;
}

/** link(2) fails if the path exists, so another program's new file is not replaced. Without hard links, it may be. */
function linkNew(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
  } catch (error) {
    const code = errnoOf(error) ?? '';
    if (code === 'EEXIST') return false;
    if (!NO_HARD_LINKS.has(code)) throw error;
    renameSync(temporary, path);
  }
  syncFolder(dirname(path));
  return true;
}

function isUnchanged({ path, bytes }: Target): boolean {
  const fd = openIfThere(path);
  if (fd === null) return bytes === null;
  try {
    return bytes !== null && readFileSync(fd).equals(bytes);
  } finally {
    closeSync(fd);
  }
}

function writeTemporary(temporary: string, { mode, owner }: Target, text: string): void {
  const fd = openSync(temporary, 'wx', NEW_FILE_MODE);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    const mine = fstatSync(fd);
    if (owner !== null && (owner.uid !== mine.uid || owner.gid !== mine.gid)) fchownSync(fd, owner.uid, owner.gid);
    fchmodSync(fd, mode);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function temporaryName(path: string, random: string): string {
  return `.${basename(path)}.fuel-code-${random}.tmp`;
}

/** Removes files left by an installation that was killed. */
function sweepTemporaries(path: string, clock: Clock): void {
  const folder = dirname(path);
  const prefix = temporaryName(path, '').slice(0, -'.tmp'.length);
  for (const name of readdirSync(folder).filter((one) => one.startsWith(prefix) && one.endsWith('.tmp'))) {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stat && clock.now().getTime() - stat.mtimeMs > OLD_TEMPORARY_MS) rmSync(join(folder, name), { force: true });
  }
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof FuelError) throw cause;
    throw refuse(path, `cannot be read or replaced: ${fileReasonOf(cause).why}`, cause);
  }
}

function refuse(path: string, why: string, cause?: unknown): FuelError {
  return new FuelError('bad_config', `${path} ${why}. Nothing was changed.`, {
    hint: 'Fix the file or its folder and try again; docs/hooks.md and docs/mcp.md show how to do it by hand.',
    cause,
  });
}
