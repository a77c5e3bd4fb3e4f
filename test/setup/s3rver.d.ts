/** The part of s3rver that the tests use; the package ships no types. */
declare module 's3rver' {
  import type { AddressInfo } from 'node:net';
  import type { Readable } from 'node:stream';

  interface StoredObject {
    readonly bucket: string;
    readonly key: string;
    readonly content: Buffer | Readable;
    readonly metadata: unknown;
  }

  export interface FileStore {
    getResourcePath(bucket: string, key: string, resource: string): string;
    putMetadata(bucket: string, key: string, metadata: unknown, md5: string): Promise<void>;
    putObject(object: StoredObject): Promise<{ readonly size: number; readonly md5: string }>;
  }

  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly directory: string;
      readonly silent: boolean;
    });
    readonly store: FileStore;
    run(): Promise<AddressInfo>;
    close(): Promise<void>;
  }
}
