import { expect, test } from 'vitest';
import { type ItemSpec, makeOutline } from '../../test/support/make-outline.ts';
import { costByTurn } from './cost-by-turn.ts';
import { indexOutline } from './rows/outline-index.ts';

const USAGE = { messages: 1, tokens_in: 0, tokens_out: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
const row = (turn_id: string | null, agent_id: string | null, cost_nanos: number | null) => ({
  ...USAGE,
  turn_id,
  agent_id,
  cost_nanos,
  unpriced_messages: cost_nanos === null ? 1 : 0,
});

test('agents count for the turn that started them, also through other agents, and nothing is left out', () => {
  const items: ItemSpec[] = [
    { kind: 'prompt', ordinal: 0, turn: 0 },
    { kind: 'prompt', ordinal: 2, turn: 1 },
    { kind: 'agent', ordinal: 3, turn: 1, spawned: 0 },
    { kind: 'prompt', ordinal: 5, turn: 2, agent: 0 },
    { kind: 'agent', ordinal: 6, turn: 2, agent: 0, spawned: 1 },
    { kind: 'prompt', ordinal: 8, turn: 3, agent: 1 },
  ];
  const turns = [{ ordinal: 0 }, { ordinal: 2 }, { ordinal: 5, agent: 0 }, { ordinal: 8, agent: 1 }];
  const index = indexOutline(makeOutline({ items, turns, agents: ['a', 'b'] }));
  const rows = [
    row('message-0', null, 100),
    row('message-2', null, 7),
    row('message-5', 'a', 50),
    row('message-8', 'b', 60),
    row(null, null, 3),
    row('gone', null, null),
  ];
  const total = { ...USAGE, cost_nanos: 220, unpriced_messages: 1 };
  const costs = costByTurn(index, { total, rows, files: [] });
  expect(costs).toEqual([
    {
      turn: 1,
      ownNanos: 7,
      agents: [
        { agent: 1, nanos: 60 },
        { agent: 0, nanos: 50 },
      ],
      totalNanos: 117,
      unpriced: 0,
    },
    { turn: 0, ownNanos: 100, agents: [], totalNanos: 100, unpriced: 0 },
    { turn: -1, ownNanos: 3, agents: [], totalNanos: 3, unpriced: 1 },
  ]);
  expect(costs.reduce((sum, { totalNanos }) => sum + totalNanos, 0)).toBe(total.cost_nanos);
});
