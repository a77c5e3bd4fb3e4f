import type { TextNode } from '../domain/search.ts';
import { isUnspacedLetter } from './foreign-words.ts';
import { wordsOf } from './words.ts';

/** Typed words as words of the index; null if there is no letter. */
export function textNode(text: string, isPrefix: boolean): TextNode | null {
  const words = wordsOf(text);
  const last = words.at(-1);
  if (last === undefined) return null;
  if (!isUnspacedLetter(last)) return { kind: 'text', words, isPrefix };
  // The index contains 日本, 本語, 語 for 日本語, so 語 at the end of a search need not be the end of the text.
  const before = words.at(-2) ?? '';
  const isTail = Array.from(before).length === 2 && before.endsWith(last);
  return { kind: 'text', words: isTail ? words.slice(0, -1) : words, isPrefix: !isTail };
}
