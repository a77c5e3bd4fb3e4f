import type { JsonObject, MessageOrigin, MessageRole, MessageType } from '../../domain/transcript.ts';
import type { LineContext } from '../line/context.ts';
import { type Placement, positionId } from '../graph/place-line.ts';
import { noteAnomaly } from '../note.ts';
import { asText, isDeeperThan, MAX_JSON_DEPTH } from '../read/json.ts';
import type { MessageDraft } from '../state.ts';
import { laterTime } from './timestamp.ts';

export interface NewMessage {
  readonly messageType: MessageType;
  readonly subtype?: string | null;
  readonly role: MessageRole;
  readonly origin: MessageOrigin;
  readonly apiMessageId?: string | null;
  readonly requestId?: string | null;
}

/** Opens a message at the line of the context and makes it the line's message in the graph. */
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
    replayOf: -1,
    isWithdrawn: false,
    ...clientFacts(context),
    iterations: null,
    cacheMiss: null,
    metadata: {},
  };
}

/** What the line says about the client that wrote it. */
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

/** Adds a further line to a message that is already open. */
export function extendMessage(context: LineContext, placement: Placement, index: number): MessageDraft {
  const draft = context.state.messages[index] as MessageDraft;
  draft.lines.push(context.position);
  draft.lastUuid = context.uuid ?? draft.lastUuid;
  draft.timestamp ??= context.timestamp;
  draft.lastTimestamp = laterTime(draft.lastTimestamp, context.timestamp);
  context.messageIndex = index;
  if (placement.row >= 0) context.state.uuids.message[placement.row] = index;
  return draft;
}

/** Copies what is present of these fields into the message's metadata. */
export function keepFields(context: LineContext, draft: MessageDraft, from: JsonObject, keys: readonly string[]): void {
  for (const key of keys) {
    const value = from[key];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    if (isDeeperThan(value, MAX_JSON_DEPTH)) noteAnomaly(context.state, 'too_deep');
    else draft.metadata[key] = value;
  }
}
