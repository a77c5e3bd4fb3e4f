import type { MessageRow } from '../../domain/query.ts';

/** The words of a message, its text blocks one below the other. */
export function textOf(message: MessageRow): string {
  return message.content_blocks
    .map((block) => block.content_text ?? block.result_text ?? '')
    .filter((text) => text !== '')
    .join('\n\n');
}
