/** The pattern of a UUID, without anchors; Claude Code names sessions by them. */
export const UUID_PATTERN = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i');

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/** A ULID: sortable by time, unique by 80 random bits. */
export function ulid(at: Date, random: Uint8Array = crypto.getRandomValues(new Uint8Array(RANDOM_CHARS))): string {
  let time = '';
  for (let rest = at.getTime(), n = 0; n < TIME_CHARS; n++, rest = Math.floor(rest / ALPHABET.length)) {
    time = ALPHABET.charAt(rest % ALPHABET.length) + time;
  }
  return (
    time + Array.from(random.subarray(0, RANDOM_CHARS), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('')
  );
}

let last = '';

/** A ULID that sorts after all others this function has returned, even within a millisecond or after a clock went back. */
export function nextUlid(at: Date): string {
  const fresh = ulid(at);
  last = fresh > last ? fresh : successorOf(last);
  return last;
}

function successorOf(id: string): string {
  const lastDigit = ALPHABET.at(-1) ?? '';
  const end = id.length - 1;
  if (id.endsWith(lastDigit)) return `${successorOf(id.slice(0, end))}${ALPHABET.charAt(0)}`;
  return id.slice(0, end) + ALPHABET.charAt(ALPHABET.indexOf(id.charAt(end)) + 1);
}
