import type { TranscriptMessage } from './transcript.ts';
import type { Compaction, ToolCall } from './transcript-structure.ts';

type PathMessage = Pick<
  TranscriptMessage,
  'id' | 'ordinal' | 'uuid' | 'parentMessageId' | 'messageType' | 'subtype' | 'origin'
>;

/** As much of a session as a path needs. */
interface PathSession<M extends PathMessage = PathMessage> {
  readonly messages: readonly M[];
  readonly compactions: readonly Pick<Compaction, 'id' | 'preservedUuids'>[];
  readonly toolCalls: readonly Pick<ToolCall, 'messageId' | 'resultMessageId'>[];
}

/**
 * The path the model saw when it wrote a message: its chain up to the last compaction, with what that preserved, and
 * with the results of all parallel calls (each hangs under its own call, so the chain alone has only one of them).
 */
export function pathSeenByModel<M extends PathMessage>(session: PathSession<M>, messageId: string): readonly M[] {
  const byId = new Map(session.messages.map((message) => [message.id, message]));
  const target = byId.get(messageId);
  if (target === undefined) return [];
  const chain = chainOf(byId, target);
  const seen = new Set(chain.map((message) => message.id));
  const boundary = chain.find((message) => message.subtype === 'compact_boundary');
  if (boundary !== undefined) addPreserved(session, boundary.id, seen);
  addParallelResults(session, seen, target);
  return session.messages.filter((message) => seen.has(message.id) && isShownToModel(message));
}

/** From the message upwards, the first compaction boundary included. */
function chainOf(byId: ReadonlyMap<string, PathMessage>, target: PathMessage): PathMessage[] {
  const chain: PathMessage[] = [];
  const visited = new Set<string>();
  let at: PathMessage | undefined = target;
  while (at !== undefined && !visited.has(at.id)) {
    visited.add(at.id);
    chain.push(at);
    if (at.subtype === 'compact_boundary') break;
    at = at.parentMessageId === null ? undefined : byId.get(at.parentMessageId);
  }
  return chain;
}

function addPreserved(session: PathSession, boundaryId: string, seen: Set<string>): void {
  const compaction = session.compactions.find((found) => found.id === boundaryId);
  const preserved = new Set(compaction?.preservedUuids);
  if (preserved.size === 0) return;
  for (const message of session.messages) {
    if (message.uuid !== null && preserved.has(message.uuid)) seen.add(message.id);
  }
}

function addParallelResults(session: PathSession, seen: Set<string>, target: PathMessage): void {
  const before = new Map(session.messages.map((message) => [message.id, message.ordinal]));
  for (const call of session.toolCalls) {
    if (call.messageId === null || call.resultMessageId === null || !seen.has(call.messageId)) continue;
    if ((before.get(call.resultMessageId) ?? Infinity) < target.ordinal) seen.add(call.resultMessageId);
  }
}

function isShownToModel({ messageType, subtype, origin }: PathMessage): boolean {
  if (messageType === 'summary' || origin === 'synthetic') return false;
  return messageType !== 'system' || subtype === 'compact_boundary';
}
