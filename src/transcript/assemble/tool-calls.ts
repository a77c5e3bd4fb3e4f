import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import type { LineContext } from '../line/context.ts';
import { noteAnomaly } from '../note.ts';
import { asNumber, asObject, asText } from '../read/json.ts';
import type { MessageDraft, ToolCallDraft } from '../state.ts';
import { agentIdIn } from '../tool/agent-in-text.ts';
import { filesOfInput, spawnOf } from '../tool/input.ts';
import { createOutcome, type ToolOutcome } from '../tool/outcome.ts';
import { persistedOutputIn } from '../tool/persisted-output.ts';
import { resultReaderOf } from '../tool/table.ts';
import { exitCodeIn, isStopped, judgeResult } from '../tool/verdict.ts';
import { applyEffect, effectOf } from './call-effects.ts';
import { noteSessionResult, noteSessionTool } from './session-tools.ts';

const AGENT_TOOLS: ReadonlySet<string> = new Set(['Task', 'Agent']);

/** Notes a call; the result may stand before or after it, come twice or never. */
export function noteToolUse(context: LineContext, draft: MessageDraft, block: JsonObject): void {
  const id = asText(block['id']);
  if (id === null || draft.replayOf >= 0) return;
  const call = callOf(context, id);
  call.uses += 1;
  if (call.uses > 1) return;
  const name = asText(block['name']);
  const input = asObject(block['input']);
  call.name = name;
  call.thread = context.thread;
  call.message = context.messageIndex;
  call.startedAt = context.timestamp;
  call.caller = block['caller'] === undefined ? null : asText(asObject(block['caller'])?.['type']);
  if (name === null || input === null) return;
  call.timeoutMs = asNumber(input['timeout']);
  if (AGENT_TOOLS.has(name)) call.spawn = spawnOf(input);
  else call.inputFiles = filesOfInput(name, input);
  call.effect = effectOf(name, input);
  noteSessionTool(context, name, input, id);
  // A result may precede its call.
  if (call.results > 0) applyEffect(context, call, null, '');
}

/** Notes a result and gives the name of its tool, where the call is known. */
export function noteToolResult(context: LineContext, block: JsonObject, text: string | null): string | null {
  const id = asText(block['tool_use_id']);
  if (id === null) return null;
  const call = callOf(context, id);
  // A side question replays results of the main thread, too.
  if (call.results > 0 && call.thread !== context.thread) return call.name;
  call.results += 1;
  if (call.results > 1) noteAnomaly(context.state, 'duplicate_tool_result');
  const structured = context.record['toolUseResult'];
  const said = text ?? asText(structured) ?? '';
  // A client that finds a call without a result writes a stand-in; the real one may still come.
  if (call.results > 1 && isStopped(said)) return call.name;
  call.resultMessage = context.messageIndex;
  call.endedAt = context.timestamp;
  judge(context, call, block, said);
  call.outcome = outcomeOf(call, structured, said);
  if (call.name === null) return null;
  if (AGENT_TOOLS.has(call.name) && call.outcome.agent === null) call.agentInText = agentIdIn(said);
  const result = asObject(structured);
  applyEffect(context, call, result, said);
  noteSessionResult(context, call.name, { call, result, text: said });
  return call.name;
}

function judge({ state, record, thread }: LineContext, call: ToolCallDraft, block: JsonObject, text: string): void {
  call.isError = block['is_error'] === true;
  const isPrinting = asText(record['entrypoint']) === PRINT_MODE;
  const isBypassing = thread === 0 && state.envelope.permissionMode === 'bypassPermissions';
  const verdict = judgeResult(record, call.isError, text, { isUnattended: isPrinting || isBypassing });
  call.denial = verdict.denial;
  call.isStopped = verdict.isStopped;
}

/** Entrypoint of a client that prints its answer and exits. */
const PRINT_MODE = 'sdk-cli';

/** The line after a call that was stopped while it ran names its answer; after a refusal it names none. */
export function noteInterruption({ state, record }: LineContext): void {
  const stopped = new Set(state.apiMessages.get(asText(record['interruptedMessageId']) ?? '') ?? []);
  if (stopped.size === 0) return;
  for (const call of state.toolCalls.values()) {
    if (!stopped.has(call.message) || call.denial !== 'user') continue;
    call.denial = null;
    call.isStopped = true;
  }
}

function outcomeOf(call: ToolCallDraft, structured: JsonValue | undefined, text: string): ToolOutcome {
  const outcome = createOutcome();
  const result = asObject(structured);
  if (result !== null) resultReaderOf(call.name, result)(result, outcome);
  if (call.isError) outcome.exitCode ??= exitCodeIn(text);
  outcome.persistedOutput ??= persistedOutputIn(text);
  return outcome;
}

function callOf({ state, thread }: LineContext, id: string): ToolCallDraft {
  const known = state.toolCalls.get(id);
  if (known !== undefined) return known;
  const fresh: ToolCallDraft = {
    id,
    name: null,
    thread,
    message: -1,
    resultMessage: -1,
    uses: 0,
    results: 0,
    startedAt: null,
    endedAt: null,
    isError: false,
    denial: null,
    isStopped: false,
    outcome: null,
    timeoutMs: null,
    inputFiles: [],
    spawn: null,
    agentInText: null,
    caller: null,
    effect: null,
  };
  state.toolCalls.set(id, fresh);
  return fresh;
}
