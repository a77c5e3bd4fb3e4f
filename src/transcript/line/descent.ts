import type { JsonObject, MessageOrigin } from '../../domain/transcript.ts';
import { type DescentDraft, type FileState, type LinkDraft, noteAnomaly, type SessionState } from '../state.ts';
import { asObject, asText, isFilledText } from '../read/json.ts';
import type { LineContext, LinePlace } from './context.ts';

type Descent = Pick<LinePlace, 'isInherited' | 'copiedFrom'>;

/** Determines whether a line was copied from another session and links that session. */
export function readDescent(state: SessionState, file: FileState, record: JsonObject): Descent {
  const copiedFrom = sourceOf(state, record);
  const isInherited = isCopied(state, file, record, copiedFrom);
  if (file.role === 'main') {
    noteLead(state, record);
    if (copiedFrom === null && !isInherited) noteProcess(state, record);
    if (record['type'] === 'queue-operation') noteLeaving(state, record);
  }
  return { copiedFrom, isInherited };
}

function isCopied({ descent }: SessionState, file: FileState, record: JsonObject, copiedFrom: string | null): boolean {
  if (descent.lineage === null) return copiedFrom !== null;
  return file.role === 'main' && isFilledText(record['uuid']) && isInBeginning(descent, record);
}

/** True up to the message that `inheritedThrough` names, including all its lines. */
function isInBeginning(descent: DescentDraft, record: JsonObject): boolean {
  const apiMessageId = asText(asObject(record['message'])?.['id']);
  if (descent.isPastInherited) return apiMessageId !== null && apiMessageId === descent.lastInheritedApiId;
  if (record['uuid'] === descent.lineage?.inheritedThrough) {
    descent.isPastInherited = true;
    descent.lastInheritedApiId = apiMessageId;
  }
  return true;
}

/** The session that the line names as its own or as its fork source, if it is a different one. */
function sourceOf(state: SessionState, record: JsonObject): string | null {
  const { sessionId } = record;
  const forkedFrom = record['forkedFrom'] === undefined ? null : asObject(record['forkedFrom']);
  const origin = asText(forkedFrom?.['sessionId']);
  if (origin !== null && origin !== state.sessionId) {
    addLink(state, { kind: 'branched', sessionId: origin, uuid: asText(forkedFrom?.['messageUuid']) });
  }
  if (sessionId === state.sessionId || !isFilledText(sessionId)) return origin;
  state.facts.foreignSessionIds.add(sessionId);
  noteAnomaly(state, 'foreign_session');
  addLink(state, { kind: 'copied', sessionId, uuid: null });
  return sessionId;
}

/** A client that copies a conversation first writes lines of its own, which show when the file was created. */
function noteLead({ descent }: SessionState, record: JsonObject): void {
  if (descent.isBegun) return;
  if (isFilledText(record['uuid'])) descent.isBegun = true;
  else {
    const time = asText(record['timestamp']) ?? asText(asObject(record['snapshot'])?.['timestamp']) ?? '';
    const millis = Date.parse(time);
    if (!Number.isNaN(millis)) descent.leadMs = Math.max(descent.leadMs ?? millis, millis);
  }
}

/** `session_id` is the session the client process was started with; it differs after /clear and /branch. */
function noteProcess({ descent }: SessionState, record: JsonObject): void {
  const processId = record['entrypoint'] === undefined ? undefined : record['session_id'];
  if (isFilledText(processId)) descent.processIds.add(processId);
}

/** In print mode, a session left with /clear has the command in its queue. */
function noteLeaving({ descent }: SessionState, record: JsonObject): void {
  const isClear = record['operation'] === 'enqueue' && asText(record['content'])?.trim() === '/clear';
  if (isClear) descent.leftAt = asText(record['timestamp']);
}

const CLEAR = /<command-name>\/clear<\/command-name>/;

/**
 * A session started by /clear has the command before the first answer, though not always before the first prompt: while
 * the start hook runs, the client writes a prompt that was typed meanwhile first.
 */
export function noteClear(context: LineContext, origin: MessageOrigin, text: string): void {
  const { descent } = context.state;
  if (descent.isAnswered || context.isInherited || origin !== 'command' || !CLEAR.test(text)) return;
  descent.clearedAt = context.timestamp;
}

/** Call it for lines of the model. */
export function noteAnswer({ state, isInherited, file }: LineContext): void {
  if (file.role === 'main' && !isInherited) state.descent.isAnswered = true;
}

export function addLink(state: SessionState, link: Omit<LinkDraft, 'lines'>): void {
  const key = `${link.kind}\n${link.sessionId}`;
  const known = state.links.get(key);
  if (known === undefined) state.links.set(key, { ...link, lines: 1 });
  else known.lines += 1;
}
