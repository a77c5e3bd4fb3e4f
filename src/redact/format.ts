import { entropyBits, isWordy } from './values.ts';

/** A secret that is known by its form: a fixed text somewhere in it, and what stands around that. */
export interface Format {
  readonly kind: string;
  /** Fixed texts of which each secret of this form holds one. */
  readonly anchors: readonly string[];
  /** Sticky: the whole secret, with its left boundary. Every quantifier has a limit. */
  readonly pattern: RegExp;
  /** How many characters of the secret may stand before the anchor. */
  readonly lead: number;
  /** Whether it is a secret even when letters or digits stand right before it. */
  readonly isGlued: boolean;
  /** Whether the find, which has the form, is random enough. */
  readonly isLikely: (find: string) => boolean;
}

export interface FormatOptions {
  readonly lead?: number;
  /** `none`: the beginning is so rare that anything may stand before it. `blob`: it may also occur in base64, so that it may not follow 16 characters of that. */
  readonly left?: 'none' | 'word' | 'blob';
  readonly isLikely?: (find: string) => boolean;
}

const LEFT = { none: '', word: '(?<![A-Za-z0-9])', blob: '(?<![A-Za-z0-9])(?<![A-Za-z0-9+/]{16})' };
/** Of a mask such as `ghp_xxxxxxxx`, only the beginning has more letters than one. */
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
  return new Set(find).size >= MIN_DISTINCT_CHARS && !/x{8}|X{8}|0{12}|\.\.\.|EXAMPLE$/.test(find);
}

/** For beginnings that also begin words: what follows is no words. */
export function isRandom(find: string): boolean {
  const isMixed = /\d/.test(find) || (/[a-z]/.test(find) && /[A-Z]/.test(find) && !isWordy(find));
  return isVaried(find) && isMixed && entropyBits(find) >= 3;
}
