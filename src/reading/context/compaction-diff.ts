import type { CompactionDiff, LostItem } from '../../api/context.ts';
import { fileName } from '../../domain/file-path.ts';

/** The messages and calls between the previous compaction and this one. */
export interface CompactedRows {
  readonly prompts: readonly CompactedText[];
  readonly decisions: readonly CompactedText[];
  /** Files with the first call that touched each. */
  readonly files: readonly CompactedText[];
  /** Calls whose results were cleared. */
  readonly cleared: readonly CompactedText[];
  readonly is_complete: boolean;
}

interface CompactedText {
  readonly ordinal: number;
  readonly text: string;
  /** It is still in the context after the compaction. */
  readonly is_preserved: boolean;
}

type CompactionHead = Omit<CompactionDiff, 'items' | 'kept' | 'lost' | 'is_complete'>;

/** Compares what was in the context with the summary that replaced it. */
export function diffCompaction(head: CompactionHead, rows: CompactedRows): CompactionDiff {
  const mentions = createMentions(head.summary ?? '');
  const whole = (kind: LostItem['kind'], { ordinal, text }: CompactedText, isKept: boolean): LostItem => ({
    kind,
    ordinal,
    is_kept: isKept,
    parts: [{ text, is_kept: isKept }],
  });
  const items = [
    ...rows.prompts.map((prompt) => promptItem(prompt, mentions.hasSentence)),
    ...rows.decisions.map((row) => whole('decision', row, row.is_preserved || mentions.hasSentence(row.text))),
    ...rows.files.map((row) => whole('file', row, row.is_preserved || mentions.hasFile(row.text))),
    ...rows.cleared.map((row) => whole('result', row, false)),
  ];
  const kept = items.filter(({ is_kept }) => is_kept).length;
  return { ...head, items, kept, lost: items.length - kept, is_complete: rows.is_complete };
}

function promptItem({ ordinal, text, is_preserved }: CompactedText, isMentioned: (text: string) => boolean): LostItem {
  const parts = sentencesOf(text).map((sentence) => ({
    text: sentence,
    is_kept: is_preserved || isMentioned(sentence),
  }));
  return { kind: 'prompt', ordinal, is_kept: parts.every(({ is_kept }) => is_kept), parts };
}

/** Decides whether a summary still mentions what was said before. */
export interface Mentions {
  /** Whether all that matters in a sentence is in the summary. */
  readonly hasSentence: (sentence: string) => boolean;
  /** Whether a file is named in it, with or without its folder. */
  readonly hasFile: (path: string) => boolean;
}

/** Share of the distinctive words of a sentence that must be in the summary. */
const MIN_SHARE = 0.7;
const MIN_WORD_CHARS = 4;
/** Words that do not show what a sentence is about. */
const COMMON = new Set(
  (
    'about after again also another because been before being both cannot could does doing done each even every from have having here ' +
    'into just like make many more most much must need only other over please same shall should some such than that their them then ' +
    'there these they thing this those very want well were what when where which while will with would your yours'
  ).split(' '),
);

export function createMentions(summary: string): Mentions {
  const plain = plainOf(summary);
  const words = new Set(wordsOf(summary));
  const lower = summary.toLowerCase();
  return {
    hasSentence: (sentence) => {
      const wanted = wordsOf(sentence).filter((word) => word.length >= MIN_WORD_CHARS && !COMMON.has(word));
      // A single word is a heading or a yes.
      if (wanted.length < 2 || plain.includes(plainOf(sentence))) return true;
      const found = wanted.filter((word) => words.has(word)).length;
      return found / wanted.length >= MIN_SHARE;
    },
    hasFile: (path) => {
      const name = fileName(path).toLowerCase();
      return name !== '' && lower.includes(name);
    },
  };
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function plainOf(text: string): string {
  return ` ${wordsOf(text).join(' ')} `;
}

const MAX_SENTENCES = 60;
/** Ends of sentences and lines, and the marks of list items. */
const ENDS = /(?<=[.!?])\s+(?=\S)|\n+/;

/** The sentences of a prompt; what follows a great many of them is one piece. */
export function sentencesOf(text: string): readonly string[] {
  const all = text
    .split(ENDS)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  return all.length <= MAX_SENTENCES
    ? all
    : [...all.slice(0, MAX_SENTENCES - 1), all.slice(MAX_SENTENCES - 1).join(' ')];
}
