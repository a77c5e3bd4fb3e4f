import type { LinePosition, TranscriptSink } from '../../domain/transcript.ts';
import { emitParts } from '../assemble/blocks.ts';
import type { MessageDraft, SessionState } from '../state.ts';

/**
 * Prompts that went from the queue into a running turn. Newer clients write them as an attachment too; where no line
 * has the text, the queue operation is all there is and becomes the message.
 */
export function settleQueue(state: SessionState, sink: TranscriptSink): void {
  for (const { key, parts, message } of state.queue.absorbed) {
    const draft = state.messages[message] as MessageDraft;
    draft.isWithdrawn = state.queue.seenPrompts.has(key);
    if (draft.isWithdrawn) continue;
    draft.hasText = true;
    emitParts({ sink, position: draft.lines[0] as LinePosition }, draft, parts);
  }
}
