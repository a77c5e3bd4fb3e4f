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
  why: () => 'access denied',
  hint: 'Check the access key and secret, and that they may get, put, delete and list objects in the bucket.',
};
const REGION: Answer = {
  why: () => 'the bucket belongs to another region or endpoint',
  hint: 'Fix the S3 region or endpoint in the configuration.',
};

const BY_NAME: Readonly<Record<string, Answer>> = {
  NoSuchBucket: {
    why: ({ bucket }) => `the bucket ${bucket} does not exist`,
    hint: 'Create the bucket, or fix its name in the configuration.',
  },
  RequestTimeTooSkewed: {
    why: () => 'the clocks of this machine and the object store differ too much',
    hint: 'Synchronize the clock of this machine (NTP), then try again.',
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
      why: () => `the object store is unreachable (${said})`,
      hint: 'Check the endpoint and the network. Pending data is stored once it is reachable.',
    };
  }
  if (status === 401 || status === 403) return RIGHTS;
  if (status === 301 || status === 307) return REGION;
  if (status === 429 || status >= 500) {
    return {
      why: () => `the object store is overloaded or failing (${status} ${nameOf(error)})`,
      hint: 'No action needed; pending data is stored once it has recovered.',
    };
  }
  return { why: () => `it responded with ${status} ${nameOf(error)} (${said})`, hint: 'Check the S3 settings.' };
}
