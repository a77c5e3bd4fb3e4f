import { teammateMessages } from '../../domain/teammate-message.ts';
import { joinSaid, originOfParts, readMachineJson, splitText, type TextPart } from '../../domain/text-origin.ts';
import type { JsonObject, JsonValue, MessageOrigin } from '../../domain/transcript.ts';
import { UUID_PATTERN } from '../../lib/ids.ts';
import { addLink, type LineContext } from '../line/context.ts';
import { asList, asObject, asText } from '../read/json.ts';
import { countMessage } from './session-tools.ts';

/** First text of a content; '' if it contains only images. */
export function firstText(content: JsonValue | undefined): string {
  return textsOf(content)[0] ?? '';
}

function textsOf(content: JsonValue | undefined): readonly string[] {
  if (typeof content === 'string') return [content];
  return (asList(content) ?? []).flatMap((block) =>
    typeof block === 'string' ? [block] : (asText(asObject(block)?.['text']) ?? []),
  );
}

/** The speaker and the text of a content. */
export interface UserText {
  readonly parts: readonly TextPart[];
  /** Origin of a content without words from a person; null if a person spoke or if there is no text. */
  readonly origin: MessageOrigin | null;
  /** The person's words; if there are none, the injected text that determined the origin. */
  readonly text: string;
  /** True if a person wrote something or attached an image. */
  readonly isPersonal: boolean;
}

export function readUserText(content: JsonValue | undefined, isTyped = false): UserText {
  const parts = textsOf(content).flatMap((text) => splitText(text, isTyped));
  const said = joinSaid(parts);
  const hasMedia = (asList(content) ?? []).some((block) => MEDIA.has(asText(asObject(block)?.['type']) ?? ''));
  const origin = hasMedia ? null : originOfParts(parts);
  const text = origin === null ? said : (parts.find((part) => part.origin === origin)?.text ?? '');
  // An empty prompt is still a prompt; content that is missing or an empty list is none.
  const isEmpty = typeof content === 'string' && content.trim() === '';
  return { parts, origin, text, isPersonal: hasMedia || isEmpty || said.trim() !== '' };
}

const MEDIA: ReadonlySet<string> = new Set(['image', 'document']);

const HEAD_CHARS = 512;
const TAIL_CHARS = 128;

/** Short key for finding the same prompt again without storing it: its length and a hash of both ends. */
export function promptKeyOf(text: string): string {
  const hash = hashOf(hashOf(0x811c9dc5, text.slice(0, HEAD_CHARS)), text.slice(-TAIL_CHARS));
  return `${text.length}:${(hash >>> 0).toString(36)}`;
}

function hashOf(seed: number, text: string): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** Values of `origin.kind`, `turnOrigin` and `promptSource` (newer clients) that mark injected messages. */
const STATED: ReadonlyMap<string, MessageOrigin> = new Map([
  ['task-notification', 'task_notification'],
  ['task_notification', 'task_notification'],
  ['coordinator', 'teammate'],
  ['teammate', 'teammate'],
  ['peer', 'teammate'],
  ['system', 'meta'],
  ['auto-continuation', 'meta'],
  ['auto_continuation', 'meta'],
  ['channel', 'meta'],
  ['host_synthetic', 'meta'],
  ['observer-activity', 'meta'],
  ['plugin', 'meta'],
]);

/** The origin that the client states for a prompt; undefined if it states none, or a person. */
export function statedOrigin(source: JsonValue | undefined): MessageOrigin | undefined {
  return STATED.get(asText(asObject(source)?.['kind']) ?? '');
}

/** Whether the client states that a prompt was typed, or sent by a program in place of a person. */
export function isStatedTyped(record: JsonObject): boolean {
  const { origin, promptSource, humanTurn } = asObject(record['attachment']) ?? record;
  const isPerson = asText(asObject(origin)?.['kind']) === 'human' || humanTurn === true;
  return isPerson || promptSource === 'typed' || promptSource === 'sdk';
}

/** Origin of a user line that contains no tool result. */
export function originOfUserLine(record: JsonObject, userText: UserText, isAgentThread: boolean): MessageOrigin {
  if (record['isCompactSummary'] === true) return 'compact_summary';
  if (userText.origin !== null) return userText.origin;
  if (record['isMeta'] === true || record['isVisibleInTranscriptOnly'] === true) return 'meta';
  const stated =
    statedOrigin(record['origin']) ??
    STATED.get(asText(record['turnOrigin']) ?? '') ??
    STATED.get(asText(record['promptSource']) ?? '');
  if (stated !== undefined) return stated;
  if (isAgentThread) return 'agent_prompt';
  return userText.isPersonal ? 'human' : 'meta';
}

/** True for messages that request something; text injected by the client is shown separately from their words. */
export function isRequest(origin: MessageOrigin): boolean {
  return origin === 'human' || origin === 'queued' || origin === 'agent_prompt';
}

/** Injected texts that carry structured facts: notifications, teammate messages, plans from other sessions. */

/** Tags and phrases are near the start or the end; long results come between them. */
const SEARCHED_CHARS = 4096;
const TASK_ID = /<task-id>([^<]{1,128})<\/task-id>/;
const TOOL_USE_ID = /<tool-use-id>([^<]{1,128})<\/tool-use-id>/;
const STATUS = /<status>([^<]{1,64})<\/status>/;
const PLAN_OPENING = 'Implement the following plan:';
const PLANNING_SESSION = new RegExp(`(${UUID_PATTERN})\\.jsonl`);

export function noteInjected(context: LineContext, origin: MessageOrigin, text: string): void {
  if (origin === 'task_notification') noteNotification(context, text);
  else if (origin === 'teammate') noteTeammateMessage(context, text);
  else if (origin === 'human' && text.startsWith(PLAN_OPENING)) notePlanToDo(context, text);
}

export function noteNotification({ state }: LineContext, text: string): void {
  const { taskId, toolUseId, status } = readNotification(text);
  if (taskId === null) return;
  const known = state.notifications.get(taskId);
  if (known === undefined) state.notifications.set(taskId, { taskId, toolUseId, status });
  else {
    known.toolUseId ??= toolUseId;
    known.status = status ?? known.status;
  }
}

type Notification = { readonly [K in 'taskId' | 'toolUseId' | 'status']: string | null };

/** Notifications use tags; clients 2.1.45 to 2.1.50 wrote JSON. */
function readNotification(text: string): Notification {
  const json = readMachineJson(text);
  if (json !== null) {
    const pick = (...keys: readonly string[]) => keys.map((key) => asText(json[key])).find((value) => value) ?? null;
    return {
      taskId: pick('task_id', 'taskId'),
      toolUseId: pick('tool_use_id', 'toolUseId'),
      status: pick('status', 'task_status'),
    };
  }
  const head = text.slice(0, SEARCHED_CHARS);
  const find = (pattern: RegExp) => pattern.exec(head)?.[1] ?? null;
  return { taskId: find(TASK_ID), toolUseId: find(TOOL_USE_ID), status: find(STATUS) };
}

function noteTeammateMessage({ state, thread }: LineContext, text: string): void {
  if (thread !== 0) return;
  const messages = teammateMessages(text);
  for (const { sender, isProtocol } of messages) if (!isProtocol) countMessage(state.teamTalk.from, sender);
  const first = messages[0];
  if (first !== undefined && first.text !== '' && !first.isProtocol) state.facts.firstTask ??= first.text;
}

/** The client writes this prompt when a plan is executed in a fresh session; it names the planning session. */
function notePlanToDo({ state, record, messageIndex }: LineContext, text: string): void {
  const tail = text.slice(-SEARCHED_CHARS);
  const planningSessionId = tail.includes('.jsonl') ? (PLANNING_SESSION.exec(tail)?.[1] ?? null) : null;
  const plan = asText(record['planContent']);
  state.plans.push({
    toolUseId: null,
    message: messageIndex,
    filePath: null,
    planningSessionId,
    characters: plan?.length ?? text.length - PLAN_OPENING.length,
    text: plan ?? text.slice(PLAN_OPENING.length).trim(),
  });
  if (planningSessionId !== null && planningSessionId !== state.sessionId) {
    addLink(state, { kind: 'planned', sessionId: planningSessionId, uuid: null });
  }
}
