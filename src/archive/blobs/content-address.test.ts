import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toFuelError } from '../../domain/errors.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { addressOfStoredPath, compress, decompressVerified, storedPath } from './content-address.ts';

const anyBytes = fc.uint8Array({ maxLength: 300, size: 'max' });

test('a stored path gives its address, and any other path gives none', () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const sha256 = sha256Hex(bytes);
      expect(addressOfStoredPath(storedPath(sha256))).toBe(sha256);
      expect(addressOfStoredPath(`${storedPath(sha256)}.tmp`)).toBeUndefined();
      expect(addressOfStoredPath(`/${storedPath(sha256)}`)).toBeUndefined();
      expect(addressOfStoredPath(`${sha256}.zst`)).toBeUndefined();
    }),
  );
});

test('E18: after any bit flip in a stored frame, wrong bytes are never returned', async () => {
  const content = Buffer.from('{"role":"user","content":"hello hello hello"}\n'.repeat(3));
  const frame = Buffer.from(await compress(content));
  const sha256 = sha256Hex(content);
  const outcomes: string[] = [];
  for (let bit = 0; bit < frame.length * 8; bit += 1) {
    const flipped = Buffer.from(frame);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    const outcome = decompressVerified(flipped, sha256).then(
      (bytes) => (Buffer.compare(bytes, content) === 0 ? 'the right bytes' : 'WRONG BYTES'),
      (error: unknown) => toFuelError(error).code,
    );
    outcomes.push(await outcome);
  }
  expect(new Set(outcomes)).toEqual(new Set(['the right bytes', 'blob_corrupt']));
  // A handful of bits in a frame's header (window size, an unused flag) carry no meaning for the content.
  expect(outcomes.filter((outcome) => outcome === 'the right bytes').length).toBeLessThan(16);
});
