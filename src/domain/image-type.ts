/** Image formats that browsers display and that cannot contain scripts, by their first bytes. */
const IMAGES: readonly (readonly [type: string, signature: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
];
const SIGNATURE_BYTES = 12;

export const IMAGE_TYPES: readonly string[] = IMAGES.map(([type]) => type);

/** The type of an image; null for anything else, regardless of its declared type. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  const head = String.fromCharCode(...bytes.subarray(0, SIGNATURE_BYTES));
  return IMAGES.find(([, signature]) => signature.test(head))?.[0] ?? null;
}
