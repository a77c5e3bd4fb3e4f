import { GetObjectCommand, paginateListObjectsV2, PutObjectCommand } from '@aws-sdk/client-s3';
import type { ArchiveJournal, Clock } from '../domain/ports.ts';
import type { JsonObject } from '../domain/transcript.ts';
import { ulid } from '../lib/ulid.ts';
import { parseJournal } from './journal-lines.ts';
import { makeClient, type S3BlobsOptions, type S3Connection } from './s3.ts';
import { s3Unavailable } from './s3-errors.ts';

/** One object a record, `<prefix>journal/<ulid>.jsonl`: any number of processes write without meeting. */
export function openS3Journal(options: S3BlobsOptions & { readonly clock: Clock }): ArchiveJournal {
  const { bucket, region, endpoint = `Amazon S3 in ${region}`, prefix = '' } = options;
  const connection = { client: makeClient(options), place: { bucket, endpoint }, keyPrefix: `${prefix}journal/` };
  return {
    append: (record) => putText(connection, `${ulid(options.clock.now())}.jsonl`, `${JSON.stringify(record)}\n`),
    flush: async () => {},
    read: () => readAll(connection),
  };
}

async function putText({ client, place, keyPrefix }: S3Connection, name: string, text: string): Promise<void> {
  try {
    await client.send(new PutObjectCommand({ Bucket: place.bucket, Key: keyPrefix + name, Body: text }));
  } catch (error) {
    throw s3Unavailable(error, 'write the archive journal', place);
  }
}

async function* readAll({ client, place, keyPrefix }: S3Connection): AsyncGenerator<JsonObject> {
  try {
    for await (const page of paginateListObjectsV2({ client }, { Bucket: place.bucket, Prefix: keyPrefix })) {
      for (const { Key } of page.Contents ?? []) {
        const object = await client.send(new GetObjectCommand({ Bucket: place.bucket, Key }));
        yield* parseJournal((await object.Body?.transformToString()) ?? '');
      }
    }
  } catch (error) {
    throw s3Unavailable(error, 'read the archive journal', place);
  }
}
