import { expect, test } from 'vitest';
import fc from 'fast-check';
import { imageSize } from './image-size.ts';

/** Bytes in hexadecimal, padded to the length of a real header. */
function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replaceAll(' ', '').padEnd(80, '0'), 'hex'));
}

test.each([
  ['PNG', '89504e470d0a1a0a 0000000d 49484452 00000280 000001e0'],
  ['GIF', '474946383961 8002 e001'],
  ['WebP with VP8X', '52494646 00000000 57454250 56503858 0a000000 00000000 7f0200 df0100'],
  ['WebP with VP8', '52494646 00000000 57454250 56503820 00000000 000000 9d012a 8002 e001'],
  ['WebP with VP8L', '52494646 00000000 57454250 5650384c 00000000 2f 7fc27700'],
  ['JPEG', 'ffd8 ffe0 0010 4a46494600010100000100010000 ffc2 0011 08 01e0 0280 03'],
])('the size of a %s file', (_, hex) => {
  expect(imageSize(bytes(hex))).toEqual({ width: 640, height: 480 });
});

test.each([
  ['a short file', new Uint8Array([0x89, 0x50])],
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"></svg>')],
  ['a JPEG file without a frame', bytes('ffd8 ffe0 0010')],
  ['a WebP file of an unknown kind', bytes('52494646 00000000 57454250 41414141')],
])('%s has none', (_, file) => {
  expect(imageSize(file)).toBeNull();
});

test('any bytes are read without an error or an endless loop', () => {
  const starts = fc.constantFrom('8950', '4749', '5249', 'ffd8ff', 'ffd8ffff');
  fc.assert(
    fc.property(starts, fc.uint8Array({ minLength: 30, maxLength: 200 }), (start, rest) => {
      imageSize(Uint8Array.from([...Buffer.from(start, 'hex'), ...rest]));
    }),
  );
});
