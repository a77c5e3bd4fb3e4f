/**
 * Walks over JSON bytes without building values. It trusts nothing: what it does not expect makes it `broken`, and the
 * caller reads that line the slow way. Fields instead of return objects, since it looks at every usage line there is.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;
const LOWER_T = 0x74;

/** Byte by byte up to here, then the engine's own search: a call costs as much as so many bytes. */
const SHORT_STRING_BYTES = 48;
/** Longer numbers are no token counts and might not be exact. */
const MAX_DIGITS = 15;

export class ByteCursor {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  end = 0;
  broken = false;
  /** The key before the value at `at`. */
  keyAt = 0;
  keyLength = 0;
  /** The string read last, without its quotes. */
  textAt = 0;
  textEnd = 0;

  reset(bytes: Buffer, at: number, end: number): void {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
    this.broken = false;
  }

  /** Steps over an opening brace; false when there is none. */
  enterObject(): boolean {
    if (this.bytes[this.at] !== OPEN_BRACE) return false;
    this.at += 1;
    return true;
  }

  isAtObject(): boolean {
    return this.bytes[this.at] === OPEN_BRACE;
  }

  isAtString(): boolean {
    return this.bytes[this.at] === QUOTE;
  }

  isAtTrue(): boolean {
    return this.bytes[this.at] === LOWER_T;
  }

  /** Goes to the next value of the object; false behind its closing brace. The value before must have been stepped over. */
  nextKey(): boolean {
    const { bytes, end } = this;
    let at = this.at;
    let byte = bytes[at] as number;
    while ((byte === COMMA || byte <= SPACE) && at < end) byte = bytes[++at] as number;
    if (byte !== QUOTE || at >= end) {
      this.at = at + 1;
      if (byte !== CLOSE_BRACE || at >= end) this.broken = true;
      return false;
    }
    const keyAt = at + 1;
    byte = bytes[++at] as number;
    while (byte !== QUOTE && byte !== BACKSLASH && at < end) byte = bytes[++at] as number;
    this.keyAt = keyAt;
    this.keyLength = at - keyAt;
    do byte = bytes[++at] as number;
    while (byte <= SPACE && at < end);
    if (byte !== COLON) return this.#fail();
    do byte = bytes[++at] as number;
    while (byte <= SPACE && at < end);
    this.at = at;
    return true;
  }

  keyIs(name: Uint8Array): boolean {
    return this.keyLength === name.length && isSame(this.bytes, this.keyAt, name);
  }

  /** Reads a plain ASCII string into textAt…textEnd; one with escapes or other letters is left to the slow way. */
  readText(): void {
    const { bytes, end } = this;
    let at = this.at + 1;
    let seen = 0;
    let byte = bytes[at] as number;
    while (byte !== QUOTE && byte !== BACKSLASH && at < end) {
      seen |= byte;
      byte = bytes[++at] as number;
    }
    if (byte !== QUOTE || seen > 0x7f) this.#fail();
    this.textAt = this.at + 1;
    this.textEnd = at;
    this.at = at + 1;
  }

  textIs(name: Uint8Array): boolean {
    return this.textEnd - this.textAt === name.length && isSame(this.bytes, this.textAt, name);
  }

  /** A whole number, written plainly. */
  readCount(): number {
    const { bytes } = this;
    const from = this.at;
    let at = from;
    let count = 0;
    let byte = bytes[at] as number;
    while (byte >= ZERO && byte <= NINE) {
      count = count * 10 + (byte - ZERO);
      byte = bytes[++at] as number;
    }
    this.at = at;
    const isPlain = byte === COMMA || byte === CLOSE_BRACE || byte <= SPACE;
    if (!isPlain || at === from || at - from > MAX_DIGITS) this.#fail();
    return count;
  }

  skipValue(): void {
    const byte = this.bytes[this.at];
    if (byte === QUOTE) this.at = endOfString(this.bytes, this.at + 1, this.end);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.at = endOfNested(this.bytes, this.at, this.end);
    else this.at = endOfWord(this.bytes, this.at, this.end);
    if (this.at > this.end) this.#fail();
  }

  #fail(): false {
    this.broken = true;
    this.at = this.end;
    return false;
  }
}

function isSame(bytes: Buffer, at: number, name: Uint8Array): boolean {
  for (let index = 0; index < name.length; index += 1) {
    if (bytes[at + index] !== name[index]) return false;
  }
  return true;
}

/** The position behind the quote that ends the string whose first byte is at `from`; over `end` when there is none. */
function endOfString(bytes: Buffer, from: number, end: number): number {
  let at = from;
  const near = Math.min(end, from + SHORT_STRING_BYTES);
  while (at < near) {
    const byte = bytes[at++];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  return endOfLongString(bytes, at, end);
}

/** As above; `from` is not behind a lone backslash. */
function endOfLongString(bytes: Buffer, from: number, end: number): number {
  let at = from;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0 || quote >= end) return end + 1;
    let before = quote - 1;
    while (before >= from && bytes[before] === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 1) return quote + 1;
    at = quote + 1;
  }
}

function endOfNested(bytes: Buffer, from: number, end: number): number {
  let depth = 0;
  let at = from;
  while (at < end) {
    const byte = bytes[at++];
    if (byte === QUOTE) at = endOfString(bytes, at, end);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return end + 1;
}

function endOfWord(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte === COMMA || byte === CLOSE_BRACE || byte <= SPACE) return at;
    at += 1;
  }
  return at;
}
