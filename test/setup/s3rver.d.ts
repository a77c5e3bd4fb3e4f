/** The part of s3rver that the tests use; the package ships no types. */
declare module 's3rver' {
  import type { AddressInfo } from 'node:net';

  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly directory: string;
      readonly silent: boolean;
    });
    run(): Promise<AddressInfo>;
    close(): Promise<void>;
  }
}
