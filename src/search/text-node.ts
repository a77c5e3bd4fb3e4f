import type { TextNode } from '../domain/search.ts';
import { wordsOf } from './words.ts';

const UNSPACED_LETTER =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]$/u;

/** Words as they were typed, as words of the index; null when there is no letter in it. */
export function textNode(text: string, isPrefix: boolean): TextNode | null {
  const words = wordsOf(text);
  const last = words.at(-1);
  if (last === undefined) return null;
  if (!UNSPACED_LETTER.test(last)) return { kind: 'text', words, isPrefix };
  // The index has 日本, 本語, 語 of 日本語: 語 at the end of a search need not be the end of the text.
  const before = words.at(-2) ?? '';
  const isTail = [...before].length === 2 && before.endsWith(last);
  return { kind: 'text', words: isTail ? words.slice(0, -1) : words, isPrefix: !isTail };
}
