import type { JsonObject, JsonValue, LinePosition, MessageOrigin, TranscriptSink } from '../../domain/transcript.ts';
import { earlierTime, isPlausibleTime, laterTime } from '../assemble/timestamp.ts';
import { isUndercounting } from '../assemble/usage.ts';
import { threadOfAgent } from '../create-state.ts';
import { findRow } from '../graph/uuid-table.ts';
import { apiIdOf } from '../read/api-id.ts';
import { asObject, asText, isFilledText } from '../read/json.ts';
import {
  type DescentDraft,
  type FileState,
  type LinkDraft,
  noteAnomaly,
  type SessionState,
  type ThreadDraft,
} from '../state.ts';

interface LinePlace {
  readonly state: SessionState;
  readonly sink: TranscriptSink;
  readonly file: FileState;
  readonly record: JsonObject;
  readonly position: LinePosition;
  /** Thread of the line; 0 is the main conversation. */
  readonly thread: number;
  /** True if the line is in the initial part that was copied from another session. */
  readonly isInherited: boolean;
  /** The session that the line names as its source. */
  readonly copiedFrom: string | null;
}

/** Input of a line reader. Frequently used fields are taken from the record once. */
export interface LineContext extends LinePlace {
  readonly uuid: string | null;
  readonly parentUuid: string | null;
  /** Null for a line without a time or with an implausible one. */
  readonly timestamp: string | null;
  readonly message: JsonObject | null;
  readonly isSidechain: boolean;
  /** Index of the message that the line opened or continued; -1 before that. */
  messageIndex: number;
}

/** Reads one line type and adds its content to the session. */
export type LineReader = (context: LineContext) => void;

export function createContext(place: LinePlace): LineContext {
  const { record } = place;
  return {
    ...place,
    uuid: asText(record['uuid']),
    parentUuid: asText(record['parentUuid']),
    timestamp: checkedTime(place.state, record['timestamp']),
    message: asObject(record['message']),
    isSidechain: record['isSidechain'] === true,
    messageIndex: -1,
  };
}

/** Implausible times (a clock in 1970 or 9999, text that is not a time) are counted but never used. */
function checkedTime(state: SessionState, value: JsonValue | undefined): string | null {
  const time = plausibleTime(value);
  if (time === null && value !== undefined && value !== null) noteAnomaly(state, 'bad_timestamp');
  return time;
}

function plausibleTime(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && isPlausibleTime(value) ? value : null;
}

/** Fields present on most lines of any type. They rarely change, so each is compared with the last value first. */
export function readEnvelope(state: SessionState, file: FileState, record: JsonObject): void {
  const { envelope, facts } = state;
  const { version, cwd, gitBranch, slug } = record;
  if (version !== envelope.version && isFilledText(version)) {
    envelope.version = version;
    envelope.isUndercounting = isUndercounting(version);
    facts.versions.add(version);
  }
  if (record['teamName'] !== undefined) readTeam(state, file, record);
  if (file.role !== 'main') {
    if (isFilledText(cwd)) facts.agentCwds.add(cwd);
    if (isFilledText(gitBranch)) facts.agentBranches.add(gitBranch);
    return;
  }
  if (cwd !== envelope.cwd && isFilledText(cwd)) {
    envelope.cwd = cwd;
    facts.cwds.add(cwd);
  }
  if (gitBranch !== envelope.gitBranch && isFilledText(gitBranch)) {
    envelope.gitBranch = gitBranch;
    facts.gitBranches.add(gitBranch);
  }
  if (slug !== undefined && slug !== envelope.slug && isFilledText(slug)) {
    envelope.slug = slug;
    facts.slugs.add(slug);
  }
  facts.entrypoint ??= asText(record['entrypoint']);
}

/** Start and end of the main files, as a minimum and maximum because lines and files come in any order. */
export function noteTime({ facts }: SessionState, file: FileState, timestamp: string | null): void {
  if (file.role !== 'main') return;
  facts.startedAt = earlierTime(facts.startedAt, timestamp);
  facts.endedAt = laterTime(facts.endedAt, timestamp);
}

/** Lines of a team carry its name; in a teammate's own files they also carry the teammate's name. */
function readTeam(state: SessionState, file: FileState, record: JsonObject): void {
  const thread = state.threads[file.agentId === null ? 0 : (state.threadByAgent.get(file.agentId) ?? 0)] as ThreadDraft;
  thread.teamName ??= asText(record['teamName']);
  thread.agentName ??= asText(record['agentName']);
}

/** Thread of a line. Old clients wrote sub-agents into the main file, marked as side chains. */
export function threadOf(state: SessionState, file: FileState, record: JsonObject): number {
  if (file.agentId !== null) return state.threadByAgent.get(file.agentId) ?? 0;
  if (record['isSidechain'] !== true) return 0;
  const agentId = asText(record['agentId']);
  if (agentId !== null && agentId !== '') return threadOfAgent(state, agentId, 'inline');
  const parent = asText(record['parentUuid']);
  const row = parent === null ? -1 : findRow(state.uuids, parent);
  const inherited = row < 0 ? 0 : (state.uuids.thread[row] as number);
  if (inherited !== 0) return inherited;
  return threadOfAgent(state, `inline:${asText(record['uuid']) ?? state.recordCount}`, 'inline');
}

type Descent = Pick<LinePlace, 'isInherited' | 'copiedFrom'>;

/** Determines whether a line was copied from another session and links that session. */
export function readDescent(state: SessionState, file: FileState, record: JsonObject): Descent {
  const source = sourceOf(state, record);
  const isInherited = isCopied(state, file, record, source);
  const copiedFrom = source ?? requesterOf(state, record);
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
  const apiMessageId = apiIdOf(record, asObject(record['message']));
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

/**
 * From 2.1.326 an answer that was copied names the session that had asked for it. The prompts and results around it do
 * not, so it says where the conversation comes from, but not which lines were copied.
 */
function requesterOf(state: SessionState, record: JsonObject): string | null {
  const requester = record['requestSessionId'];
  if (!isFilledText(requester) || requester === state.sessionId) return null;
  state.descent.requesters.add(requester);
  addLink(state, { kind: 'copied', sessionId: requester, uuid: null });
  return requester;
}

/** A client that copies a conversation first writes lines of its own, which show when the file was created. */
function noteLead({ descent }: SessionState, record: JsonObject): void {
  if (descent.isBegun) return;
  if (isFilledText(record['uuid'])) descent.isBegun = true;
  else {
    const time = plausibleTime(record['timestamp']) ?? plausibleTime(asObject(record['snapshot'])?.['timestamp']);
    if (time !== null) descent.leadMs = Math.max(descent.leadMs ?? 0, Date.parse(time));
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
  if (isClear) descent.leftAt = plausibleTime(record['timestamp']);
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
