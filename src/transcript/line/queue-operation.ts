import { openMessage } from '../assemble/messages.ts';
import { noteNotification } from '../assemble/injected.ts';
import { promptKeyOf } from '../assemble/prompt-key.ts';
import { firstText } from '../assemble/spoken-text.ts';
import { placeLine } from '../graph/place-line.ts';
import { NODE_KINDS } from '../graph/uuid-table.ts';
import { asText } from '../read/json.ts';
import type { QueuedPrompt } from '../state.ts';
import type { LineContext } from './context.ts';

/**
 * The prompt queue: enqueue, dequeue, remove, popAll. A dequeued prompt comes as a user line; a removed one went into
 * the running turn, before 2.1.101 without leaving any other line; popAll gives prompts back to the editor.
 */
export function readQueueOperationLine(context: LineContext): void {
  const { state, record } = context;
  if (placeLine(context, NODE_KINDS.other).isCopy) return;
  const operation = asText(record['operation']) ?? '';
  const text = firstText(record['content']);
  state.queue.operations.push({
    operation,
    timestamp: context.timestamp,
    reason: asText(record['reason']),
    characters: text.length,
  });
  switch (operation) {
    case 'enqueue':
      return enqueue(context, text);
    case 'dequeue':
      return take(context, text, false);
    case 'popAll':
      return take(context, text, false);
    case 'remove':
      return take(context, text, true);
    default:
  }
}

function enqueue(context: LineContext, text: string): void {
  if (text.startsWith('<task-notification>')) {
    noteNotification(context, text);
    return;
  }
  if (text === '' || text.startsWith('/') || text.startsWith('<')) return;
  const placement = { row: -1, uuid: null, isCopy: false };
  const about = { messageType: 'user', subtype: 'queue-operation', role: 'human', origin: 'queued' } as const;
  openMessage(context, placement, about).isWithdrawn = true;
  context.state.queue.waiting.push({ key: promptKeyOf(text), text, message: context.messageIndex });
}

/** Takes the named prompt out of the queue, or the oldest. */
function take({ state }: LineContext, text: string, isAbsorbed: boolean): void {
  const { waiting, absorbed } = state.queue;
  const key = text === '' ? null : promptKeyOf(text);
  const at = key === null ? 0 : waiting.findIndex((prompt) => prompt.key === key);
  const [taken] = at < 0 ? [] : waiting.splice(at, 1);
  if (taken !== undefined && isAbsorbed) absorbed.push(taken satisfies QueuedPrompt);
}
