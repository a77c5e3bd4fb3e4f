const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/** A ULID: sortable by time, unique by 80 random bits. */
export function ulid(at: Date): string {
  let time = '';
  for (let rest = at.getTime(), n = 0; n < TIME_CHARS; n++, rest = Math.floor(rest / 32)) {
    time = ALPHABET.charAt(rest % 32) + time;
  }
  return (
    time +
    Array.from(crypto.getRandomValues(new Uint8Array(RANDOM_CHARS)), (byte) => ALPHABET.charAt(byte % 32)).join('')
  );
}
