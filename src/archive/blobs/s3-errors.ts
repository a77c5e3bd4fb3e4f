import { FuelError } from '../../domain/errors.ts';

/** The location of the store, for error messages. */
export interface S3Location {
  readonly bucket: string;
  readonly endpoint: string;
}

interface Answer {
  readonly why: (location: S3Location) => string;
  readonly hint: string;
}

const RIGHTS: Answer = {
  why: () => 'it refuses our access key',
  hint: 'Check access key and secret, and that they may get, put, delete and list objects of that bucket.',
};
const REGION: Answer = {
  why: () => 'the bucket belongs to another region or endpoint',
  hint: 'Correct the S3 region or endpoint in the configuration.',
};

const BY_NAME: Readonly<Record<string, Answer>> = {
  NoSuchBucket: {
    why: ({ bucket }) => `there is no bucket ${bucket}`,
    hint: 'Create the bucket, or correct its name in the configuration.',
  },
  RequestTimeTooSkewed: {
    why: () => 'the clock of this machine and that of the store differ too much',
    hint: 'Set the clock of this machine (NTP), then try again.',
  },
  PermanentRedirect: REGION,
  AuthorizationHeaderMalformed: REGION,
};

export function statusOf(error: unknown): number | undefined {
  const metadata = error instanceof Error && '$metadata' in error ? error.$metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}

/** Turns an error of the object store into blob_unavailable; FuelErrors pass unchanged. */
export function s3Unavailable(error: unknown, act: string, location: S3Location): FuelError {
  if (error instanceof FuelError) return error;
  const { why, hint } = BY_NAME[nameOf(error)] ?? answerOfStatus(error);
  const message = `Could not ${act} in bucket ${location.bucket} at ${location.endpoint}: ${why(location)}.`;
  return new FuelError('blob_unavailable', message, { hint, cause: error });
}

function answerOfStatus(error: unknown): Answer {
  const status = statusOf(error);
  const said = error instanceof Error ? error.message : String(error);
  if (status === undefined) {
    return {
      why: () => `the store cannot be reached (${said})`,
      hint: 'Check the endpoint and the network; what waits is stored when it is back.',
    };
  }
  if (status === 401 || status === 403) return RIGHTS;
  if (status === 301 || status === 307) return REGION;
  if (status === 429 || status >= 500) {
    return {
      why: () => `the store is overloaded or failing (${status} ${nameOf(error)})`,
      hint: 'Nothing to do: what waits is stored when it has recovered.',
    };
  }
  return { why: () => `it answered ${status} ${nameOf(error)} (${said})`, hint: 'Check the S3 settings.' };
}
