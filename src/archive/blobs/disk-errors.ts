import { errnoOf, FuelError, fileReasonOf, toFuelError } from '../../domain/errors.ts';

/** Turns a file system error into blob_unavailable; FuelErrors pass unchanged, a defect becomes `internal`. */
export function diskUnavailable(error: unknown, doing: { readonly act: string; readonly path: string }): FuelError {
  if (error instanceof FuelError || errnoOf(error) === undefined) return toFuelError(error);
  const { why, hint } = fileReasonOf(error);
  return new FuelError('blob_unavailable', `Could not ${doing.act} ${doing.path}: ${why}.`, { hint, cause: error });
}
