import { errnoOf, FuelError, fileReasonOf, toFuelError } from '../../domain/errors.ts';

/** What the file system said, as blob_unavailable; ours pass unchanged, a defect is `internal`. */
export function diskUnavailable(error: unknown, doing: { readonly act: string; readonly path: string }): FuelError {
  if (error instanceof FuelError || errnoOf(error) === undefined) return toFuelError(error);
  const { why, hint } = fileReasonOf(error);
  return new FuelError('blob_unavailable', `Could not ${doing.act} ${doing.path}: ${why}.`, { hint, cause: error });
}
