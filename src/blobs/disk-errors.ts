import { FuelError, fileReasonOf, toFuelError } from '../domain/errors.ts';

export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return error.code;
}

/** What the file system said, as blob_unavailable; ours pass unchanged, a defect is `internal`. */
export function diskUnavailable(error: unknown, doing: { readonly act: string; readonly path: string }): FuelError {
  const errno = errnoOf(error);
  if (error instanceof FuelError || errno === undefined) return toFuelError(error);
  const { why, hint } = fileReasonOf(errno);
  return new FuelError('blob_unavailable', `Could not ${doing.act} ${doing.path}: ${why}.`, { hint, cause: error });
}
