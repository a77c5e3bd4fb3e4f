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
import { exitCodeIn, isStopped, refusalIn } from '../tool/verdict.ts';
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
  if (name === null || input === null) return;
  call.timeoutMs = asNumber(input['timeout']);
  if (AGENT_TOOLS.has(name)) call.spawn = spawnOf(input);
  else call.inputFiles = filesOfInput(name, input);
  noteSessionTool(context, name, input, id);
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
  judge(call, block, said, asText(context.record['toolDenialKind']));
  call.outcome = outcomeOf(call, structured, said);
  if (call.name === null) return null;
  if (AGENT_TOOLS.has(call.name) && call.outcome.agent === null) call.agentInText = agentIdIn(said);
  const result = asObject(structured);
  if (result !== null) noteSessionResult(context, call.name, result);
  return call.name;
}

function judge(call: ToolCallDraft, block: JsonObject, text: string, denial: string | null): void {
  call.isError = block['is_error'] === true;
  call.refusal = denial === 'interrupted' ? null : (denial ?? (call.isError ? refusalIn(text) : null));
  call.isStopped = denial === 'interrupted' || isStopped(text);
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
    refusal: null,
    isStopped: false,
    outcome: null,
    timeoutMs: null,
    inputFiles: [],
    spawn: null,
    agentInText: null,
  };
  state.toolCalls.set(id, fresh);
  return fresh;
}
