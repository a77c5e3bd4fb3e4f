/** Looks at values where they stand in the bytes. A slot holds the start of a value and, behind it, its end. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const ZERO = 0x30;
const NINE = 0x39;
const FIRST_NON_ASCII = 0x80;
/** Longer numbers are no token counts and might not be exact. */
const MAX_DIGITS = 15;

type Slots = Int32Array;

export function isTrueAt(bytes: Buffer, slots: Slots, slot: number): boolean {
  const at = slots[slot] as number;
  return at !== 0 && bytes[at] === LOWER_T;
}

/** Whether the value is this very string; backwards, since ids of one kind begin alike. */
export function isTextAt(bytes: Buffer, slots: Slots, slot: number, text: string): boolean {
  const at = slots[slot] as number;
  if (at === 0 || (slots[slot + 1] as number) - at !== text.length + 2 || bytes[at] !== QUOTE) return false;
  for (let index = text.length - 1; index >= 0; index -= 1) {
    if (bytes[at + 1 + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

export function isSameText(bytes: Buffer, slots: Slots, a: number, b: number): boolean {
  const atA = slots[a] as number;
  const atB = slots[b] as number;
  const length = (slots[a + 1] as number) - atA;
  if (length !== (slots[b + 1] as number) - atB) return false;
  for (let index = length - 1; index >= 0; index -= 1) {
    if (bytes[atA + index] !== bytes[atB + index]) return false;
  }
  return true;
}

/** The string there; null when it is absent, no string, or not plain ASCII without escapes. */
export function textAt(bytes: Buffer, slots: Slots, slot: number): string | null {
  if (!isPlainText(bytes, slots, slot)) return null;
  return bytes.toString('latin1', (slots[slot] as number) + 1, (slots[slot + 1] as number) - 1);
}

export function isPlainText(bytes: Buffer, slots: Slots, slot: number): boolean {
  const at = slots[slot] as number;
  const end = (slots[slot + 1] as number) - 1;
  if (at === 0 || bytes[at] !== QUOTE) return false;
  for (let index = at + 1; index < end; index += 1) {
    const byte = bytes[index] as number;
    if (byte === BACKSLASH || byte >= FIRST_NON_ASCII) return false;
  }
  return true;
}

/** A whole number written plainly; 0 when absent or null, NaN for anything else. */
export function countAt(bytes: Buffer, slots: Slots, slot: number): number {
  const at = slots[slot] as number;
  const end = slots[slot + 1] as number;
  if (at === 0 || bytes[at] === LOWER_N) return 0;
  if (end - at > MAX_DIGITS) return Number.NaN;
  let count = 0;
  for (let index = at; index < end; index += 1) {
    const byte = bytes[index] as number;
    if (byte < ZERO || byte > NINE) return Number.NaN;
    count = count * 10 + (byte - ZERO);
  }
  return count;
}
