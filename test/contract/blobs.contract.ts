import { createHash, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlobStore } from '../../src/domain/ports.ts';
import { collect } from '../support/collect.ts';

/** A new, empty store with direct access to its contents. */
export interface OpenedBlobs {
  readonly blobs: BlobStore;
  /** Number of blobs per page of a listing. */
  readonly pageSize: number;
  /** Names of everything in the store, blobs or not. */
  storedNames(): Promise<readonly string[]>;
  readStored(name: string): Promise<Uint8Array>;
  overwriteStored(name: string, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const nameOf = (address: string) => `${address.slice(0, 2)}/${address}.zst`;
const TEXT = Buffer.from('{"type":"user","message":"hello"}\n'.repeat(50));

const CONTENTS: Readonly<Record<string, Uint8Array>> = {
  'no bytes': Buffer.alloc(0),
  'one byte': Buffer.from([0x0a]),
  '5 MB of noise': randomBytes(5 * 1024 * 1024),
  'every byte value': Buffer.from(Array.from({ length: 256 }, (_, value) => value)),
  'text that packs well': TEXT,
  'bytes that look like a zstd frame': Buffer.from('28b52ffd0058010000', 'hex'),
};

const NOT_ADDRESSES = ['', 'x', '../../x', '../'.repeat(21) + 'x', 'A'.repeat(64), 'a'.repeat(63), 'a'.repeat(65)];
const NOT_ADDRESSES_TOO = [`${'a'.repeat(64)}\n`, `${'a'.repeat(63)}\0`, `${'a'.repeat(61)}/..`, 'g'.repeat(64)];

/** The contract of every BlobStore; `open` returns a fresh one for each test. */
export function describeBlobStore(name: string, open: () => Promise<OpenedBlobs>): void {
  describe(`BlobStore: ${name}`, () => {
    let opened: OpenedBlobs;
    let blobs: BlobStore;
    const listed = async () => (await collect(blobs.list())).sort();
    const change = async (address: string, how: (bytes: Buffer) => Uint8Array) =>
      opened.overwriteStored(nameOf(address), how(Buffer.from(await opened.readStored(nameOf(address)))));

    beforeEach(async () => {
      opened = await open();
      blobs = opened.blobs;
    });
    afterEach(async () => {
      await blobs.close();
      await opened.close();
    });

    test.each(Object.entries(CONTENTS))('stores and returns %s', async (_, bytes) => {
      const stat = await blobs.put(bytes);
      expect(stat.sha256).toBe(sha256(bytes));
      expect(stat.sizeBytes).toBe(bytes.byteLength);
      expect(stat.storedBytes).toBe((await opened.readStored(nameOf(stat.sha256))).byteLength);
      expect(Buffer.compare(await blobs.get(stat.sha256), bytes)).toBe(0);
    });

    test('stores and returns any bytes under their expected address', async () => {
      const anyBytes = fc.uint8Array({ maxLength: 5000, size: 'max' });
      await fc.assert(
        fc.asyncProperty(anyBytes, async (bytes) => {
          const stat = await blobs.put(bytes, sha256(bytes));
          expect(Buffer.compare(await blobs.get(stat.sha256), bytes)).toBe(0);
        }),
        { numRuns: 40 },
      );
    });

    test('compresses compressible content', async () => {
      const stat = await blobs.put(TEXT);
      expect(stat.storedBytes).toBeLessThan(TEXT.byteLength / 5);
    });

    test('storing the same content twice stores it once and returns the same result', async () => {
      const first = await blobs.put(TEXT);
      const second = await blobs.put(TEXT);
      expect(second).toEqual(first);
      expect(await opened.storedNames()).toEqual([nameOf(first.sha256)]);
    });

    test('20 concurrent puts of the same content store one complete blob', async () => {
      const bytes = randomBytes(200_000);
      const stats = await Promise.all(Array.from({ length: 20 }, () => blobs.put(bytes)));
      expect(new Set(stats.map((stat) => stat.sha256))).toEqual(new Set([sha256(bytes)]));
      expect(await opened.storedNames()).toEqual([nameOf(sha256(bytes))]);
      expect(Buffer.compare(await blobs.get(sha256(bytes)), bytes)).toBe(0);
    });

    test('content that does not match its address is rejected and not stored', async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(TEXT.byteLength * 8 - 1), async (bit) => {
          const flipped = Buffer.from(TEXT);
          flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
          await expect(blobs.put(flipped, sha256(TEXT))).rejects.toMatchObject({ code: 'blob_corrupt' });
        }),
        { numRuns: 10 },
      );
      expect(await opened.storedNames()).toEqual([]);
      expect(await blobs.has(sha256(TEXT))).toBe(false);
    });

    test('E18: get detects a flipped byte in the store, and put repairs it', async () => {
      const { sha256: address } = await blobs.put(TEXT);
      await change(address, (bytes) => {
        bytes.writeUInt8(bytes.readUInt8(bytes.length - 10) ^ 0x20, bytes.length - 10);
        return bytes;
      });
      await expect(blobs.get(address)).rejects.toMatchObject({ code: 'blob_corrupt' });
      await blobs.put(TEXT);
      expect(Buffer.compare(await blobs.get(address), TEXT)).toBe(0);
      expect(await opened.storedNames()).toEqual([nameOf(address)]);
    });

    test.each([
      ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
      ['emptied', () => Buffer.alloc(0)],
      ['filled with zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ])('E18: get detects a stored blob that was %s, and put repairs it', async (_, how) => {
      const { sha256: address } = await blobs.put(TEXT);
      await change(address, how);
      await expect(blobs.get(address)).rejects.toMatchObject({ code: 'blob_corrupt' });
      await blobs.put(TEXT);
      expect(Buffer.compare(await blobs.get(address), TEXT)).toBe(0);
    });

    test('E18: get detects the content of another blob under this address', async () => {
      const [one, two] = [await blobs.put(TEXT), await blobs.put(Buffer.from('other'))];
      await opened.overwriteStored(nameOf(one.sha256), await opened.readStored(nameOf(two.sha256)));
      await expect(blobs.get(one.sha256)).rejects.toMatchObject({ code: 'blob_corrupt' });
    });

    test('G7: a deleted blob is reported as blob_missing and can be stored again', async () => {
      const { sha256: address } = await blobs.put(TEXT);
      await blobs.delete(address);
      expect(await blobs.has(address)).toBe(false);
      await expect(blobs.get(address)).rejects.toMatchObject({ code: 'blob_missing', status: 404 });
      expect(await opened.storedNames()).toEqual([]);
      await blobs.put(TEXT);
      expect(await blobs.has(address)).toBe(true);
    });

    test('deleting a missing blob changes nothing', async () => {
      const { sha256: address } = await blobs.put(TEXT);
      await blobs.delete(sha256(Buffer.from('never stored')));
      expect(await listed()).toEqual([address]);
    });

    test('lists exactly the stored blobs', async () => {
      expect(await listed()).toEqual([]);
      const stats = await Promise.all(Array.from({ length: 8 }, (_, n) => blobs.put(Buffer.from(`blob ${n}`))));
      const [gone, ...kept] = stats.map((stat) => stat.sha256);
      await blobs.delete(gone ?? '');
      expect(await listed()).toEqual(kept.sort());
    });

    test('lists all blobs when they fill several pages', async () => {
      const many = Array.from({ length: opened.pageSize + 1 }, (_, n) => Buffer.from(`blob ${n}`));
      for (let n = 0; n < many.length; n += 50)
        await Promise.all(many.slice(n, n + 50).map((bytes) => blobs.put(bytes)));
      expect(await listed()).toEqual(many.map(sha256).sort());
    });

    test('does not list objects that are not blobs', async () => {
      const { sha256: address } = await blobs.put(TEXT);
      const folder = address.slice(0, 2);
      const other = sha256(Buffer.from('in the wrong folder'));
      const wrongFolder = other.startsWith(folder) ? 'zz' : folder;
      for (const name of [`${folder}/.abc.tmp`, `${folder}/note.txt`, `${wrongFolder}/${other}.zst`]) {
        await opened.overwriteStored(name, Buffer.from('x'));
      }
      expect(await listed()).toEqual([address]);
    });

    test.each([...NOT_ADDRESSES, ...NOT_ADDRESSES_TOO])('rejects %j as an address', async (wrong) => {
      for (const act of [
        () => blobs.get(wrong),
        () => blobs.has(wrong),
        () => blobs.delete(wrong),
        () => blobs.put(TEXT, wrong),
      ]) {
        await expect(act()).rejects.toMatchObject({ code: 'usage' });
      }
      expect(await opened.storedNames()).toEqual([]);
    });
  });
}
