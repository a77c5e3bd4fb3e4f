import type { ReasoningHighlight } from '../domain/summary.ts';
import { proseLines, sentencesOf, withoutControls } from './plain-text.ts';

/** A text written by the model, in session order. */
export interface ModelText {
  readonly text: string;
  readonly from: ReasoningHighlight['from'];
}

/** Phrases that name a cause or a decision. Few on purpose: a missed sentence is better than a wrong one. */
const CAUSE =
  /\b(?:root cause|the (?:real|actual|underlying|core) (?:problem|issue|bug|cause|reason)|(?:problem|issue|bug|failure|error) (?:is|was) (?:caused by|that|because)|(?:happens|fails|failed|breaks|broke|crashes) because|turns? out (?:that )?)\b/i;
const DECISION =
  /\b(?:(?:I|we)(?:['’]ll| will| have|['’]ve)? (?:decided|chose|chosen|opted|settled on|go with|went with)|I(?:['’]ll| will) go with|going with|the (?:best|right|cleanest|safest) (?:fix|approach|solution|choice) is)\b/i;
const MIN_CHARS = 30;
const MAX_CHARS = 300;
const MAX_HIGHLIGHTS = 5;

/** Sentences that name a root cause or a decision, verbatim. The last ones, since early guesses are often wrong. */
export async function findHighlights(
  texts: AsyncIterable<ModelText> | Iterable<ModelText>,
): Promise<readonly ReasoningHighlight[]> {
  const found = new Map<string, ReasoningHighlight>();
  for await (const { text, from } of texts) {
    for (const sentence of tellingSentences(text)) {
      // A repeated sentence moves to its last position.
      found.delete(sentence);
      found.set(sentence, { text: sentence, from });
      const oldest = found.keys().next().value;
      if (found.size > MAX_HIGHLIGHTS && oldest !== undefined) found.delete(oldest);
    }
  }
  return [...found.values()].toReversed();
}

const LIST_MARK = /^\s*(?:#{1,6}\s+|[-*+•]\s+|\d{1,3}[.)]\s+|>\s?)+/;

/** Whole sentences, byte for byte as in the text; no headings, no questions, nothing from code blocks. */
function tellingSentences(text: string): readonly string[] {
  if (!CAUSE.test(text) && !DECISION.test(text)) return [];
  return proseLines(text)
    .flatMap((line) => sentencesOf(line.replace(LIST_MARK, '')))
    .filter((sentence) => sentence.length >= MIN_CHARS && sentence.length <= MAX_CHARS)
    .filter((sentence) => /[.!。！]\**$/.test(sentence) && sentence === withoutControls(sentence))
    .filter((sentence) => CAUSE.test(sentence) || DECISION.test(sentence));
}
