import type { BlockRow, MessageRow } from '../../api/answers/transcript.ts';

/** A message, and what is known of those after it. */
export interface Step {
  readonly message: MessageRow;
  readonly next: MessageRow | null;
  /** The result of a call, if it is near; it counts as shown from then on. */
  takeResult(callId: string): BlockRow | null;
  isTaken(block: BlockRow): boolean;
}

/** A result stands in the next message, or a few later where calls run side by side. */
const MESSAGES_AHEAD = 60;

/** Messages as they come, each with those after it in view; no more are held than that. */
export async function* lookAhead(messages: AsyncIterable<MessageRow>): AsyncGenerator<Step> {
  const held: MessageRow[] = [];
  const taken = new Set<string>();
  const step = (message: MessageRow): Step => ({
    message,
    next: held[0] ?? null,
    takeResult: (callId) => {
      // A call that was cut off can get a stand-in first and its real result later: the last one counts.
      const result = held.flatMap(({ content_blocks }) => content_blocks).findLast(isResultOf(callId)) ?? null;
      if (result !== null) taken.add(callId);
      return result;
    },
    isTaken: ({ tool_result_id }) => taken.has(tool_result_id ?? ''),
  });
  for await (const message of messages) {
    held.push(message);
    if (held.length > MESSAGES_AHEAD) yield step(held.shift() as MessageRow);
  }
  for (let message = held.shift(); message !== undefined; message = held.shift()) yield step(message);
}

function isResultOf(callId: string): (block: BlockRow) => boolean {
  return ({ tool_result_id }) => callId !== '' && tool_result_id === callId;
}
