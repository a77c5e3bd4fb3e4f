export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Width and height from the header of a PNG, GIF, WebP or JPEG file; null if they are not where they should be. A small
 * file can unpack to gigabytes of pixels, so this is known before the browser decodes it.
 */
export function imageSize(bytes: Uint8Array): ImageSize | null {
  if (bytes.length < 30) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (view.getUint16(0)) {
    case 0x8950:
      return { width: view.getUint32(16), height: view.getUint32(20) };
    case 0x4749:
      return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    case 0x5249:
      return webpSize(view);
    case 0xffd8:
      return jpegSize(view);
    default:
      return null;
  }
}

function webpSize(view: DataView): ImageSize | null {
  const uint24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
  switch (view.getUint32(12)) {
    case 0x56503858: // VP8X
      return { width: uint24(24) + 1, height: uint24(27) + 1 };
    case 0x56503820: // VP8
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 0x5650384c: {
      // VP8L
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    default:
      return null;
  }
}

/** Walks over the segments to the frame header. */
function jpegSize(view: DataView): ImageSize | null {
  for (let at = 2; at + 9 < view.byteLength && view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return null;
}
