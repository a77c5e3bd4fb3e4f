import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { GetObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { sql } from 'kysely';
import type { App } from '../../src/app/open-app.ts';
import { withClient } from './test-bucket.ts';

/** Every place of the data folder, the database and the bucket that contains a text, raw or compressed. */
export async function findText(app: App, text: string): Promise<readonly string[]> {
  return (await findTexts(app, [text])).map(([place]) => place);
}

/** The same for several texts, with those that each place contains. */
export async function findTexts(
  app: App,
  texts: readonly string[],
): Promise<readonly (readonly [place: string, texts: readonly string[]])[]> {
  const found: (readonly [string, readonly string[]])[] = [];
  const look = (place: string, bytes: Uint8Array) => {
    const contents = [bytes, ...decompressed(bytes)].map((each) => Buffer.from(each).toString('latin1').toLowerCase());
    const here = texts.filter((text) => contents.some((content) => content.includes(text)));
    if (here.length > 0) found.push([place, here]);
  };
  for (const { name } of await app.store.engine.kysely.introspection.getTables()) {
    // The tables behind the text index of SQLite; their pages are read with the file.
    if (app.store.engine.name === 'sqlite' && name.startsWith('search_index')) continue;
    const { rows } = await sql`SELECT * FROM ${sql.table(name)}`.execute(app.store.engine.kysely);
    look(`table ${name}`, Buffer.from(JSON.stringify(rows)));
  }
  for (const entry of readdirSync(app.config.home, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    look(`file ${path.slice(app.config.home.length + 1)}`, readFileSync(path));
  }
  for (const [key, bytes] of await readBucket(app)) look(`object ${key}`, bytes);
  return found;
}

function decompressed(bytes: Uint8Array): readonly Uint8Array[] {
  try {
    return [zstdDecompressSync(bytes)];
  } catch {
    return [];
  }
}

async function readBucket({ config }: App): Promise<readonly (readonly [string, Uint8Array])[]> {
  const { s3Bucket: Bucket, s3Endpoint, s3Region, s3AccessKeyId, s3SecretAccessKey } = config;
  if (Bucket === null) return [];
  const access = {
    endpoint: s3Endpoint ?? '',
    region: s3Region,
    accessKeyId: s3AccessKeyId ?? '',
    secretAccessKey: s3SecretAccessKey ?? '',
  };
  return withClient(access, async (client) => {
    const objects: (readonly [string, Uint8Array])[] = [];
    for await (const page of paginateListObjectsV2({ client }, { Bucket })) {
      for (const { Key = '' } of page.Contents ?? []) {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
        objects.push([Key, (await Body?.transformToByteArray()) ?? new Uint8Array()]);
      }
    }
    return objects;
  });
}
