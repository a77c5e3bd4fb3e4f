import { commandLine, isClientCommand, slashCommandIn, withoutTaskTag } from '../../domain/client-tags.ts';
import type { JsonValue, MessageOrigin } from '../../domain/transcript.ts';
import { emitContent } from '../assemble/blocks.ts';
import { keepFields, openMessage } from '../assemble/messages.ts';
import { noteCommand } from '../assemble/session-tools.ts';
import { noteInterruption } from '../assemble/tool-calls.ts';
import { isStatedTyped, noteInjected, originOfUserLine, promptKeyOf, readUserText } from '../assemble/user-text.ts';
import { keysOfContent, placeLine } from '../graph/place-line.ts';
import { NODE_KINDS, type NodeKind } from '../graph/uuid-table.ts';
import { asList, asObject, isFilledText } from '../read/json.ts';
import { noteAnomaly, type ThreadDraft } from '../state.ts';
import { type LineContext, noteClear } from './context.ts';

/** Fields kept beside the content; the rest stays in the raw line. */
const KEPT_OF_PROMPT = [
  'permissionMode',
  'promptId',
  'promptSource',
  'turnOrigin',
  'imagePasteIds',
  'interruptedMessageId',
  'thinkingMetadata',
  'todos',
  'userFeedback',
];
const KEPT_OF_RESULT = ['sourceToolAssistantUUID', 'toolDenialKind', 'permissionDecision'];

/** A user line: a person's prompt, a tool result, or one of many messages the client writes in the user's name. */
export function readUserLine(context: LineContext): void {
  const { record, state } = context;
  const content = context.message?.['content'];
  if (typeof content !== 'string' && asList(content) === null) noteAnomaly(state, 'shape_error');
  const isResult = hasToolResult(content);
  const userText = isResult ? null : readUserText(content, isStatedTyped(record));
  const origin = userText === null ? 'tool_result' : originOfUserLine(record, userText, context.thread !== 0);
  const kind = NODE_OF_ORIGIN.get(origin) ?? NODE_KINDS.injected;
  const placement = placeLine(context, kind, keysOfContent(context, content));
  if (placement.isCopy) return;
  if (!isResult && context.thread === 0) notePermissionMode(context);
  const draft = openMessage(context, placement, { messageType: 'user', role: 'human', origin });
  keepFields(context, draft, record, isResult ? KEPT_OF_RESULT : KEPT_OF_PROMPT);
  emitContent(context, draft, content);
  if (userText === null) return;
  notePrompt(context, origin, userText.text);
  noteInjected(context, origin, userText.text);
  noteCommand(context, origin, userText.text);
  if (record['interruptedMessageId'] !== undefined) noteInterruption(context);
}

export function notePermissionMode({ state, record }: LineContext): void {
  const mode = record['permissionMode'];
  if (!isFilledText(mode)) return;
  state.facts.permissionModes.add(mode);
  state.envelope.permissionMode = mode;
}

const NODE_OF_ORIGIN: ReadonlyMap<MessageOrigin, NodeKind> = new Map<MessageOrigin, NodeKind>([
  ['human', NODE_KINDS.prompt],
  ['agent_prompt', NODE_KINDS.prompt],
  ['command', NODE_KINDS.prompt],
  ['bash_input', NODE_KINDS.prompt],
  ['task_notification', NODE_KINDS.prompt],
  ['teammate', NODE_KINDS.prompt],
  ['tool_result', NODE_KINDS.toolResult],
]);

function hasToolResult(content: JsonValue | undefined): boolean {
  const blocks = asList(content);
  return blocks !== null && blocks.some((block) => asObject(block)?.['type'] === 'tool_result');
}

function notePrompt(context: LineContext, origin: MessageOrigin, text: string): void {
  const { state, thread } = context;
  if (thread !== 0) {
    const draft = state.threads[thread] as ThreadDraft;
    if (origin === 'agent_prompt') draft.promptKey ??= promptKeyOf(text);
    return;
  }
  noteClear(context, origin, text);
  const command = origin === 'command' ? slashCommandIn(text) : null;
  // A command that only affects the client, such as /clear, is not a request.
  if (command !== null && !isClientCommand(command)) state.facts.initialPrompt ??= commandLine(command);
  if (origin !== 'human') return;
  if (text.trim() !== '') state.facts.initialPrompt ??= withoutTaskTag(text);
  state.queue.seenPrompts.add(promptKeyOf(text));
}
