import { isClientCommand, slashCommandIn, withoutTaskTag } from '../domain/client-tags.ts';
import type { ReasoningHighlight, Utterance } from '../domain/summary.ts';
import { withoutTeammateTags } from '../domain/teammate-message.ts';
import {
  cutWords,
  isMark,
  joinSentences,
  plainLines,
  proseLines,
  quotableLines,
  sentencesOf,
  withoutControls,
  withoutPlaceholders,
} from './plain-text.ts';

/** Extracts the request of a prompt and the statement of an answer, in their own words. */

const TASK = /^\s*<scheduled-task name="([^"]{1,80})"/;
const PLAN = /^\s*Implement the following plan:\s*/;
const MIN_SENTENCE_CHARS = 12;

/** The topic of a prompt and the kind of introduction it needs. */
export interface Gist {
  readonly kind: 'prose' | 'code' | 'plan' | 'task' | 'command';
  readonly text: string;
}

/** The first words of a prompt, at least `minChars` characters if available; '' if it has no words. */
export function gistOf(prompt: string, maxChars: number, minChars = MIN_SENTENCE_CHARS): Gist {
  const command = slashCommandIn(prompt);
  if (command !== null) {
    const text = isClientCommand(command) ? '' : `${command.name} ${firstWords(command.args)}`.trim();
    return { kind: 'command', text: cutWords(text, maxChars) };
  }
  const task = TASK.exec(prompt)?.[1];
  if (task !== undefined) return { kind: 'task', text: task };
  if (PLAN.test(prompt)) return { kind: 'plan', text: cutWords(planHeading(prompt.replace(PLAN, '')), maxChars) };
  const said = withoutTeammateTags(withoutTaskTag(prompt));
  const after = afterJson(said);
  const words = firstWords(after ?? said, minChars);
  if (words === '') return { kind: 'code', text: cutWords(anyWords(said), maxChars) };
  return { kind: 'prose', text: cutWords(words, maxChars) };
}

/** The gists of prompts that have words. */
export function gistsOf(prompts: readonly Utterance[], maxChars: number, minChars?: number): readonly Gist[] {
  return prompts.map(({ text }) => gistOf(text, maxChars, minChars)).filter(({ text }) => text !== '');
}

const GENERIC_HEADING = /^(?:(?:the |implementation )?plan|context|overview|summary|goals?|background|problem)\W*$/i;
const PLAN_PREFIX = /^(?:implementation )?plan(?: for)?\s*[:–—-]\s*/i;

/** The heading of a plan; without one, its first words. */
function planHeading(plan: string): string {
  const headings = plan.split('\n').filter((line) => /^#{1,6}\s/.test(line));
  const names = headings.flatMap((line) => plainLines(line)).map((name) => name.replace(PLAN_PREFIX, ''));
  return names.find((name) => !GENERIC_HEADING.test(name)) ?? firstWords(plan);
}

/** What follows the JSON that a text starts with; '' after half of some JSON, null if it starts with something else. */
function afterJson(text: string): string | null {
  const json = text.trimStart();
  if (!/^(?:\{\s*["}]|\[\s*[{"[\]])/.test(json)) return null;
  const end = endOfJson(json);
  if (end < 0) return '';
  try {
    JSON.parse(json.slice(0, end));
    return json.slice(end);
  } catch {
    return null;
  }
}

/** The position after the bracket that closes the first one, or -1. */
function endOfJson(text: string): number {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth === 0) return index + token.length;
  }
  return -1;
}

/** Words of a text that is only code or a table; without letters, whatever it has. */
function anyWords(text: string): string {
  return withoutPlaceholders(withoutControls(text))
    .replaceAll(/```\w*|~~~\w*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const GREETING =
  /^(?:hey|hi|hello|thanks?|thank you|ok(?:ay)?|yes|no|go|continue|test|commit|push)\b[\s!.,?]*(?:claude|there|please|again)?[\s!.]*$/i;
const MIN_WORDS = 3;
/** Chinese, Japanese, Thai and others write words without spaces between them. */
const UNSPACED =
  /(?:[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]\p{M}*){4}/u;

/** The first gist that is more than a greeting; one that says more than a word or some code, if there is any. */
export function meaningfulGist(gists: readonly Gist[]): Gist | undefined {
  const meaningful = gists.filter(({ text }) => !GREETING.test(text));
  return meaningful.find(saysEnough) ?? meaningful[0] ?? gists[0];
}

function saysEnough({ kind, text }: Gist): boolean {
  if (kind !== 'prose') return kind !== 'code';
  return text.split(' ').length >= MIN_WORDS || UNSPACED.test(text);
}

const MAX_FIRST_LINES = 8;

/** Sentences before a request that say nothing about it. */
const PLEASANTRY =
  /^(?:good (?:morning|afternoon|evening|day)|(?:i )?hope (?:you|this|all|everything)\b.{0,60}|how are you\b.{0,30})[^\p{L}]{0,4}$/iu;

/** The first sentence; a very short one, or a line that only introduces the next, is extended by what follows. */
function firstWords(text: string, minChars = MIN_SENTENCE_CHARS): string {
  const lines = quotableLines(text);
  let words = '';
  let hasTopic = false;
  for (const sentence of lines.slice(0, MAX_FIRST_LINES).flatMap(sentencesOf)) {
    words = joinQuoted(words, sentence);
    hasTopic ||= !PLEASANTRY.test(sentence);
    if (hasTopic && words.length >= minChars && !isUnfinished(words)) break;
  }
  return withoutMark(words).replace(/[\s\\]+$/, '');
}

/** Sentences without content of their own. */
const FLUFF =
  /^(?:perfect|great|excellent|done|good|nice|awesome|sure|ok(?:ay)?|yes|right|thanks?|thank you|you'?re (?:absolutely )?(?:right|welcome)|all set|fixed|got it|absolutely|certainly|of course|wonderful|fantastic|✅|🎉)[^\p{L}]{0,4}$/iu;
const SYMBOLS = /^[^\p{L}\p{N}“"'([{`/@#$~.*<¡¿-]+/u;
const ANNOUNCEMENT = /^(?:here(?:['’]s| is)|let me|below is|now let me)\b.{0,60}\bsummar(?:y|ize)\b.{0,60}[:.]$/i;
/** Headings that many answers have. */
const HEADING =
  /^(?:summary|overview|results?|changes?(?: made)?|what (?:was|i) (?:done|did|changed)|key (?:changes|points)|status)\W*$/i;

/** The first meaningful sentences of an answer; an answer like “Done!” is returned whole. */
export function answerGist(answer: string, maxChars: number): string {
  const sentences = quotableLines(answer)
    .filter((line) => !HEADING.test(line))
    .flatMap(sentencesOf)
    .map((sentence) => (isMark(sentence) ? sentence : sentence.replace(SYMBOLS, '')))
    .filter((sentence) => sentence !== '' && !FLUFF.test(sentence) && !ANNOUNCEMENT.test(sentence));
  let words = '';
  for (const sentence of sentences) {
    if (words !== '' && words.length + sentence.length + 1 > maxChars) break;
    words = joinQuoted(words, sentence);
    if (!isUnfinished(words) && words.length >= maxChars / 3) break;
  }
  const said = withoutMark(words).replace(/:$/, '');
  return cutWords(said || plainLines(answer).join(' ') || anyWords(answer), maxChars);
}

/** The words introduce what follows, or something was left out behind them. */
function isUnfinished(words: string): boolean {
  return words.endsWith(':') || words.endsWith(' …');
}

/** A mark replaces the one before it, and none comes first. */
function joinQuoted(words: string, next: string): string {
  if (!isMark(next)) return joinSentences(words, next);
  return words === '' ? '' : joinSentences(withoutMark(words), next);
}

function withoutMark(words: string): string {
  return words.replace(/ […/]$/, '');
}

const MAX_QUESTION_CHARS = 200;
const NO_QUESTION = /\b(?:anything else|let me know|any questions|how (?:can|may) I (?:help|assist))\b/i;

/** The question at the end of an answer; null if there is none. */
export function closingQuestion({ ending }: Utterance): string | null {
  const last = plainLines(ending).at(-1);
  const sentence = last === undefined ? undefined : sentencesOf(last).at(-1);
  if (sentence === undefined || !/[?？]$/.test(sentence) || NO_QUESTION.test(sentence)) return null;
  return cutWords(sentence, MAX_QUESTION_CHARS);
}

/** Words before a request: a greeting, an interjection, or a polite phrase. */
const POLITE =
  "please\\s+|(?:can|could|would|will) you(?: please)?(?: help(?: me)?)?(?: to)?\\s+|i(?:'d| would) like(?: you)? to\\s+|" +
  "i(?:'d| would) like your help (?:with|to)\\s+|i (?:want|need)(?: you)? to\\s+|(?:please )?help me(?: to)?\\s+|let'?s\\s+|" +
  'we (?:should|need to|want to)\\s+|i think we should\\s+';
const ADDRESSED = '(?:\\s+(?:claude(?: code)?|there|again|all|everyone|everybody|team|folks|guys|buddy|friend|mate))';
const GREETINGS = '(?:hey|hi|hello|hallo|good (?:morning|afternoon|evening))';
const INTERJECTIONS = '(?:ok(?:ay)?|so|alright|great|thanks|thank you|now|well|and|but|oh|cool|perfect|nice)';
const MARKS = '(?:\\s*[,.!:–—-]+\\s+)';
/**
 * A greeting is removed together with the person it addresses, or not at all: `Hello world` and `OK button` are what the
 * prompt is about. It ends with a mark, or where another phrase of this kind begins.
 */
const LEAD_INS = new RegExp(
  `^(?:(?:${GREETINGS}${ADDRESSED}?|${INTERJECTIONS}(?: claude)?)(?:${MARKS}|\\s+(?=claude[,:]|${POLITE}|${INTERJECTIONS}${MARKS}))|claude[,:]\\s*|${POLITE})`,
  'iu',
);
/** `Hi Ada, …` */
const NAMED_GREETING = /^(?:[Hh]ey|[Hh]i|[Hh]ello|[Hh]allo|[Dd]ear)\s+\p{Lu}[\p{L}'’-]*\s*[,!:–—-]+\s+/u;
const MAX_LEAD_INS = 5;
const MIN_TITLE_CHARS = 8;
/** A word, not the name of a file, a function or a product. */
const PLAIN_WORD = /^\p{Ll}[\p{Ll}'’-]*[,.;:!?…]?(?=\s|$)/u;

/** A request as a heading: without greeting, polite phrases and full stop, with a capital letter. */
export function headingOf(gist: string): string {
  const sentences = sentencesOf(gist);
  const topic = sentences.findIndex((sentence) => !PLEASANTRY.test(sentence));
  let words = topic > 0 ? sentences.slice(topic).join(' ') : gist;
  let isRequest = false;
  for (let n = 0; n < MAX_LEAD_INS; n++) {
    const shorter = words.replace(NAMED_GREETING.test(words) ? NAMED_GREETING : LEAD_INS, '');
    if (shorter === words || shorter.length < MIN_TITLE_CHARS) break;
    isRequest ||= /^(?:can|could|would|will) you/i.test(words);
    words = shorter;
  }
  const bare = words.replace(/(?<![.…])[.,;:!。！]+$/, '');
  const heading = isRequest ? bare.replace(/\?+$/, '') : bare;
  return PLAIN_WORD.test(heading) ? heading.charAt(0).toUpperCase() + heading.slice(1) : heading;
}

/** A text written by the model, in session order. */
interface ModelText {
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
    for (const sentence of highlightSentences(text)) {
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
function highlightSentences(text: string): readonly string[] {
  if (!CAUSE.test(text) && !DECISION.test(text)) return [];
  return proseLines(text)
    .flatMap((line) => sentencesOf(line.replace(LIST_MARK, '')))
    .filter((sentence) => sentence.length >= MIN_CHARS && sentence.length <= MAX_CHARS)
    .filter((sentence) => /[.!。！]\**$/.test(sentence) && sentence === withoutControls(sentence))
    .filter((sentence) => CAUSE.test(sentence) || DECISION.test(sentence));
}
