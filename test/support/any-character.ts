import { type Arbitrary, nat } from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const CHARACTERS = 0x110000 - SURROGATES;

/**
 * Any character of Unicode, like `unit: 'binary'` of fast-check, which first makes a table of all of them: this takes each
 * process half a second and 180 MB.
 */
export const anyCharacter: Arbitrary<string> = nat(CHARACTERS - 1).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  indexOf,
);

/** The reverse, for shrinking. Throws for anything that is not one character. */
function indexOf(character: unknown): number {
  const point = typeof character === 'string' ? (character.codePointAt(0) ?? NaN) : NaN;
  const isSurrogate = point >= FIRST_SURROGATE && point < FIRST_SURROGATE + SURROGATES;
  if (Number.isNaN(point) || isSurrogate || String.fromCodePoint(point) !== character)
    throw new Error('Not a character.');
  return point < FIRST_SURROGATE ? point : point - SURROGATES;
}
