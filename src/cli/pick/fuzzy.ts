import UFuzzy from '@leeoniya/ufuzzy';

/** Up to three letters may be missing between two typed ones: `prsln` finds `parseLine`. */
const MISSING_LETTERS = 3;
/** Words may be typed in any order, up to this many of them: the work grows with the factorial. */
const MOVABLE_WORDS = 4;

const fuzzy = new UFuzzy({
  unicode: true,
  interSplit: String.raw`[^\p{L}\d']+`,
  intraSplit: String.raw`\p{Ll}\p{Lu}`,
  intraBound: String.raw`\p{L}\d|\d\p{L}|\p{Ll}\p{Lu}`,
  intraChars: String.raw`[\p{L}\d']`,
  intraContr: String.raw`'\p{L}{1,2}\b`,
  intraIns: MISSING_LETTERS,
});

/** The positions of the texts that match, best first; all of them, in their order, if nothing is typed. */
export function rankTexts(texts: string[], typed: string): readonly number[] {
  const words = typed.trim();
  if (words === '') return texts.map((_, at) => at);
  const [found, info, order] = fuzzy.search(texts, words, MOVABLE_WORDS, texts.length);
  // Punctuation alone has no letters to match fuzzily.
  if (found === null) return texts.flatMap((text, at) => (text.includes(words) ? [at] : []));
  return order === null ? found : order.map((at) => info.idx[at] ?? 0);
}
