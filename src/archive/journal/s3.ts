import { DeleteObjectCommand, GetObjectCommand, paginateListObjectsV2, PutObjectCommand } from '@aws-sdk/client-s3';
import type { ArchiveJournal, Clock } from '../../domain/ports.ts';
import type { JsonObject } from '../../domain/transcript.ts';
import { ulid } from '../../lib/ids.ts';
import { journalLine, parseJournalLine } from './lines.ts';
import { makeClient, type S3BlobsOptions, type S3Connection } from '../blobs/s3.ts';
import { s3Unavailable } from '../blobs/s3-errors.ts';

/** Opens a journal with one object per append, `<prefix>journal/<ulid>.jsonl`, so that processes never conflict. */
export function openS3Journal(options: S3BlobsOptions & { readonly clock: Clock }): ArchiveJournal {
  const { bucket, region, endpoint = `Amazon S3 in ${region}`, prefix = '' } = options;
  const connection = { client: makeClient(options), location: { bucket, endpoint }, keyPrefix: `${prefix}journal/` };
  const append = (...records: JsonObject[]) => {
    const key = `${connection.keyPrefix}${ulid(options.clock.now())}.jsonl`;
    return putText(connection, key, records.map(journalLine).join(''));
  };
  return {
    name: `s3 ${endpoint}/${bucket}/${prefix}`,
    append,
    flush: async () => {},
    read: (onDamaged) => readAll(connection, onDamaged),
    isEmpty: async () => (await listKeys(connection).next()).done === true,
    repair: async (missing) => {
      if (missing.length > 0) await append(...missing);
      await setDamagedAside(connection, `${prefix}journal-damaged/`);
    },
  };
}

async function putText({ client, location }: S3Connection, key: string, text: string): Promise<void> {
  try {
    await client.send(new PutObjectCommand({ Bucket: location.bucket, Key: key, Body: text }));
  } catch (error) {
    throw s3Unavailable(error, 'write the archive journal', location);
  }
}

async function* listKeys({ client, location, keyPrefix }: S3Connection): AsyncGenerator<string> {
  try {
    for await (const page of paginateListObjectsV2({ client }, { Bucket: location.bucket, Prefix: keyPrefix })) {
      for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key;
    }
  } catch (error) {
    throw s3Unavailable(error, 'read the archive journal', location);
  }
}

async function readText({ client, location }: S3Connection, key: string): Promise<string> {
  try {
    const object = await client.send(new GetObjectCommand({ Bucket: location.bucket, Key: key }));
    return (await object.Body?.transformToString()) ?? '';
  } catch (error) {
    throw s3Unavailable(error, 'read the archive journal', location);
  }
}

async function* readAll(
  connection: S3Connection,
  onDamaged: (position: string) => void = () => {},
): AsyncGenerator<JsonObject> {
  for await (const key of listKeys(connection)) {
    for (const line of (await readText(connection, key)).split('\n')) {
      const record = parseJournalLine(line);
      if (record === 'damaged') onDamaged(`object ${key}`);
      else if (record !== null) yield record;
    }
  }
}

async function setDamagedAside(connection: S3Connection, asidePrefix: string): Promise<void> {
  const { client, location, keyPrefix } = connection;
  for await (const key of listKeys(connection)) {
    const text = await readText(connection, key);
    const lines = text.split('\n').filter((line) => line !== '');
    const readable = lines.filter((line) => parseJournalLine(line) !== 'damaged');
    if (readable.length === lines.length) continue;
    await putText(connection, asidePrefix + key.slice(keyPrefix.length), text);
    if (readable.length > 0) {
      await putText(connection, key, `${readable.join('\n')}\n`);
      continue;
    }
    try {
      await client.send(new DeleteObjectCommand({ Bucket: location.bucket, Key: key }));
    } catch (error) {
      throw s3Unavailable(error, 'repair the archive journal', location);
    }
  }
}
