import type { ContentBlock } from '../../src/domain/transcript.ts';

/** A block with only the given fields set. */
export function makeBlock(blockOrder: number, fields: Partial<ContentBlock>): ContentBlock {
  return {
    messageId: 'm',
    blockOrder,
    blockType: 'text',
    contentText: null,
    thinkingText: null,
    toolName: null,
    toolUseId: null,
    toolInput: null,
    toolResultId: null,
    isError: null,
    resultText: null,
    line: { file: 0, line: 1, offset: 0, length: 1 },
    metadata: {},
    ...fields,
  };
}
