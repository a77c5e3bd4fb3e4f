import { MAX_JSON_DEPTH } from '../../domain/json.ts';
import type { JsonObject, JsonValue, LinePosition, MessageOrigin, TranscriptSink } from '../../domain/transcript.ts';
import { emitAttachment, emitContent, emitParts, emitText } from '../assemble/blocks.ts';
import { keepFields, openMessage } from '../assemble/messages.ts';
import {
  firstText,
  isStatedTyped,
  noteNotification,
  promptKeyOf,
  readUserText,
  statedOrigin,
  type UserText,
} from '../assemble/user-text.ts';
import { placeLine } from '../graph/place-line.ts';
import { NODE_KINDS } from '../graph/uuid-table.ts';
import { asList, asObject, asText, isDeeperThan } from '../read/json.ts';
import { type MessageDraft, noteAnomaly, type QueuedPrompt, type SessionState } from '../state.ts';
import type { LineContext } from './context.ts';

/** Small facts of the various kinds; all other fields are treated as text. */
const KEPT = [
  'hookName',
  'hookEvent',
  'toolUseID',
  'exitCode',
  'durationMs',
  'filename',
  'displayPath',
  'planFilePath',
  'itemCount',
  'skillCount',
  'commandMode',
  'source_uuid',
  'newDate',
  'met',
];
const FACTS: ReadonlySet<string> = new Set(KEPT);
/** Kinds with text that a hook wrote for this session; they are searched like messages. */
const SPOKEN: ReadonlySet<string> = new Set([
  'hook_additional_context',
  'hook_system_message',
  'hook_non_blocking_error',
  'hook_blocking_error',
]);

/** An attachment: context added by the client beside the prompts. A queued command can be a person's prompt. */
export function readAttachmentLine(context: LineContext): void {
  const { record, state } = context;
  const attachment = asObject(record['attachment']);
  if (attachment === null) noteAnomaly(state, 'shape_error');
  const kind = asText(attachment?.['type']);
  const userText = kind === 'queued_command' ? readUserText(attachment?.['prompt'], isStatedTyped(record)) : null;
  const origin = attachment === null || userText === null ? 'context' : originOf(attachment, userText);
  const isPrompt = origin === 'queued';
  const placement = placeLine(context, isPrompt ? NODE_KINDS.prompt : NODE_KINDS.attachment);
  if (placement.isCopy) return;
  const role = isPrompt ? 'human' : 'system';
  const draft = openMessage(context, placement, { messageType: 'attachment', subtype: kind, role, origin });
  if (attachment === null) return;
  keepFields(context, draft, attachment, KEPT);
  if (userText !== null) {
    emitContent(context, draft, attachment['prompt']);
    noteQueued(context, origin, userText.text);
    return;
  }
  const said =
    kind !== null && SPOKEN.has(kind) ? firstText(attachment['content']) || asText(attachment['stderr']) : '';
  if (said) emitText(context, draft, said);
  else emitAttachment(context, draft, attachmentText(attachment, FACTS));
}

/** Origin of a command that was queued while a turn was running. */
function originOf(attachment: JsonObject, userText: UserText): MessageOrigin {
  const mode = asText(attachment['commandMode']);
  const stated = statedOrigin(attachment['origin']);
  if (mode === 'task-notification' || stated === 'task_notification') return 'task_notification';
  if (stated === 'teammate') return stated;
  if (userText.origin !== null) return userText.origin;
  if (attachment['isMeta'] === true || stated !== undefined) return stated ?? 'meta';
  return userText.isPersonal && (mode === null || mode === 'prompt') ? 'queued' : 'context';
}

function noteQueued(context: LineContext, origin: MessageOrigin, text: string): void {
  const { state, thread } = context;
  if (origin === 'task_notification') noteNotification(context, text);
  if (origin !== 'queued' || thread !== 0) return;
  if (text.trim() !== '') state.facts.initialPrompt ??= text;
  state.queue.seenPrompts.add(promptKeyOf(text));
}

/** Fields that identify the attachment or repeat a hook's command: facts, not text. */
const NO_TEXT: ReadonlySet<string> = new Set(['type', 'command', 'rendered', 'digests', 'timestamp', 'source_uuid']);

/**
 * Readable text of an attachment: its texts unchanged, lists line by line, anything else as JSON. Fields in `facts` are
 * left out. Empty if there is nothing to read.
 */
function attachmentText(attachment: JsonObject, facts: ReadonlySet<string>): string {
  const texts = Object.entries(attachment).flatMap(([key, value]) => {
    const text = NO_TEXT.has(key) || facts.has(key) ? '' : readable(value);
    return text.trim() === '' ? [] : [[key, text] as const];
  });
  if (texts.length === 1) return texts[0]?.[1] ?? '';
  return texts.map(([key, text]) => (text.includes('\n') ? `${key}:\n${text}` : `${key}: ${text}`)).join('\n');
}

function readable(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null || value === false) return '';
  if (typeof value !== 'object') return String(value);
  const list = asList(value);
  if (list !== null && list.every((item) => typeof item === 'string')) return list.join('\n');
  const inner = innerText(value);
  if (inner !== null) return inner;
  const isEmpty = list === null ? Object.keys(value).length === 0 : list.length === 0;
  return isEmpty || isDeeperThan(value, MAX_JSON_DEPTH) ? '' : JSON.stringify(value, null, 2);
}

/** Text of a file, a rules file or a content block. */
function innerText(value: JsonValue): string | null {
  const object = asObject(value);
  if (object === null) return null;
  return asText(object['text']) ?? asText(object['content']) ?? asText(asObject(object['file'])?.['content']);
}

/**
 * The prompt queue: enqueue, dequeue, remove, popAll. A dequeued prompt follows as a user line. A removed one was sent
 * into the running turn, which before 2.1.101 left no other line. popAll returns prompts to the editor.
 */
export function readQueueOperationLine(context: LineContext): void {
  const { state, record } = context;
  if (placeLine(context, NODE_KINDS.other).isCopy) return;
  const operation = asText(record['operation']) ?? '';
  const userText = readUserText(record['content']);
  state.queue.operations.push({
    operation,
    timestamp: context.timestamp,
    reason: asText(record['reason']),
    characters: userText.parts.reduce((sum, { text }) => sum + text.length, 0),
  });
  if (operation === 'enqueue') enqueue(context, userText);
  else if (['dequeue', 'popAll', 'remove'].includes(operation)) take(context, userText, operation === 'remove');
}

/** A command is expanded to lines of its own; `/home/ada/shop is gone` is a prompt. */
const SLASH_COMMAND = /^\/[\w:-]{1,200}(?:\s|$)/;

/** Only typed prompts are queued here; clients put notifications into the same queue. */
function enqueue(context: LineContext, { parts, origin, text }: UserText): void {
  if (origin === 'task_notification') noteNotification(context, text);
  if (origin !== null || text.trim() === '' || SLASH_COMMAND.test(text)) return;
  const placement = { row: -1, uuid: null, isCopy: false };
  const about = { messageType: 'user', subtype: 'queue-operation', role: 'human', origin: 'queued' } as const;
  openMessage(context, placement, about).isWithdrawn = true;
  context.state.queue.waiting.push({ key: promptKeyOf(text), parts, message: context.messageIndex });
}

/** Takes the named prompt out of the queue, or the oldest one. */
function take({ state }: LineContext, { parts, text }: UserText, isAbsorbed: boolean): void {
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
