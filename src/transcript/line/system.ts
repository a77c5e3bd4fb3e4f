import type { JsonObject } from '../../domain/transcript.ts';
import { emitText } from '../assemble/blocks.ts';
import { keepFields, openMessage } from '../assemble/messages.ts';
import { keysOfContent, placeLine } from '../graph/place-line.ts';
import { NODE_KINDS } from '../graph/uuid-table.ts';
import { asCount, asNumber, asObject, asText } from '../read/json.ts';
import type { MessageDraft } from '../state.ts';
import type { LineContext } from './context.ts';

/** Fields kept per subtype; '' is for lines of 1.0, which have none. Response headers are never kept. */
const KEPT = {
  '': [],
  turn_duration: ['durationMs', 'messageCount', 'pendingBackgroundAgentCount', 'pendingWorkflowCount'],
  stop_hook_summary: ['hookCount', 'hookInfos', 'hookErrors', 'preventedContinuation', 'stopReason', 'hasOutput'],
  compact_boundary: ['compactMetadata', 'logicalParentUuid'],
  microcompact_boundary: ['microcompactMetadata'],
  api_error: ['retryInMs', 'retryAttempt', 'maxRetries', 'source'],
  local_command: ['commandRun'],
  informational: ['promptSubmitEnding'],
  away_summary: [],
  bridge_status: ['url'],
  scheduled_task_fire: [],
  model_refusal_fallback: [
    'originalModel',
    'fallbackModel',
    'direction',
    'apiRefusalCategory',
    'refusedUserMessageUuid',
  ],
} as const satisfies { readonly [subtype: string]: readonly string[] };

const KEPT_OF: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(KEPT));

/** A system line: an action or observation of the client, by subtype. */
export function readSystemLine(context: LineContext): void {
  const { record } = context;
  const subtype = asText(record['subtype']);
  const kept = KEPT_OF.get(subtype ?? '');
  const kind = subtype === 'compact_boundary' ? NODE_KINDS.boundary : NODE_KINDS.system;
  const said = `${subtype ?? ''} ${asText(record['content']) ?? ''}`;
  const placement = placeLine(context, kind, keysOfContent(context, said));
  if (placement.isCopy) return;
  const draft = openMessage(context, placement, { messageType: 'system', subtype, role: 'system', origin: 'system' });
  keepFields(context, draft, record, ['level', ...(kept ?? [])]);
  if (subtype === 'turn_duration') noteTurnDuration(context, draft);
  if (subtype === 'api_error') noteApiError(context, asObject(record['error']), draft.timestamp);
  const content = asText(record['content']);
  if (content !== null && content !== '') emitText(context, draft, content);
}

/** The duration is a field of the line or of its `message` (in either spelling). */
function noteTurnDuration({ record, message }: LineContext, draft: MessageDraft): void {
  const values = [record['durationMs'], message?.['durationMs'], message?.['duration_ms'], record['duration_ms']];
  const durationMs = values.map((value) => asNumber(value)).find((value) => value !== null);
  if (durationMs !== undefined) draft.metadata['durationMs'] = durationMs;
}

function noteApiError({ state, record, messageIndex }: LineContext, error: JsonObject | null, at: string | null): void {
  const inner = asObject(asObject(error?.['error'])?.['error']);
  const connection = asObject(error?.['connection']) ?? asObject(error?.['cause']) ?? asObject(record['cause']);
  state.apiErrors.push({
    message: messageIndex,
    timestamp: at,
    status: asCount(error?.['status']),
    kind: asText(inner?.['type']) ?? asText(connection?.['code']),
    text: asText(inner?.['message']) ?? asText(error?.['formatted']) ?? asText(error?.['message']),
    retryAttempt: asCount(record['retryAttempt']),
    maxRetries: asCount(record['maxRetries']),
    retryInMs: asCount(Math.round(asNumber(record['retryInMs']) ?? -1)),
  });
}
