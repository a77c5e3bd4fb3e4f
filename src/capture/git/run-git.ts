import { type ExecFileException, execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const TIMEOUT_MS = 15_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** Used when PATH is not set. */
const DEFAULT_SEARCH_PATH = [
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/opt/homebrew/bin',
  '/opt/local/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/run/current-system/sw/bin',
  join(homedir(), '.nix-profile/bin'),
].join(delimiter);

/**
 * A repository's own configuration can name programs to run; this overrides every one that our commands could start.
 * Nothing here needs a remote, so all protocols are disabled, including the implicit fetch of a partial clone.
 */
const SAFE_CONFIG = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.sshCommand=false',
  'core.alternateRefsCommand=false',
  'core.attributesFile=/dev/null',
  'credential.helper=',
  'log.showSignature=false',
  'log.showRoot=true',
  'protocol.allow=never',
  'submodule.recurse=false',
  'core.quotePath=false',
  'i18n.logOutputEncoding=UTF-8',
  'color.ui=false',
];

type GitFailure = 'no_git' | 'timeout' | 'too_much' | 'refused';

interface GitRun {
  readonly stdout: string;
  /** Null when git succeeded. */
  readonly failure: GitFailure | null;
}

/** Runs git in a folder. Never rejects: a repository that git cannot read only means that we know less. */
export type RunGit = (folder: string, args: readonly string[], options?: GitOptions) => Promise<GitRun>;

interface GitOptions {
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** Expose the repository's `core.hooksPath`, to find out where its hooks are. */
  readonly showsHooksPath?: boolean;
}

/**
 * Creates a runner that uses no shell, inherits no GIT_* variables and never searches parent folders for another
 * repository.
 */
export function createGitRunner({ searchPath = DEFAULT_SEARCH_PATH }: { readonly searchPath?: string } = {}): RunGit {
  return (folder, args, { timeoutMs = TIMEOUT_MS, maxBytes = MAX_OUTPUT_BYTES, showsHooksPath = false } = {}) =>
    new Promise((done) => {
      const config = SAFE_CONFIG.filter((entry) => !showsHooksPath || !entry.startsWith('core.hooksPath='));
      const words = ['--no-pager', '--no-replace-objects', '-C', folder, ...config.flatMap((entry) => ['-c', entry])];
      const options = {
        env: safeEnvironment(folder, searchPath),
        timeout: timeoutMs,
        maxBuffer: maxBytes,
        killSignal: 'SIGKILL',
        windowsHide: true,
      } as const;
      const child = execFile('git', [...words, ...args], options, (error, stdout) =>
        done({ stdout, failure: error === null ? null : failureOf(error) }),
      );
      child.stdin?.end();
    });
}

function safeEnvironment(folder: string, searchPath: string): Record<string, string> {
  return {
    PATH: searchPath,
    HOME: homedir(),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_CEILING_DIRECTORIES: dirname(folder),
  };
}

function failureOf({ code, killed }: ExecFileException): GitFailure {
  if (code === 'ENOENT') return 'no_git';
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'too_much';
  return killed ? 'timeout' : 'refused';
}
