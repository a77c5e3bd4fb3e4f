import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('s3-server.ts', import.meta.url));

export interface S3Access {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  /** Where our own server keeps buckets as folders; null for another server. */
  readonly folder: string | null;
}

export interface RunningS3 {
  readonly access: S3Access;
  stop(): Promise<void>;
}

/**
 * A server for the S3 protocol: the one named by TEST_S3_URL, else s3rver, which is used only in s3-server.ts. Its
 * gaps: it ignores If-None-Match and does not reject a wrong secret. It runs in a separate process because it encrypts
 * the tokens of long lists with a cipher that OpenSSL enables only on request.
 */
export async function startS3(): Promise<RunningS3> {
  const given = process.env['TEST_S3_URL'];
  if (given !== undefined && given !== '') return { access: accessOf(given), stop: async () => {} };
  const directory = await mkdtemp(join(tmpdir(), 'fuel-s3-'));
  const server = fork(SERVER, [directory], { execArgv: ['--openssl-legacy-provider'] });
  const stop = async () => {
    const exited = server.exitCode === null && server.signalCode === null ? once(server, 'exit') : undefined;
    server.kill();
    await exited;
    await rm(directory, { recursive: true, force: true });
  };
  const port = await portOf(server).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    access: {
      endpoint: `http://127.0.0.1:${port}`,
      // The only account that s3rver has.
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      region: 'us-east-1',
      folder: directory,
    },
    stop,
  };
}

/** http://KEY:SECRET@host:port, with ?region= unless it is us-east-1. */
function accessOf(text: string): S3Access {
  const url = URL.parse(text);
  if (url === null || url.username === '' || url.password === '') {
    throw new Error('TEST_S3_URL must look like http://KEY:SECRET@host:9000. Correct it or unset it.');
  }
  return {
    endpoint: url.origin,
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
    region: url.searchParams.get('region') ?? 'us-east-1',
    folder: null,
  };
}

function portOf(server: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('message', (port) => resolve(port as number));
  server.once('error', reject);
  server.once('exit', (code) => reject(new Error(`The S3 server of the tests ended with ${code} before it was up.`)));
  return promise;
}
