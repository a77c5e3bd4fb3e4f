import { eastAsianWidth } from 'get-east-asian-width';

/** Whether a grapheme takes two columns of a terminal: East Asian wide characters and emoji do. */
export function isWide(segment: string): boolean {
  return eastAsianWidth(segment.codePointAt(0) ?? 0) === 2 || isEmoji(segment);
}

/** Includes characters that a variation selector turns into emoji. */
function isEmoji(segment: string): boolean {
  return /^(?:\p{Emoji_Presentation}|.\ufe0f)/u.test(segment);
}

/**
 * Graphemes of one code point: Latin, Greek, Cyrillic, Chinese, Japanese, Korean, symbols, emoji; also with the selector
 * that turns a symbol into an emoji.
 */
const APART =
  /^(?:[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20cf\u2100-\u2bff\u2e80-\u3029\u3030-\u3098\u309b-\ua48f\uac00-\ud7a3\uf900-\ufaff\uff01-\uff9d\u{1f300}-\u{1f3fa}\u{1f400}-\u{1faff}\u{20000}-\u{3fffd}]\ufe0f?)*$/u;

const WITH_SELECTOR = /.\ufe0f?/gsu;

interface Segment {
  readonly segment: string;
  readonly index: number;
}

let segmenter: Intl.Segmenter | null = null;

/** The graphemes of a text. Creating a segmenter takes longer than many commands, so it is avoided for common text. */
export function segmentsOf(text: string): Iterable<Segment> {
  if (APART.test(text)) return codePointsOf(text);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function* codePointsOf(text: string): Iterable<Segment> {
  for (const { 0: segment, index } of text.matchAll(WITH_SELECTOR)) yield { segment, index };
}
