import { MAX_JSON_DEPTH } from '../../domain/json.ts';
import type { JsonObject, MessageOrigin, MessageRole, MessageType } from '../../domain/transcript.ts';
import { type Placement, positionId } from '../graph/place-line.ts';
import type { LineContext } from '../line/context.ts';
import { requestIdOf } from '../read/api-id.ts';
import { asText, isDeeperThan } from '../read/json.ts';
import { type MessageDraft, noteAnomaly } from '../state.ts';
import { laterTime } from './timestamp.ts';

interface NewMessage {
  readonly messageType: MessageType;
  readonly subtype?: string | null;
  readonly role: MessageRole;
  readonly origin: MessageOrigin;
  readonly apiMessageId?: string | null;
  readonly requestId?: string | null;
}

/** Opens a message at the current line and links the line to it in the graph. */
export function openMessage(context: LineContext, placement: Placement, about: NewMessage): MessageDraft {
  const { state } = context;
  const draft = createDraft(context, placement.uuid ?? positionId(context), about);
  context.messageIndex = state.messages.length;
  state.messages.push(draft);
  if (placement.row >= 0) state.uuids.message[placement.row] = context.messageIndex;
  return draft;
}

export function createDraft(context: LineContext, id: string, about: NewMessage): MessageDraft {
  return {
    id,
    thread: context.thread,
    messageType: about.messageType,
    subtype: about.subtype ?? null,
    role: about.role,
    origin: about.origin,
    lines: [context.position],
    uuid: context.uuid,
    parentUuid: context.parentUuid,
    lastUuid: context.uuid,
    apiMessageId: about.apiMessageId ?? null,
    requestId: about.requestId ?? null,
    model: null,
    stopReason: null,
    usage: null,
    timestamp: context.timestamp,
    lastTimestamp: context.timestamp,
    isSidechain: context.isSidechain,
    isMeta: about.messageType !== 'assistant' && context.record['isMeta'] === true,
    isInherited: context.isInherited,
    copiedFrom: context.copiedFrom,
    gitBranch: context.state.envelope.gitBranch,
    hasText: false,
    hasThinking: false,
    hasToolUse: false,
    hasToolResult: false,
    thinkingBlocks: 0,
    blockCount: 0,
    chars: 0,
    replayOf: -1,
    isWithdrawn: false,
    ...clientFacts(context),
    iterations: null,
    cacheMiss: null,
    metadata: {},
  };
}

/** Facts about the client that wrote the line. */
function clientFacts({ state, record, thread }: LineContext) {
  const { version, permissionMode } = state.envelope;
  const teamName = record['teamName'] === undefined ? null : asText(record['teamName']);
  return {
    version: version === '' ? null : version,
    entrypoint: asText(record['entrypoint']),
    userType: asText(record['userType']),
    teamName: teamName ?? state.threads[thread]?.teamName ?? null,
    permissionMode: thread === 0 ? permissionMode : null,
  };
}

/** Adds another line to an open message. */
function extendMessage(context: LineContext, placement: Placement, index: number): MessageDraft {
  const draft = context.state.messages[index] as MessageDraft;
  draft.lines.push(context.position);
  draft.lastUuid = context.uuid ?? draft.lastUuid;
  draft.timestamp ??= context.timestamp;
  draft.lastTimestamp = laterTime(draft.lastTimestamp, context.timestamp);
  context.messageIndex = index;
  if (placement.row >= 0) context.state.uuids.message[placement.row] = index;
  return draft;
}

/** Copies those of the given fields that are present into the message's metadata. */
export function keepFields(context: LineContext, draft: MessageDraft, from: JsonObject, keys: readonly string[]): void {
  for (const key of keys) {
    const value = from[key];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    if (isDeeperThan(value, MAX_JSON_DEPTH)) noteAnomaly(context.state, 'too_deep');
    else draft.metadata[key] = value;
  }
}

const NONE: readonly number[] = [];

/**
 * The message for an API id. One id is one message, even if some lines lack a request id. The same id under several
 * request ids is several messages, except that a side question replays messages of the main thread under its own
 * request id.
 */
export function apiMessageOf(context: LineContext, placement: Placement, apiMessageId: string | null): MessageDraft {
  const { state, record } = context;
  const requestId = requestIdOf(record);
  const about = { messageType: 'assistant', role: 'assistant', origin: 'model', apiMessageId, requestId } as const;
  if (apiMessageId === null) return openMessage(context, placement, about);
  const same = findApiMessage(context, apiMessageId);
  if (same >= 0) {
    (state.messages[same] as MessageDraft).requestId ??= requestId;
    return extendMessage(context, placement, same);
  }
  const known = state.apiMessages.get(apiMessageId) ?? NONE;
  const draft = openMessage(context, placement, about);
  state.apiMessages.set(apiMessageId, known.length === 0 ? [context.messageIndex] : [...known, context.messageIndex]);
  if (known.length > 0) markReplay(state.messages, known, context.messageIndex);
  return draft;
}

/** Index of the message that a line with this API id continues, or -1 if the line opens a new one. */
export function findApiMessage({ state, record, thread }: LineContext, apiMessageId: string): number {
  const requestId = requestIdOf(record);
  for (const index of state.apiMessages.get(apiMessageId) ?? NONE) {
    const draft = state.messages[index] as MessageDraft;
    if (draft.thread === thread && isSameRequest(draft.requestId, requestId)) return index;
  }
  return -1;
}

function isSameRequest(a: string | null, b: string | null): boolean {
  return a === null || b === null || a === b;
}

/** An API message in two threads is a replay in one of them: never in the main thread, else in the one read later. */
function markReplay(messages: readonly MessageDraft[], known: readonly number[], index: number): void {
  const draft = messages[index] as MessageDraft;
  for (const otherIndex of known) {
    const other = messages[otherIndex] as MessageDraft;
    if (other.thread === draft.thread || other.replayOf >= 0) continue;
    if (draft.thread !== 0) {
      draft.replayOf = otherIndex;
      return;
    }
    other.replayOf = index;
    if (isSameRequest(other.requestId, draft.requestId)) draft.usage = other.usage;
    other.usage = null;
  }
}
