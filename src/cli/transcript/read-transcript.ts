import type { BlockRow, MessageRow } from '../../api/transcript.ts';
import { isCut, readMessages } from '../../reading/read-messages.ts';
import type { Source } from '../source.ts';

type Reader = Pick<Source, 'get'>;

/** All messages of a session. */
export function readWholeTranscript(source: Reader, sessionId: string): AsyncGenerator<MessageRow> {
  return noted(readMessages(source.get, sessionId));
}

/** The messages of one sub-agent; null is the main conversation. */
export function readThread(source: Reader, sessionId: string, agentId: string | null): AsyncGenerator<MessageRow> {
  return noted(readMessages(source.get, sessionId, { agentId }));
}

/** Text that exceeds the limit of a row gets a note. */
async function* noted(messages: AsyncIterable<MessageRow>): AsyncGenerator<MessageRow> {
  for await (const message of messages)
    yield isCut(message) ? { ...message, content_blocks: message.content_blocks.map(withNote) } : message;
}

function withNote(block: BlockRow): BlockRow {
  if (block.metadata['truncated'] !== true) return block;
  const note =
    '\n[This text is too long and was cut here. `fuel-code session <id> --export parsed` writes the whole text.]';
  const withEnd = (text: string | null) => (text === null ? null : text + note);
  return {
    ...block,
    content_text: withEnd(block.content_text),
    thinking_text: withEnd(block.thinking_text),
    result_text: withEnd(block.result_text),
  };
}
