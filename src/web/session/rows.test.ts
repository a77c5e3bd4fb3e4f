import { expect, test } from 'vitest';
import { makeBlock, makeMessage, makeSubagent } from '../../../test/browser/support/make-rows.ts';
import type { BlockRow, MessageRow } from '../../api/transcript.ts';
import { indexParts, NO_PARTS, type Subagent } from '../../reading/parts.ts';
import { agentKey, buildRows, findRow, hiddenIn, readTranscript, type Row } from './rows.ts';

const AGENT = 'a1b2c3d4';
const CLOSED: ReadonlySet<string> = new Set();

const said = (ordinal: number, agent_id: string | null, content_text: string) =>
  makeMessage({ ordinal, agent_id, content_blocks: [makeBlock({ block_type: 'text', content_text })] });
const calling = (ordinal: number, agent_id: string | null, id: string) => {
  const call: BlockRow = makeBlock({ block_type: 'tool_use', tool_name: 'Agent', tool_use_id: id });
  return makeMessage({ ordinal, agent_id, content_blocks: [call] });
};

function rowsOf(messages: readonly MessageRow[], subagents: readonly Subagent[], open = CLOSED): readonly Row[] {
  const parts = indexParts({ tool_calls: [], compactions: [], branches: [], subagents });
  return buildRows(readTranscript({ messages, parts, cwd: null }), open);
}
const shown = (row: Row) => [row.kind === 'agent' ? 'agent' : row.entry.kind, row.depth];

const conversation = [calling(0, null, 't'), said(1, null, 'after'), said(2, AGENT, 'inside')];
const started = [makeSubagent({ agent_id: AGENT, spawning_tool_use_id: 't' })];

test('an expanded sub-agent is shown below the call that started it', () => {
  const closed = rowsOf(conversation, started);
  expect(closed.map(shown)).toEqual([
    ['tool', 0],
    ['answer', 0],
  ]);
  const open = new Set([agentKey(closed[0]?.key ?? '', AGENT)]);
  expect(rowsOf(conversation, started, open).map(shown)).toEqual([
    ['tool', 0],
    ['answer', 1],
    ['answer', 0],
  ]);
});

test('a sub-agent without a known call has a heading where it starts', () => {
  const messages = [said(0, null, 'first'), said(1, AGENT, 'inside'), said(2, null, 'last'), said(3, AGENT, 'more')];
  const rows = rowsOf(messages, []);
  expect(rows.map(shown)).toEqual([
    ['answer', 0],
    ['agent', 0],
    ['answer', 0],
  ]);
  expect(rows[1]?.agents[0]?.subagent.stats.messages).toBe(2);
  expect(rowsOf(messages, [], new Set([rows[1]?.key ?? ''])).map(shown)).toEqual([
    ['answer', 0],
    ['agent', 0],
    ['answer', 1],
    ['answer', 1],
    ['answer', 0],
  ]);
});

test('sub-agents that started themselves or each other do not cause a loop', () => {
  const self = [makeSubagent({ agent_id: AGENT, spawning_tool_use_id: 't' })];
  const key = new Set([`agent:${AGENT}`]);
  expect(rowsOf([calling(0, AGENT, 't')], self, key).map(shown)).toEqual([
    ['agent', 0],
    ['tool', 1],
  ]);
  const ring = [
    makeSubagent({ agent_id: 'a', spawning_tool_use_id: 'from-b' }),
    makeSubagent({ agent_id: 'b', spawning_tool_use_id: 'from-a' }),
  ];
  const messages = [calling(0, 'a', 'from-a'), calling(1, 'b', 'from-b')];
  expect(rowsOf(messages, ring).map(shown)).toEqual([
    ['agent', 0],
    ['agent', 0],
  ]);
});

test('a message is found in its collapsed sub-agent, or in its own row once expanded', () => {
  const closed = rowsOf(conversation, started);
  const row = closed[findRow(closed, 2)] as Row;
  expect(shown(row)).toEqual(['tool', 0]);
  const key = hiddenIn(row, 2) ?? '';
  const open = rowsOf(conversation, started, new Set([key]));
  expect(findRow(open, 2)).toBe(1);
  expect(hiddenIn(open[1] as Row, 2)).toBeNull();
  expect(findRow(closed, 99_999)).toBe(-1);
});

test('messages without visible content have no row', () => {
  const empty = makeMessage({ ordinal: 0, content_blocks: [] });
  expect(buildRows(readTranscript({ messages: [empty], parts: NO_PARTS, cwd: null }), CLOSED)).toEqual([]);
});
