import { join } from 'node:path';
import type { Config } from '../config.ts';
import { FuelError } from '../domain/errors.ts';
import type { ArchiveJournal, BlobStore, Clock } from '../domain/ports.ts';
import type { HeldFolder } from '../lib/data-folder.ts';

export interface Archive {
  readonly blobs: BlobStore;
  readonly journal: ArchiveJournal;
}

/** On disk or in a bucket. Errors: bad_config. */
export async function openArchive(config: Config, clock: Clock, folder: HeldFolder): Promise<Archive> {
  const blobs = await openBlobs(config, folder);
  if (config.s3Bucket === null) {
    const { openDiskJournal } = await import('../archive/journal/disk.ts');
    const path = join(config.home, 'archive', 'journal.jsonl');
    return { blobs, journal: openDiskJournal({ path, check: folder.check }) };
  }
  const { openS3Journal } = await import('../archive/journal/s3.ts');
  return { blobs, journal: openS3Journal({ ...bucketOptions(config, config.s3Bucket), clock }) };
}

/** The blobs on disk or in a bucket; the S3 code is loaded only if needed. Errors: bad_config. */
export async function openBlobs(
  config: Config,
  { check }: HeldFolder,
  { compressesHere = false } = {},
): Promise<BlobStore> {
  if (config.s3Bucket === null) {
    const { openDiskBlobs } = await import('../archive/blobs/disk.ts');
    return openDiskBlobs({ root: join(config.home, 'blobs'), check, compressesHere });
  }
  const { openS3Blobs } = await import('../archive/blobs/s3.ts');
  return openS3Blobs(bucketOptions(config, config.s3Bucket));
}

/** The configured bucket. Errors: bad_config without keys. */
function bucketOptions(config: Config, bucket: string) {
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
