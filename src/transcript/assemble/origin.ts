import type { JsonObject, MessageOrigin } from '../../domain/transcript.ts';
import { asObject, asText } from '../read/json.ts';
import type { Spoken } from './spoken-text.ts';

/** `origin.kind`, `turnOrigin` and `promptSource` of newer clients, where they name something injected. */
const STATED: ReadonlyMap<string, MessageOrigin> = new Map([
  ['task-notification', 'task_notification'],
  ['task_notification', 'task_notification'],
  ['coordinator', 'teammate'],
  ['teammate', 'teammate'],
  ['system', 'meta'],
]);

/** Who made a user line that holds no tool result. */
export function originOfUserLine(record: JsonObject, spoken: Spoken, isAgentThread: boolean): MessageOrigin {
  if (record['isCompactSummary'] === true) return 'compact_summary';
  if (spoken.origin !== null) return spoken.origin;
  if (record['isMeta'] === true || record['isVisibleInTranscriptOnly'] === true) return 'meta';
  const stated =
    STATED.get(asText(asObject(record['origin'])?.['kind']) ?? '') ??
    STATED.get(asText(record['turnOrigin']) ?? '') ??
    STATED.get(asText(record['promptSource']) ?? '');
  if (stated !== undefined) return stated;
  if (isAgentThread) return 'agent_prompt';
  return spoken.isPersonal ? 'human' : 'meta';
}

/** Messages in which somebody asks for something: what the client put into them is shown apart from the words. */
export function isAsked(origin: MessageOrigin): boolean {
  return origin === 'human' || origin === 'queued' || origin === 'agent_prompt';
}
