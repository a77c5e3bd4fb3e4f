import type { BlockRow, MessageRow } from '../../api/answers/transcript.ts';
import { NANOS_PER_DOLLAR } from '../../domain/usage.ts';
import { formatCost, plural } from '../../reading/format.ts';
import { kindOf, type MessageKind } from '../../reading/message-kind.ts';
import { isAttachment, textOf } from '../../reading/message-text.ts';
import { type Html, html } from './html.ts';
import { lookAhead, type Step } from './look-ahead.ts';
import { answer, command, compaction, context, mediaOf, notice, prompt, summary, thinking } from './message-html.ts';
import type { Subagent } from '../../api/answers/structure.ts';
import type { RedactedReads } from './redacted-reads.ts';
import { looseResult, toolCall } from './tool-html.ts';

/** What is known of a session while its threads are told. */
export interface Telling {
  readonly reads: RedactedReads;
  readonly sessionId: string;
  readonly cwd: string | null;
  readonly subagents: readonly Subagent[];
  /** Sub-agents that were told: none is told twice, and none within itself. */
  readonly told: Set<string>;
}

/** One conversation, message by message, sub-agents where they were called. */
export async function* tellThread(telling: Telling, agentId: string | null, depth = 0): AsyncGenerator<Html> {
  const messages = telling.reads.readThread(telling.sessionId, agentId);
  let speaker: string | null = null;
  for await (const entry of joinContext(lookAhead(messages))) {
    if (Array.isArray(entry)) {
      yield context(entry);
      continue;
    }
    const { message } = entry;
    const kind = kindOf(message);
    if (kind === 'blocks') yield* tellBlocks(telling, entry, { depth, isNewSpeaker: speaker !== nameOf(message) });
    else if (kind !== 'context' && !isRepeated(entry)) yield SHOW[kind](message);
    if (kind === 'prompt' || kind === 'compaction') speaker = null;
    else if (message.content_blocks.some(isText) && kind === 'blocks') speaker = nameOf(message);
  }
}

const SHOW = { prompt, command, notice, compaction, summary } as const satisfies Readonly<
  Record<Exclude<MessageKind, 'blocks' | 'context'>, (message: MessageRow) => Html>
>;

function nameOf({ model }: MessageRow): string {
  return model ?? '';
}

const MAX_CONTEXT_RUN = 50;

/** Runs of messages that nobody typed stand together; those without words and what the model was given are left out. */
async function* joinContext(steps: AsyncIterable<Step>): AsyncGenerator<Step | MessageRow[]> {
  let run: MessageRow[] = [];
  for await (const step of steps) {
    const isContext = kindOf(step.message) === 'context';
    if (isContext && textOf(step.message) !== '' && !isAttachment(step.message)) run.push(step.message);
    if (run.length > 0 && (!isContext || run.length >= MAX_CONTEXT_RUN)) {
      yield run;
      run = [];
    }
    if (!isContext) yield step;
  }
  if (run.length > 0) yield run;
}

/** The API is asked again and again while it fails: of such a run only the last error is told. */
function isRepeated({ message, next }: Step): boolean {
  return message.subtype === 'api_error' && next?.subtype === 'api_error';
}

interface Place {
  readonly depth: number;
  readonly isNewSpeaker: boolean;
}

async function* tellBlocks(telling: Telling, step: Step, { depth, isNewSpeaker }: Place): AsyncGenerator<Html> {
  const { message } = step;
  const first = message.content_blocks.find(isText);
  for (const block of message.content_blocks) {
    switch (block.block_type) {
      case 'text':
        if (isText(block)) yield answer(message, block, isNewSpeaker && block === first);
        break;
      case 'thinking':
      case 'redacted_thinking':
        yield thinking(block);
        break;
      case 'tool_use':
      case 'server_tool_use':
        yield toolCall({ block, result: step.takeResult(block.tool_use_id ?? ''), cwd: telling.cwd });
        yield* tellStarted(telling, block.tool_use_id, depth);
        break;
      case 'tool_result':
      case 'server_tool_result':
        if (!step.isTaken(block)) yield looseResult(block);
        break;
      default:
        yield mediaOf(block);
    }
  }
}

function isText({ block_type, content_text }: BlockRow): boolean {
  return block_type === 'text' && (content_text ?? '').trim() !== '';
}

async function* tellStarted(telling: Telling, callId: string | null, depth: number): AsyncGenerator<Html> {
  if (callId === null) return;
  const started = telling.subagents.filter(({ spawning_tool_use_id }) => spawning_tool_use_id === callId);
  for (const subagent of started) yield* tellSubagent(telling, subagent, depth);
}

/** Deeper ones are told at the end of the page. */
const MAX_DEPTH = 6;

/** The whole work of a sub-agent, closed until somebody wants to see it. */
export async function* tellSubagent(telling: Telling, subagent: Subagent, depth: number): AsyncGenerator<Html> {
  const { agent_id, agent_type, agent_name, description, cost_nanos, stats } = subagent;
  if (telling.told.has(agent_id) || depth >= MAX_DEPTH) return;
  telling.told.add(agent_id);
  const cost = cost_nanos === null ? [] : [formatCost(cost_nanos / NANOS_PER_DOLLAR)];
  yield html`<details class="agent"><summary>${[
    html`<span class="name">${['Sub-agent', agent_name ?? agent_type ?? ''].join(' ').trim()}</span>`,
    html`<bdi class="about">${description}</bdi>`,
    html`<span class="mark">${[plural(stats.messages, 'message'), ...cost].join(' · ')}</span>`,
  ]}</summary>\n`;
  yield* tellThread(telling, agent_id, depth + 1);
  yield html`</details>\n`;
}
