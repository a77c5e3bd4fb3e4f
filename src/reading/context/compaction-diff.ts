import type { CompactionDiff, LostItem } from '../../api/context.ts';
import { createMentions, sentencesOf } from './mentions.ts';

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
