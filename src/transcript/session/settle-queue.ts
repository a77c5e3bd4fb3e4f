import type { TranscriptSink } from '../../domain/transcript.ts';
import type { MessageDraft, SessionState } from '../state.ts';

/**
 * Prompts that went from the queue into a running turn. Newer clients write them as an attachment too; where no line
 * has the text, the queue operation is all there is and becomes the message.
 */
export function settleQueue(state: SessionState, sink: TranscriptSink): void {
  for (const { key, text, message } of state.queue.absorbed) {
    const draft = state.messages[message] as MessageDraft;
    draft.isWithdrawn = state.queue.seenPrompts.has(key);
    if (draft.isWithdrawn) continue;
    draft.hasText = true;
    draft.blockCount = 1;
    sink.block({
      messageId: draft.id,
      blockOrder: 0,
      blockType: 'text',
      contentText: text,
      thinkingText: null,
      toolName: null,
      toolUseId: null,
      toolInput: null,
      toolResultId: null,
      isError: null,
      resultText: null,
      line: draft.lines[0] as MessageDraft['lines'][number],
      metadata: {},
    });
  }
}
