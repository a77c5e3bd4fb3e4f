import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { FuelError, fileReasonOf } from '../../domain/errors.ts';
import { makeFolder, makePrivateFolder } from '../../lib/private-file.ts';
import { addBlock, GIT_HOOKS, type GitHookName, hookBlock, readHookText, removeBlock } from './hook-block.ts';
import { findRepository, type Repository } from './repository.ts';
import type { RunGit } from './run-git.ts';

export interface GitHooksOptions {
  /** Any folder inside the repository. */
  readonly folder: string;
  /** The data folder; the hooks write to its spool. */
  readonly home: string;
  readonly git: RunGit;
}

export interface GitHooksReport {
  readonly repository: string;
  readonly hooks_folder: string;
  readonly hooks: readonly GitHookState[];
}

interface GitHookState {
  readonly name: GitHookName;
  readonly path: string;
  /** `outdated`: written by another version or for another data folder. */
  readonly state: 'installed' | 'outdated' | 'absent';
}

const NAMES = Object.keys(GIT_HOOKS) as GitHookName[];
const NEW_HOOK = '#!/bin/sh\n# Made by fuel-code.\n';
const ANY_EXECUTE = 0o111;

/**
 * Adds our block to four hooks of one repository, all or none. Existing hooks keep their input, output and exit code.
 * Errors: not_found without a repository, usage when a hook or its folder must not be changed; then nothing was
 * changed.
 */
export async function installGitHooks(options: GitHooksOptions): Promise<GitHooksReport> {
  const repository = repositoryOf(options.folder);
  const folder = await hooksFolder(options.git, repository);
  const changes = NAMES.map((name) => {
    const file = readHook(join(folder, name));
    refuseForeign(name, file);
    return { file, text: addBlock(file.text ?? NEW_HOOK, blockBytes(name, options.home)) };
  });
  writeAll(
    changes.filter(({ file, text }) => file.text !== text),
    () => {
      makePrivateFolder(join(options.home, 'spool'));
      makeFolder(folder, 0o777);
    },
  );
  return report(options, repository, folder);
}

/** Removes our block from both the default hooks folder and the one `core.hooksPath` names; every other byte stays. */
export async function uninstallGitHooks(options: GitHooksOptions): Promise<GitHooksReport> {
  const repository = repositoryOf(options.folder);
  const own = join(repository.commonDir, 'hooks');
  const folders = new Set([own, (await configuredFolder(options.git, repository)) ?? own]);
  const files = [...folders].flatMap((folder) => NAMES.map((name) => readHook(join(folder, name))));
  const ours = files.filter(({ text }) => text !== null && removeBlock(text) !== text);
  writeAll(ours.map((file) => ({ file, text: removeBlock(file.text ?? '') })));
  return report(options, repository, own);
}

/** Reports which hooks are installed in the folder git uses. Errors: not_found. */
export async function readGitHooks(options: GitHooksOptions): Promise<GitHooksReport> {
  const repository = repositoryOf(options.folder);
  const folder = (await configuredFolder(options.git, repository)) ?? join(repository.commonDir, 'hooks');
  return report(options, repository, folder);
}

function report({ home }: GitHooksOptions, { mainRoot }: Repository, folder: string): GitHooksReport {
  const hooks = NAMES.map((name): GitHookState => {
    const { path, text } = readHook(join(folder, name));
    const found = text === null ? null : readHookText(text);
    const block = found?.kind === 'shell' ? found.block : null;
    const isCurrent = block !== null && `${block}\n` === blockBytes(name, home);
    return { name, path, state: block === null ? 'absent' : isCurrent ? 'installed' : 'outdated' };
  });
  return { repository: mainRoot, hooks_folder: folder, hooks };
}

/** Latin-1, one character per byte, like the hook files it is inserted into. */
function blockBytes(name: GitHookName, home: string): string {
  return Buffer.from(hookBlock(name, home)).toString('latin1');
}

function repositoryOf(folder: string): Repository {
  const repository = findRepository(resolve(folder));
  if (repository !== null) return repository;
  throw new FuelError('not_found', `No git repository at ${resolve(folder)}.`, {
    hint: 'Pass a folder inside the repository, or change into it.',
  });
}

/** The folder `core.hooksPath` names, from any level of git configuration; null when unset. */
async function configuredFolder(git: RunGit, { root }: Repository): Promise<string | null> {
  const { stdout } = await git(root, ['config', '--type=path', '--get', 'core.hooksPath'], { showsHooksPath: true });
  const path = stdout.replace(/\n$/, '');
  return path === '' ? null : isAbsolute(path) ? path : join(root, path);
}

/** Finds the folder to install into. We never set `core.hooksPath`: that would disable existing hooks. */
async function hooksFolder(git: RunGit, repository: Repository): Promise<string> {
  const configured = await configuredFolder(git, repository);
  const folder = configured ?? join(repository.commonDir, 'hooks');
  const real = realOr(folder);
  const roots = [repository.root, repository.mainRoot, repository.commonDir].map((path) => path + sep);
  if (!roots.some((root) => real.startsWith(root))) {
    throw refusal(`The hooks folder ${folder} is outside this repository and shared with other repositories`);
  }
  if (real.startsWith(repository.commonDir + sep)) return folder;
  if (/[/\\]\.husky([/\\]|$)/.test(real)) {
    throw refusal(`The hooks in ${folder} are managed by husky, which overwrites them at every install`);
  }
  const listed = await git(repository.root, ['ls-files', '-z', '--', real]);
  const ignored = await git(repository.root, ['check-ignore', '-q', '--', join(real, 'post-commit')]);
  if (listed.stdout !== '' || ignored.failure !== null) {
    throw refusal(
      `The hooks in ${folder} are part of the project, so everyone who uses the repository would get the change`,
    );
  }
  return folder;
}

function refusal(what: string): FuelError {
  return new FuelError('usage', `${what}.`, {
    hint: 'Nothing was changed. Hooks are optional: fuel-code also reads git activity from the git logs, a little later.',
  });
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

interface HookFile {
  readonly path: string;
  /** Latin-1, one character per byte; null when the file does not exist. */
  readonly text: string | null;
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  readonly isRegular: boolean;
}

function readHook(path: string): HookFile {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { path, text: null, mode: 0o755, owner: null, isRegular: true };
  const isRegular = stat.isFile();
  const text = isRegular ? readFileSync(path, 'latin1') : null;
  return { path, text, mode: stat.mode & 0o7777, owner: { uid: stat.uid, gid: stat.gid }, isRegular };
}

function refuseForeign(name: GitHookName, file: HookFile): void {
  if (!file.isRegular) throw refusal(`The hook ${file.path} is not a regular file, so another program manages it`);
  if (file.text === null) return;
  const found = readHookText(file.text);
  if (found.kind !== 'shell') throw refusal(`Cannot edit the hook ${name}: ${found.why} (${file.path})`);
  if ((file.mode & ANY_EXECUTE) === 0) {
    throw refusal(`The hook ${file.path} is disabled (not executable), and installing would enable it`);
  }
}

interface Change {
  readonly file: HookFile;
  readonly text: string;
}

/** Writes every temporary file before the first rename, so a full disk changes nothing. */
function writeAll(changes: readonly Change[], prepare = () => {}): void {
  const written: { readonly from: string; readonly change: Change }[] = [];
  try {
    prepare();
    for (const change of changes) {
      const from = `${change.file.path}.${randomBytes(6).toString('hex')}.tmp`;
      written.push({ from, change });
      writeFileSync(from, change.text, { encoding: 'latin1', flag: 'wx', flush: true });
      chmodSync(from, change.file.mode);
      if (change.file.owner) copyOwner(from, change.file.owner);
    }
  } catch (cause) {
    for (const { from } of written) rmSync(from, { force: true });
    const { why } = fileReasonOf(cause);
    throw new FuelError('usage', `Cannot write the hooks: ${why}.`, { hint: 'Nothing was changed.', cause });
  }
  for (const { from, change } of written) {
    renameSync(from, change.file.path);
    if (change.text === NEW_HOOK) rmSync(change.file.path);
  }
}

/** Only root can change a file's owner, and only root needs to. */
function copyOwner(path: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  const stat = lstatSync(path);
  if (stat.uid !== uid || stat.gid !== gid) chownSync(path, uid, gid);
}
