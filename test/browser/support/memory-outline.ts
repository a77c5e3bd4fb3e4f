import { createHash } from 'node:crypto';
import type { Outline } from '../../../src/api/outline.ts';
import type { BlockRow, MessageRow } from '../../../src/api/transcript.ts';
import type { LevelStats } from '../../../src/domain/transcript-structure.ts';
import { messageKind } from '../../../src/reading/kinds.ts';
import { textOf } from '../../../src/reading/message-text.ts';
import { createOutline } from '../../../src/reading/outline.ts';
import type { PartRows } from '../../../src/reading/parts.ts';

/** The outline of messages in memory; every prompt starts a turn, since these rows have no turn ids. */
export function outlineInMemory(messages: readonly MessageRow[], parts: Partial<PartRows>): Outline {
  const outline = createOutline();
  const turns: MessageRow[] = [];
  const current = new Map<string | null, string>();
  for (const message of messages) {
    const kind = messageKind(message, () => textOf(message));
    if (kind === 'prompt' || kind === 'command') {
      turns.push(message);
      current.set(message.agent_id, message.id);
    }
    const head = {
      ...message,
      turn_id: current.get(message.agent_id) ?? null,
      context_tokens: null,
      cost_nanos: null,
      metadata: null,
    };
    outline.add(
      [head],
      message.content_blocks.map((block) => headOf(message, block)),
    );
  }
  const revision = createHash('sha256').update(JSON.stringify(messages)).digest('hex');
  return outline.finish(revision, {
    turns: turns.map((message) => turnOf(message, turns)),
    prompts: turns.map((message) => ({ message_id: message.id, text: textOf(message) })),
    branches: (parts.branches ?? []).map((branch) => ({ ...branch, ordinal: null })),
    compactions: (parts.compactions ?? []).map((compaction) => ({
      ...compaction,
      ordinal: messages.find(({ id }) => id === compaction.id)?.ordinal ?? null,
      agent_id: null,
      duration_ms: null,
    })),
    agents: (parts.subagents ?? []).map((agent) => ({
      ...agent,
      team_name: null,
      last_line: lastLineOf(messages, agent.agent_id),
      session_id: null,
    })),
    calls: parts.tool_calls ?? [],
    commits: [],
  }).outline;
}

function lastLineOf(messages: readonly MessageRow[], agentId: string): string | null {
  const texts = messages
    .filter((message) => message.agent_id === agentId && message.origin === 'model')
    .flatMap(({ content_blocks }) => content_blocks.flatMap(({ content_text }) => content_text ?? []));
  return texts.at(-1)?.split('\n').at(-1) ?? null;
}

function headOf({ ordinal }: MessageRow, block: BlockRow) {
  const text = block.content_text ?? block.thinking_text;
  return {
    ...block,
    ordinal,
    text_bytes: (text ?? block.result_text ?? '').length,
    input_bytes: JSON.stringify(block.tool_input).length,
    head: text,
    has_image: JSON.stringify(block.metadata).includes('"image"'),
  };
}

function turnOf({ id, ordinal, agent_id, origin, timestamp }: MessageRow, all: readonly MessageRow[]) {
  const own = all.filter((each) => each.agent_id === agent_id);
  const parent = own[own.findIndex((each) => each.id === id) - 1]?.id ?? null;
  const stats: LevelStats = { ...NO_STATS, startedAt: timestamp };
  return { id, ordinal, agent_id, origin, parent_turn_id: parent, duration_ms: null, cost_nanos: null, stats };
}

const NO_STATS: LevelStats = {
  messages: 0,
  userMessages: 0,
  assistantMessages: 0,
  toolCalls: 0,
  toolErrors: 0,
  thinkingBlocks: 0,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
  costNanos: null,
  unpricedMessages: 0,
  filesRead: 0,
  filesWritten: 0,
  linesAdded: 0,
  linesRemoved: 0,
  startedAt: null,
  endedAt: null,
  wallMs: null,
  activeMs: null,
};
