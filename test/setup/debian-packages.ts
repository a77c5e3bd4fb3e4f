import { execFile } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const APT_TIMEOUT_MS = 15 * 60_000;
const APT_OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

/** The first of `names` that is executable on PATH, or undefined. */
export async function findOnPath(names: readonly string[]): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const candidate of names.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Installs Debian packages as root, or with `sudo -n` as another user. `commandsBefore` run with the same privileges.
 * Throws an error that says what to do if this is not possible.
 */
export async function installDebianPackages(options: {
  readonly packages: readonly string[];
  readonly neededFor: string;
  readonly insteadDo: string;
  readonly commandsBefore?: readonly (readonly string[])[];
}): Promise<void> {
  const { packages, neededFor, insteadDo, commandsBefore = [] } = options;
  const wanted = packages.join(', ');
  const refuse = (why: string, cause?: unknown) =>
    new Error(`${neededFor} needs ${wanted}, which is not installed, and ${why}. ${insteadDo}`, { cause });
  if (!existsSync('/usr/bin/apt-get')) throw refuse('this machine has no apt-get to install it with');
  const prefix = await rightsPrefix();
  if (prefix === undefined) throw refuse('neither root rights nor a password-free sudo are there to install it');
  console.warn(`[test setup] installing ${wanted} with apt-get for: ${neededFor}`);
  // Non-interactive: wait for other apt runs, keep existing configuration files.
  const unattended = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Dpkg::Options::=--force-confold'];
  const steps = [
    ...commandsBefore,
    ['apt-get', ...unattended, 'update'],
    ['apt-get', ...unattended, 'install', '-y', '--no-install-recommends', ...packages],
  ];
  try {
    for (const step of steps) await runAs(prefix, step);
  } catch (error) {
    throw refuse(`apt-get could not install it (${lastLine(error)})`, error);
  }
}

/**
 * The command prefix for root privileges: empty for root, `sudo -n` if it needs no password, undefined if neither
 * works.
 */
async function rightsPrefix(): Promise<readonly string[] | undefined> {
  if (process.getuid?.() === 0) return [];
  const works = await run('sudo', ['-n', 'true']).then(
    () => true,
    () => false,
  );
  return works ? ['sudo', '-n'] : undefined;
}

async function runAs(prefix: readonly string[], command: readonly string[]): Promise<void> {
  // `env` passes the setting through sudo, which clears the environment.
  const [file = '', ...args] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', ...command];
  await run(file, args, { timeout: APT_TIMEOUT_MS, maxBuffer: APT_OUTPUT_MAX_BYTES });
}

function lastLine(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
  return text.trim().split('\n').at(-1) ?? 'no message';
}
