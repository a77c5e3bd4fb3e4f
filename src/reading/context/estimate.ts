import type { SessionContext } from '../../api/session-views.ts';
import { CONTEXT_PARTS, type ContextPart, TYPICAL_BYTES_PER_TOKEN } from '../../domain/context-parts.ts';
import type { ContextBlock, ContextMessage } from '../../domain/outline.ts';
import { windowOf } from '../model-window.ts';

export interface ContextCompaction {
  readonly id: string;
  readonly agent_id: string | null;
  readonly kind: string;
  readonly trigger_name: string | null;
  readonly pre_tokens: number | null;
  readonly post_tokens: number | null;
  readonly preserved_uuids: readonly string[];
  readonly cleared_tool_use_ids: readonly string[];
}

interface ContextOptions {
  /** The conversation; null is the main one. */
  readonly agentId: string | null;
  readonly compactions: readonly ContextCompaction[];
  /** Index of a turn; -1 if it is none, null if it was abandoned. */
  readonly turnOf: (turnId: string | null) => number | null;
}

type Sums = Record<ContextPart, number>;
type Amount = readonly [ContextPart, number];

/**
 * Follows a conversation and notes before each answer how much was in the context. The total is exact, from the usage of
 * the answer; how it is divided is estimated from the sizes of what was said, scaled to the total.
 */
export function createContextEstimate({ agentId, compactions, turnOf }: ContextOptions) {
  const cuts = new Map(compactions.map((compaction) => [compaction.id, compaction]));
  const keptLater = new Set(compactions.flatMap(({ preserved_uuids }) => preserved_uuids));
  const kept = new Map<string, readonly Amount[]>();
  const results = new Map<string, number>();
  const points: ContextPoint[] = [];
  const found: FoundCompaction[] = [];
  let sums = emptySums();
  let turn = -1;
  /** Tokens of the first answer's context beyond all messages: system prompt, tools and instructions. */
  let base: number | null = null;

  const cut = (compaction: ContextCompaction, ordinal: number) => {
    found.push({ compaction, ordinal, point: points.length });
    if (compaction.kind === 'micro') {
      for (const id of compaction.cleared_tool_use_ids) sums.tool_output -= results.get(id) ?? 0;
      sums.tool_output = Math.max(sums.tool_output, 0);
      return;
    }
    sums = emptySums();
    for (const uuid of compaction.preserved_uuids) addAll(sums, kept.get(uuid) ?? []);
  };

  const answer = (message: ContextMessage, at: number) => {
    const total = contextOf(message);
    if (total === 0) return;
    const known = totalOf(sums);
    // A context smaller than that proves that there is less of it now.
    if (base === null || total < base) base = Math.max(total - known, 0);
    points.push({ ordinal: message.ordinal, turn: at, model: message.model, total, parts: divide(sums, base, total) });
  };

  const add = (message: ContextMessage, blocks: readonly ContextBlock[]) => {
    const at = turnOf(message.turn_id);
    if (message.agent_id !== agentId || at === null) return;
    const compaction = cuts.get(message.id);
    if (compaction !== undefined) return cut(compaction, message.ordinal);
    // Thinking of earlier turns is not sent again.
    if (at !== turn) sums.thinking = 0;
    turn = at;
    if (message.message_type === 'assistant') answer(message, at);
    const amounts = estimateMessage(message, blocks);
    addAll(sums, amounts);
    if (message.uuid !== null && keptLater.has(message.uuid)) kept.set(message.uuid, amounts);
    for (const [order, block] of blocks.entries())
      if (block.tool_result_id !== null) results.set(block.tool_result_id, amounts[order]?.[1] ?? 0);
  };

  return {
    add: (messages: readonly ContextMessage[], blocks: readonly ContextBlock[]) => {
      let at = 0;
      for (const message of messages) {
        const from = at;
        while (blocks[at]?.ordinal === message.ordinal) at += 1;
        add(message, blocks.slice(from, at));
      }
    },
    finish: (): SessionContext => toAnswer(agentId, points, found),
  };
}

interface ContextPoint {
  readonly ordinal: number;
  readonly turn: number;
  readonly model: string | null;
  readonly total: number;
  readonly parts: Sums;
}

interface FoundCompaction {
  readonly compaction: ContextCompaction;
  readonly ordinal: number;
  /** The first point after it. */
  readonly point: number;
}

function contextOf({ context_tokens }: ContextMessage): number {
  return context_tokens ?? 0;
}

function emptySums(): Sums {
  return Object.fromEntries(CONTEXT_PARTS.map((part) => [part, 0])) as Sums;
}

function addAll(sums: Sums, amounts: readonly Amount[]): void {
  for (const [part, tokens] of amounts) sums[part] += tokens;
}

function totalOf(sums: Sums): number {
  return CONTEXT_PARTS.reduce((total, part) => total + sums[part], 0);
}

/** Divides the exact total into whole tokens: the system part is known from the start, the others are scaled. */
function divide(sums: Sums, base: number, total: number): Sums {
  const known = totalOf(sums);
  const fixed = Math.min(base, total);
  const share = known === 0 ? 0 : (total - fixed) / known;
  const parts = emptySums();
  let rest = total;
  for (const part of CONTEXT_PARTS) {
    if (part === 'system') continue;
    parts[part] = Math.min(Math.round(sums[part] * share), rest);
    rest -= parts[part];
  }
  parts.system = rest;
  return parts;
}

/** More points than any screen has columns. */
const MAX_POINTS = 4_000;

function toAnswer(
  agentId: string | null,
  points: readonly ContextPoint[],
  found: readonly FoundCompaction[],
): SessionContext {
  const edges = new Set(found.flatMap(({ point }) => [point - 1, point]));
  const step = Math.ceil(points.length / MAX_POINTS);
  const shown = Array.from(points.keys()).filter(
    (at) => at % step === 0 || at === points.length - 1 || edges.has(at) || points[at + 1]?.turn !== points[at]?.turn,
  );
  const column = (read: (point: ContextPoint) => number) => shown.map((at) => read(points[at] as ContextPoint));
  const most = points.reduce((max, { total }) => Math.max(max, total), 0);
  const model = points.findLast((point) => point.model !== null)?.model ?? null;
  return {
    agent_id: agentId,
    model,
    window: windowOf(model, most),
    most_tokens: most,
    parts: [...CONTEXT_PARTS],
    points: {
      ordinal: column(({ ordinal }) => ordinal),
      turn: column(({ turn }) => turn),
      total: column(({ total }) => total),
      by_part: CONTEXT_PARTS.map((part) => column(({ parts }) => parts[part])),
    },
    compactions: found.map(({ compaction, ordinal, point }) => ({
      id: compaction.id,
      ordinal,
      point: shown.findIndex((at) => at >= point),
      kind: compaction.kind,
      trigger: compaction.trigger_name,
      pre_tokens: compaction.pre_tokens,
      post_tokens: compaction.post_tokens,
    })),
  };
}

const MEMORY = new Set(['nested_memory', 'instructions']);
const SYSTEM = new Set([
  'agent_listing_delta',
  'deferred_tools_delta',
  'deferred_tools_record',
  'mcp_instructions_delta',
  'prompt_snapshot',
  'skill_listing',
]);
/** Records of the client that the model does not see. */
const UNSEEN = new Set(['hook_cancelled', 'hook_non_blocking_error', 'hook_success', 'structured_output']);
const PROMPTS = new Set(['human', 'queued', 'command', 'bash_input', 'agent_prompt', 'teammate', 'task_notification']);

/** Where a message belongs unless its blocks say otherwise; null if the model does not see it. */
function partOfMessage({ message_type, subtype, origin }: ContextMessage): ContextPart | null {
  if (message_type === 'system' || message_type === 'summary' || origin === 'synthetic') return null;
  if (message_type === 'assistant') return 'answers';
  if (origin === 'compact_summary') return 'summary';
  if (origin === 'tool_result') return 'tool_output';
  const name = subtype ?? '';
  if (UNSEEN.has(name) || origin === 'command_output') return null;
  if (MEMORY.has(name)) return 'memory';
  if (SYSTEM.has(name)) return 'system';
  return PROMPTS.has(origin) ? 'prompts' : 'attachments';
}

/** An image of ordinary size. */
const IMAGE_TOKENS = 1_500;

type Amounts = readonly (readonly [ContextPart, number])[];

/** Estimates the tokens of a message by part; those of a message by a person or a tool block by block. */
export function estimateMessage(message: ContextMessage, blocks: readonly ContextBlock[]): Amounts {
  const whole = partOfMessage(message);
  if (whole === null) return [];
  if (whole === 'answers') return estimateAnswer(message, blocks);
  return blocks.map(({ block_type, text_bytes }) => {
    const tokens = text_bytes / TYPICAL_BYTES_PER_TOKEN;
    if (block_type === 'image' || block_type === 'document') return ['attachments', Math.max(tokens, IMAGE_TOKENS)];
    return [block_type === 'injected' ? 'attachments' : whole, tokens];
  });
}

/** The model's text is counted by its usage; some clients report too little of it, but never less than its text. */
function estimateAnswer({ tokens_out, thinking_tokens }: ContextMessage, blocks: readonly ContextBlock[]): Amounts {
  const sum = (isThinking: boolean) =>
    blocks
      .filter(({ block_type }) => (block_type === 'thinking') === isThinking)
      .reduce((bytes, { text_bytes }) => bytes + text_bytes, 0) / TYPICAL_BYTES_PER_TOKEN;
  const thinking = thinking_tokens ?? sum(true);
  return [
    ['thinking', thinking],
    ['answers', Math.max((tokens_out ?? 0) - thinking, sum(false))],
  ];
}
