import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import { buffer } from 'node:stream/consumers';
import S3rver, { type FileStore } from 's3rver';

/**
 * s3rver reports success before the bytes are on disk, and concurrent readers see incomplete objects. In S3 an object
 * is complete or absent: each of its files is written to a temporary path and renamed, the bytes last.
 */
function putWhole(store: FileStore): void {
  const settle = (bucket: string, key: string, beside: string, resource: string) =>
    rename(store.getResourcePath(bucket, beside, resource), store.getResourcePath(bucket, key, resource));
  store.putObject = async ({ bucket, key, content, metadata }) => {
    const bytes = Buffer.isBuffer(content) ? content : await buffer(content);
    const md5 = createHash('md5').update(bytes).digest('hex');
    const beside = `${key}.${randomUUID()}`;
    const part = store.getResourcePath(bucket, beside, 'part');
    await mkdir(dirname(part), { recursive: true });
    await writeFile(part, bytes);
    await store.putMetadata(bucket, beside, metadata, md5);
    await settle(bucket, key, beside, 'metadata.json');
    await settle(bucket, key, beside, 'object.md5');
    await rename(part, store.getResourcePath(bucket, key, 'object'));
    return { size: bytes.length, md5 };
  };
}

/** Exits with the process that started it. */
process.once('disconnect', () => process.exit());
const server = new S3rver({ address: '127.0.0.1', port: 0, directory: process.argv[2] as string, silent: true });
putWhole(server.store);
const { port } = await server.run();
process.send?.(port);
