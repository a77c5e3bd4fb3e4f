import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

export interface S3Access {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

export interface RunningS3 {
  readonly access: S3Access;
  stop(): Promise<void>;
}

/** A server of the S3 protocol inside this process. Known gaps: it ignores If-None-Match and does not refuse a wrong secret. */
export async function startS3(): Promise<RunningS3> {
  const directory = await mkdtemp(join(tmpdir(), 'fuel-s3-'));
  const server = new S3rver({ address: '127.0.0.1', port: 0, directory, silent: true });
  const removeFolder = () => rm(directory, { recursive: true, force: true });
  const { port } = await server.run().catch(async (error: unknown) => {
    await removeFolder();
    throw error;
  });
  return {
    access: {
      endpoint: `http://127.0.0.1:${port}`,
      // s3rver knows exactly this one account.
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      region: 'us-east-1',
    },
    stop: async () => {
      await server.close();
      await removeFolder();
    },
  };
}
