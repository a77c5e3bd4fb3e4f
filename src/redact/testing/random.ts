/** Deterministic random texts: the same seed gives the same texts. */
export interface Random {
  readonly int: (below: number) => number;
  readonly pick: <T>(list: readonly T[]) => T;
  readonly chars: (alphabet: string, length: number) => string;
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    pick: <T>(list: readonly T[]) => list[int(list.length)] as T,
    chars: (alphabet, length) => Array.from({ length }, () => alphabet.charAt(int(alphabet.length))).join(''),
  };
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
export const DIGITS = '0123456789';
export const UPPER = LOWER.toUpperCase();
export const HEX = `${DIGITS}abcdef`;
export const LETTERS = LOWER + UPPER;
export const AN = LETTERS + DIGITS;
export const LOWER_AN = LOWER + DIGITS;
export const UPPER_AN = UPPER + DIGITS;
export const W = `${AN}_-`;
export const BASE64 = `${AN}+/`;

/** Makes a secret, or a part of one. */
export type Make = (random: Random) => string;

export const uuid: Make = (r) => [8, 4, 4, 4, 12].map((length) => r.chars(HEX, length)).join('-');
export const part =
  (prefix: string, alphabet: string, length: number, end = ''): Make =>
  (r) =>
    `${prefix}${r.chars(alphabet, length)}${end}`;

export const base64 = (text: string) => Buffer.from(text).toString('base64');
export const base64Url = (text: string) => Buffer.from(text).toString('base64url');
