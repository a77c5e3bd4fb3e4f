import { UUID_PATTERN } from '../../lib/ids.ts';
import { readMachineJson } from '../../domain/text-origin.ts';
import type { JsonObject, MessageOrigin } from '../../domain/transcript.ts';
import { addLink, type LineContext } from '../line/context.ts';
import { asText } from '../read/json.ts';
import { countMessage } from './session-tools.ts';

/** Injected texts that carry structured facts: notifications, teammate messages, plans from other sessions. */

/** Tags and phrases are near the start or the end; long results come between them. */
const SEARCHED_CHARS = 4096;
const TASK_ID = /<task-id>([^<]{1,128})<\/task-id>/;
const TOOL_USE_ID = /<tool-use-id>([^<]{1,128})<\/tool-use-id>/;
const STATUS = /<status>([^<]{1,64})<\/status>/;
/** The sender's attributes and the start of the message. */
const MESSAGES = /<teammate-message\b([^>]{0,2048})>\s*([^]{0,64})/g;
const SENDER = /teammate_id="([^"]{1,128})"/;
/** Protocol messages between clients, for example that a teammate is idle. */
const PROTOCOL = /^\{\s*"type"\s*:/;
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
  const json = readMachineJson(text) as JsonObject | null;
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
  for (const [, attributes = '', start = ''] of text.matchAll(MESSAGES)) {
    if (!PROTOCOL.test(start)) countMessage(state.teamTalk.from, SENDER.exec(attributes)?.[1] ?? '');
  }
  const body = MESSAGE_BODY.exec(text)?.[1]?.trim() ?? '';
  if (body !== '' && !PROTOCOL.test(body)) state.facts.firstTask ??= body;
}

const MESSAGE_BODY = /<teammate-message\b[^>]{0,2048}>([^]*?)(?:<\/teammate-message>|$)/;

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
