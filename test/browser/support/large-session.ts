import type { MessageRow } from '../../../src/api/transcript.ts';
import type { DataSource } from '../../../src/app/data-source.ts';
import type { ItemSpec, TurnSpec } from '../../support/make-outline.ts';
import { makeOutline } from '../../support/make-outline.ts';
import { human, model, result } from './conversation.ts';
import { withQueries } from './empty-data.ts';
import { makeBlock, makeMessage, makeSession } from './make-rows.ts';
import { createMemoryData } from './memory-data.ts';

export const TURN_MESSAGES = 20;
const CALLS = 9;

/** A session of any length whose messages are created on demand. */
export function largeSession(id: string, messages: number): DataSource {
  const session = makeSession({ id, total_messages: messages });
  const outline = outlineOf(messages);
  return withQueries(createMemoryData({ sessions: [session], messages: new Map() }), {
    'GET /sessions/:id/outline': async () => outline,
    'GET /sessions/:id/transcript': async ({ query: { after = -1, limit } }) => {
      const count = Math.max(Math.min(limit, messages - after - 1), 0);
      const page = Array.from({ length: count }, (_, at) => messageAt(after + 1 + at));
      return { messages: page, next_after: after + count + 1 < messages ? after + count : null };
    },
  });
}

function outlineOf(messages: number) {
  const items: ItemSpec[] = [];
  const turns: TurnSpec[] = [];
  for (let ordinal = 0; ordinal < messages; ordinal += 1) {
    const place = ordinal % TURN_MESSAGES;
    const turn = Math.floor(ordinal / TURN_MESSAGES);
    if (place === 0)
      turns.push({ ordinal, answer: Math.min(ordinal + TURN_MESSAGES - 1, messages - 1), excerpt: `Question ${turn}` });
    if (place === 0) items.push({ ordinal, turn, kind: 'prompt', size: 20 });
    else if (place === TURN_MESSAGES - 1) items.push({ ordinal, turn, kind: 'answer', block: 0, size: 600 });
    else if (place % 2 === 1) items.push({ ordinal, turn, kind: 'run', block: 0, result: ordinal + 1, size: 400 });
  }
  return makeOutline({ items, turns });
}

function messageAt(ordinal: number): MessageRow {
  const place = ordinal % TURN_MESSAGES;
  const turn = Math.floor(ordinal / TURN_MESSAGES);
  if (place === 0) return makeMessage({ ...human(`Question ${turn}`), ordinal });
  if (place === TURN_MESSAGES - 1) {
    const text = `Answer ${turn}. ${'A few more words. '.repeat(30)}`;
    return makeMessage({ ...model([makeBlock({ block_type: 'text', content_text: text })]), ordinal });
  }
  const id = `call-${turn}-${Math.floor((place - 1) / 2) % CALLS}`;
  if (place % 2 === 0) return makeMessage({ ...result(id, `output of ${ordinal - 1}`, false), ordinal });
  const call = {
    block_type: 'tool_use',
    tool_name: 'Bash',
    tool_use_id: id,
    tool_input: { command: `step ${ordinal}` },
  };
  return makeMessage({ ...model([makeBlock(call)]), ordinal });
}
