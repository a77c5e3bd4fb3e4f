import type { LinePosition, TranscriptSink } from '../../domain/transcript.ts';
import { emitParts } from '../assemble/blocks.ts';
import { noteNotification } from '../assemble/injected.ts';
import { openMessage } from '../assemble/messages.ts';
import { promptKeyOf, readSpoken, type Spoken } from '../assemble/spoken-text.ts';
import { placeLine } from '../graph/place-line.ts';
import { NODE_KINDS } from '../graph/uuid-table.ts';
import { asText } from '../read/json.ts';
import type { MessageDraft, QueuedPrompt, SessionState } from '../state.ts';
import type { LineContext } from './context.ts';

/**
 * The prompt queue: enqueue, dequeue, remove, popAll. A dequeued prompt follows as a user line. A removed one was sent
 * into the running turn, which before 2.1.101 left no other line. popAll returns prompts to the editor.
 */
export function readQueueOperationLine(context: LineContext): void {
  const { state, record } = context;
  if (placeLine(context, NODE_KINDS.other).isCopy) return;
  const operation = asText(record['operation']) ?? '';
  const spoken = readSpoken(record['content']);
  state.queue.operations.push({
    operation,
    timestamp: context.timestamp,
    reason: asText(record['reason']),
    characters: spoken.parts.reduce((sum, { text }) => sum + text.length, 0),
  });
  switch (operation) {
    case 'enqueue':
      return enqueue(context, spoken);
    case 'dequeue':
      return take(context, spoken, false);
    case 'popAll':
      return take(context, spoken, false);
    case 'remove':
      return take(context, spoken, true);
    default:
  }
}

/** Only typed prompts are queued here; clients put notifications into the same queue. */
function enqueue(context: LineContext, { parts, origin, text }: Spoken): void {
  if (origin === 'task_notification') noteNotification(context, text);
  if (origin !== null || text.trim() === '' || text.startsWith('/')) return;
  const placement = { row: -1, uuid: null, isCopy: false };
  const about = { messageType: 'user', subtype: 'queue-operation', role: 'human', origin: 'queued' } as const;
  openMessage(context, placement, about).isWithdrawn = true;
  context.state.queue.waiting.push({ key: promptKeyOf(text), parts, message: context.messageIndex });
}

/** Takes the named prompt out of the queue, or the oldest one. */
function take({ state }: LineContext, { parts, text }: Spoken, isAbsorbed: boolean): void {
  const { waiting, absorbed } = state.queue;
  const isNamed = parts.some((part) => part.text !== '');
  const key = promptKeyOf(text);
  const at = isNamed ? waiting.findIndex((prompt) => prompt.key === key) : 0;
  const [taken] = at < 0 ? [] : waiting.splice(at, 1);
  if (taken !== undefined && isAbsorbed) absorbed.push(taken satisfies QueuedPrompt);
}

/**
 * Prompts that were sent from the queue into a running turn. Newer clients also write them as an attachment; if no
 * other line has the text, the queue operation becomes the message.
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
