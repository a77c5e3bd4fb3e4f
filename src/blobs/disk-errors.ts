import { FuelError, toFuelError } from '../domain/errors.ts';

const REASONS: Readonly<Record<string, { readonly why: string; readonly hint: string }>> = {
  ENOSPC: {
    why: 'the disk is full',
    hint: 'Free some space on that disk, then try again; nothing half-written is left.',
  },
  EDQUOT: { why: 'the disk quota is used up', hint: 'Free some space or raise the quota, then try again.' },
  EACCES: { why: 'permission is denied', hint: 'Make the folder belong to the account that runs fuel-code.' },
  EPERM: { why: 'permission is denied', hint: 'Make the folder belong to the account that runs fuel-code.' },
  EROFS: { why: 'the file system is read-only', hint: 'Mount it writable, or choose another data folder.' },
  ENOTDIR: { why: 'a part of that path is a file, not a folder', hint: 'Choose another data folder.' },
  EMFILE: { why: 'too many files are open', hint: 'Try again, or raise the limit of open files (ulimit -n).' },
  EIO: { why: 'the disk reports an error of its own', hint: 'Check the disk; restore the archive from a backup.' },
};

export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return error.code;
}

/** What the file system said, as blob_unavailable; ours pass unchanged, a defect is `internal`. */
export function diskUnavailable(error: unknown, doing: { readonly act: string; readonly path: string }): FuelError {
  const errno = errnoOf(error);
  if (error instanceof FuelError || errno === undefined) return toFuelError(error);
  const { why, hint } = REASONS[errno] ?? {
    why: `the system answered ${errno}`,
    hint: 'Check that folder and its disk.',
  };
  return new FuelError('blob_unavailable', `Could not ${doing.act} ${doing.path}: ${why}.`, { hint, cause: error });
}
