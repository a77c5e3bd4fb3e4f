import type { Config } from '../config.ts';
import { FuelError } from '../domain/errors.ts';

/** The configured bucket. Errors: bad_config without keys. */
export function bucketOptions(config: Config, bucket: string) {
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  if (accessKeyId === null || secretAccessKey === null) {
    throw new FuelError('bad_config', 'S3_BUCKET is set, but S3_ACCESS_KEY_ID or S3_SECRET_ACCESS_KEY is missing.', {
      hint: 'Set both, or unset S3_BUCKET to keep the archive in the data folder.',
    });
  }
  return {
    bucket,
    region: config.s3Region,
    accessKeyId,
    secretAccessKey,
    forcePathStyle: config.s3ForcePathStyle,
    prefix: config.s3Prefix,
    ...(config.s3Endpoint === null ? {} : { endpoint: config.s3Endpoint }),
  };
}
