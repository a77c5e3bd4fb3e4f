import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Real git with a user name, without the configuration of the machine, and with a controlled clock. */
const BASE_ENV = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  GIT_EDITOR: 'true',
  LC_ALL: 'C',
};

export interface GitSandbox extends Disposable {
  readonly path: string;
  /** The time that git records from now on: ISO 8601, in whole seconds. */
  at(time: string): void;
  git(folder: string, ...args: string[]): string;
  /** A repository with one commit, on branch main. */
  init(name: string): string;
  write(path: string, text?: string): string;
  /** Writes a file with that name and commits it; returns the commit. */
  commit(folder: string, name: string, message?: string): string;
}

export function createGitSandbox(): GitSandbox {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'fuel-code-git-')));
  let date = '2026-11-01T10:00:00Z';
  const git = (folder: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'commit.gpgsign=false', '-c', 'protocol.file.allow=always', ...args], {
      cwd: folder,
      env: { ...BASE_ENV, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  const write = (name: string, text = `${name}\n`) => {
    const full = join(path, name);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };
  const commit = (folder: string, name: string, message = `add ${name}`) => {
    writeFileSync(join(folder, name), `${name}\n`);
    git(folder, 'add', '--', name);
    git(folder, 'commit', '-q', '-m', message);
    return git(folder, 'rev-parse', 'HEAD');
  };
  return {
    path,
    at: (time) => {
      date = time;
    },
    git,
    init: (name) => {
      const folder = join(path, name);
      mkdirSync(folder, { recursive: true });
      git(folder, 'init', '-q', '-b', 'main');
      commit(folder, 'first.txt', `first of ${name}`);
      return folder;
    },
    write,
    commit,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
