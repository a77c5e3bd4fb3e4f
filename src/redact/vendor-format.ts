import { entropyBits, isWordy } from './values.ts';

/** A secret recognized by its format: a fixed string with characteristic text around it. */
export interface Format {
  readonly kind: string;
  /** Fixed strings; every secret of this format contains one. */
  readonly anchors: readonly string[];
  /** Sticky; matches the whole secret with its left boundary. Every quantifier is bounded. */
  readonly pattern: RegExp;
  /** Maximum number of characters of the secret before the anchor. */
  readonly lead: number;
  /** True when it is a secret even directly after letters or digits. */
  readonly isGlued: boolean;
  /** Returns true when a match is random enough. */
  readonly isLikely: (find: string) => boolean;
}

interface FormatOptions {
  readonly lead?: number;
  /**
   * `none`: the prefix is so rare that anything may precede it. `blob`: it may also occur in base64, so it must not
   * follow 16 base64 characters.
   */
  readonly left?: 'none' | 'word' | 'blob';
  readonly isLikely?: (find: string) => boolean;
}

const LEFT = { none: '', word: '(?<![A-Za-z0-9])', blob: '(?<![A-Za-z0-9])(?<![A-Za-z0-9+/]{16})' };
/** In a mask such as `ghp_xxxxxxxx` only the prefix has distinct characters. */
const MIN_DISTINCT_CHARS = 8;

export function format(
  kind: string,
  anchors: string | readonly string[],
  secret: RegExp,
  options: FormatOptions = {},
): Format {
  const { lead = 0, left = 'word', isLikely = isVaried } = options;
  const list = typeof anchors === 'string' ? [anchors] : anchors;
  return {
    kind,
    anchors: list,
    pattern: new RegExp(`${LEFT[left]}(?:${secret.source})`, 'y'),
    lead,
    isGlued: left === 'none',
    isLikely,
  };
}

export function isVaried(find: string): boolean {
  return hasManyCharacters(find) && !/x{8}|X{8}|0{12}|\.\.\.|EXAMPLE$/.test(find);
}

/** Mostly true after a few characters. */
function hasManyCharacters(find: string): boolean {
  const seen = new Set<string>();
  for (const char of find) if (seen.add(char).size >= MIN_DISTINCT_CHARS) return true;
  return false;
}

/** For prefixes that also start ordinary words: the rest must not be words. */
export function isRandom(find: string): boolean {
  const isMixed = /\d/.test(find) || (/[a-z]/.test(find) && /[A-Z]/.test(find) && !isWordy(find));
  return isVaried(find) && isMixed && entropyBits(find) >= 3;
}

const MIN_JUMBLE_CHARS = 14;
const MIN_HEX_CHARS = 32;
/** Without digits, more letters are needed. */
const MIN_LETTERS = 20;

/** For prefixes that also start names in code: both cases and digits in disorder, or a long hexadecimal number. */
export function isJumble(find: string): boolean {
  if (find.length < MIN_JUMBLE_CHARS || !isVaried(find)) return false;
  if (/^[0-9a-f]+$/.test(find)) return find.length >= MIN_HEX_CHARS;
  const isMixed = /[a-z]/.test(find) && /[A-Z]/.test(find) && (/\d/.test(find) || find.length >= MIN_LETTERS);
  return isMixed && !isWordy(find) && entropyBits(find) >= 3.3;
}

const MIN_LOWER_CASE_CHARS = 20;

/** The same without capital letters: many digits among the letters. */
export function isLowerCaseJumble(body: string): boolean {
  const digits = body.match(/\d/g)?.length ?? 0;
  return (
    body.length >= MIN_LOWER_CASE_CHARS &&
    /^[a-z0-9]*[g-z][a-z0-9]*$/.test(body) &&
    digits * 8 >= body.length &&
    isVaried(body) &&
    !isWordy(body)
  );
}
