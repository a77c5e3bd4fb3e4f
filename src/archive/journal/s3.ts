import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import type { ArchiveJournal, Clock, EraseDecision } from '../../domain/ports.ts';
import type { JsonObject } from '../../domain/transcript.ts';
import { nextUlid } from '../../lib/ids.ts';
import { connectS3, type S3BlobsOptions, type S3Connection } from '../blobs/s3.ts';
import { s3Unavailable } from '../blobs/s3-errors.ts';
import { journalLine, parseJournalLine } from './lines.ts';

/**
 * Opens a journal with one object per append, `<prefix>journal/<ulid>.jsonl`, so that processes never conflict. Records of
 * one process keep their order, which decides between two changes of the same item within a millisecond.
 */
export function openS3Journal(options: S3BlobsOptions & { readonly clock: Clock }): ArchiveJournal {
  const { prefix = '' } = options;
  const connection = connectS3(options, 'journal/');
  const { bucket, endpoint } = connection.location;
  const append = (...records: JsonObject[]) => {
    const key = `${connection.keyPrefix}${nextUlid(options.clock.now())}.jsonl`;
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
    erase: (decide) => erase(connection, append, decide),
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
  const { keyPrefix } = connection;
  for await (const key of listKeys(connection)) {
    const text = await readText(connection, key);
    const lines = text.split('\n').filter((line) => line !== '');
    const readable = lines.filter((line) => parseJournalLine(line) !== 'damaged');
    if (readable.length === lines.length) continue;
    await putText(connection, asidePrefix + key.slice(keyPrefix.length), text);
    if (readable.length > 0) await putText(connection, key, `${readable.join('\n')}\n`);
    else await deleteObject(connection, key);
  }
}

async function deleteObject({ client, location }: S3Connection, key: string): Promise<void> {
  try {
    await client.send(new DeleteObjectCommand({ Bucket: location.bucket, Key: key }));
  } catch (error) {
    throw s3Unavailable(error, 'change the archive journal', location);
  }
}

/** The remaining records of an object are written as a new one before the object is deleted. */
async function erase(
  connection: S3Connection,
  append: (record: JsonObject) => Promise<void>,
  decide: EraseDecision,
): Promise<number> {
  let erased = 0;
  const keys = await Array.fromAsync(listKeys(connection));
  for (const key of keys) {
    const lines = (await readText(connection, key)).split('\n').filter((line) => line.trim() !== '');
    const parsed = lines.map((text) => ({ text, record: parseJournalLine(text) }));
    const decisions = parsed.map(({ text, record }) => decide({ text, record: record === 'damaged' ? null : record }));
    const isUntouched = decisions.every((decision) => decision === 'keep');
    // A damaged line that is kept cannot be rewritten; its object is left for the repair.
    if (isUntouched || parsed.some(({ record }, at) => decisions[at] === 'keep' && record === 'damaged')) continue;
    for (const [at, { record }] of parsed.entries()) {
      const decision = decisions[at];
      if (typeof decision === 'object') await append(decision);
      else if (decision === 'keep' && record !== null && record !== 'damaged') await append(record);
      else erased++;
    }
    await deleteObject(connection, key);
  }
  return erased;
}
