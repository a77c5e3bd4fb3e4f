import type { SessionDetail } from '../../../src/api/sessions.ts';
import type { MessageRow } from '../../../src/api/transcript.ts';
import { makeBlock, makeMessage, makeSession } from './make-rows.ts';

export const TALK_ID = '11111111-0000-4000-8000-000000000001';

/** A session with one message of every kind. */
export function makeTalk(): { readonly session: SessionDetail; readonly messages: readonly MessageRow[] } {
  const session = makeSession({
    id: TALK_ID,
    title: 'Fix the ferry timetable',
    git_branch: 'fix/winter-times',
    lines: { total: 120, records: 103, salvaged: 17, skipped: 0 },
    anomalies: { spliced_line: 17 },
    subagent_count: 1,
  });
  const parts: Partial<MessageRow>[] = [
    human('The timetable is `one hour` early.'),
    context('environment', 'context'),
    context('date', 'context'),
    model([
      makeBlock({ block_type: 'thinking', thinking_text: 'It smells of time zones.' }),
      makeBlock({
        block_type: 'text',
        block_order: 1,
        content_text: 'Let me **look**:\n\n- one\n- two\n\n```ts\nconst a = 1;\n```',
      }),
      makeBlock({
        block_type: 'tool_use',
        block_order: 2,
        tool_name: 'Bash',
        tool_use_id: 'call-1',
        tool_input: { command: 'npm test' },
      }),
    ]),
    result('call-1', 'FAIL: expected 06:40 to be 07:40', true),
    model([
      makeBlock({ block_type: 'thinking', thinking_text: '' }),
      makeBlock({
        block_type: 'tool_use',
        block_order: 1,
        tool_name: 'Edit',
        tool_use_id: 'call-2',
        tool_input: { file_path: '/home/mira/harbour/src/a.ts', old_string: 'a\nb', new_string: 'a\nc\nd' },
      }),
    ]),
    result('call-2', 'done', false),
    model([
      makeBlock({
        block_type: 'tool_use',
        tool_name: 'Agent',
        tool_use_id: 'call-3',
        tool_input: { description: 'Look around', prompt: 'Find the caches.' },
      }),
    ]),
    result('call-3', 'Two caches.\nagentId: a0123456789abcdef (internal)', false),
    {
      message_type: 'system',
      subtype: 'compact_boundary',
      role: 'system',
      origin: 'system',
      model: null,
      metadata: { compactMetadata: { trigger: 'auto', preTokens: 167_361 } },
    },
    {
      message_type: 'user',
      role: 'human',
      origin: 'compact_summary',
      model: null,
      content_blocks: [makeBlock({ block_type: 'text', content_text: 'We fixed the timetable.' })],
    },
    model([makeBlock({ block_type: 'text', content_text: 'All done, the last word.' })]),
    { ...human('Find the **caches**.'), origin: 'agent_prompt', agent_id: 'a0123456789abcdef' },
    {
      ...model([makeBlock({ block_type: 'text', content_text: 'Said inside the sub-agent.' })]),
      agent_id: 'a0123456789abcdef',
    },
  ];
  return { session, messages: parts.map((part, ordinal) => makeMessage({ ...part, ordinal })) };
}

export function human(text: string): Partial<MessageRow> {
  const block = makeBlock({ block_type: 'text', content_text: text });
  return { message_type: 'user', role: 'human', origin: 'human', model: null, content_blocks: [block] };
}

export function model(blocks: MessageRow['content_blocks']): Partial<MessageRow> {
  return { content_blocks: blocks };
}

export function result(callId: string, text: string, isError: boolean): Partial<MessageRow> {
  const block = makeBlock({ block_type: 'tool_result', tool_result_id: callId, result_text: text, is_error: isError });
  return { message_type: 'user', role: 'human', origin: 'tool_result', model: null, content_blocks: [block] };
}

function context(subtype: string, origin: string): Partial<MessageRow> {
  return { message_type: 'attachment', role: 'system', subtype, origin, model: null, has_text: false };
}
