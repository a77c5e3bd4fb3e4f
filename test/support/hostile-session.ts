import fc from 'fast-check';
import type { Subagent } from '../../src/api/agents.ts';
import type { SessionDetail } from '../../src/api/sessions.ts';
import type { Get } from '../../src/api/table.ts';
import type { BlockRow, MessageRow } from '../../src/api/transcript.ts';
import { getFrom } from '../../src/app/hot-queries.ts';
import type { Queries } from '../../src/app/queries.ts';
import type { PartRows } from '../../src/reading/parts.ts';
import { makeBlock, makeMessage, makeSession, makeSubagent } from '../browser/support/make-rows.ts';
import { outlineInMemory } from '../browser/support/memory-outline.ts';
import { partQueries } from '../browser/support/part-queries.ts';
import { anyCharacter } from './any-character.ts';

export const SESSION_ID = '11111111-0000-4000-8000-000000000001';

export interface PageData {
  readonly session?: Partial<SessionDetail>;
  readonly messages?: readonly MessageRow[];
  readonly subagents?: readonly Partial<Subagent>[];
  readonly parts?: Partial<PartRows>;
}

export type PageQueries = Pick<
  Queries,
  'GET /sessions/:id' | 'GET /sessions/:id/transcript' | 'GET /sessions/:id/outline'
>;

export function queriesOf({ session = {}, messages = [], subagents = [], parts = {} }: PageData): PageQueries {
  return {
    'GET /sessions/:id': async () => makeSession({ id: SESSION_ID, ...session }),
    'GET /sessions/:id/transcript': async ({ query: { after = -1, limit, agent_id: wanted } }) => {
      const isWanted = (agentId: string | null) => wanted === undefined || wanted.includes(agentId ?? 'main');
      const all = messages.filter(({ ordinal, agent_id }) => ordinal > after && isWanted(agent_id));
      const page = all.slice(0, limit);
      return { messages: page, next_after: all.length > limit ? (page.at(-1)?.ordinal ?? null) : null };
    },
    'GET /sessions/:id/outline': async () => outlineInMemory(messages, parts),
    ...partQueries({ ...parts, subagents: subagents.map((each) => makeSubagent({ agent_id: 'a1', ...each })) }),
  };
}

export const getOf = (queries: PageQueries): Get => getFrom(queries as Queries);

function blocksOf(text: string): BlockRow[] {
  const call = { tool_use_id: text, tool_name: text };
  return [
    makeBlock({ block_type: 'text', content_text: text }),
    makeBlock({ block_type: 'thinking', thinking_text: text }),
    makeBlock({ block_type: 'tool_use', ...call, tool_input: { [text]: text, deep: [{ [text]: [text] }] } }),
    makeBlock({
      block_type: 'tool_use',
      ...call,
      tool_input: { file_path: text, old_string: `a\n${text}`, new_string: text },
    }),
    makeBlock({ block_type: 'server_tool_use', ...call, tool_input: { command: text } }),
    makeBlock({ block_type: 'tool_use', ...call, tool_input: text }),
    makeBlock({ block_type: 'tool_result', tool_result_id: text, result_text: text, is_error: true }),
    makeBlock({ block_type: 'tool_result', tool_result_id: 'elsewhere', result_text: text }),
    makeBlock({ block_type: text, metadata: { mediaType: text, bytes: 12 } }),
  ];
}

const ORIGINS = ['human', 'queued', 'agent_prompt', 'model', 'synthetic', 'interruption', 'command', 'bash_input'];

/** A session with this text in every field that can hold text. */
export function everywhere(text: string): PageData {
  const origins = [...ORIGINS, 'compact_summary', 'context', 'command_output', 'task_notification', text];
  // With one of these subtypes the origin does not matter.
  const subtypes = ['compact_boundary', 'api_error', text];
  const kinds = [
    ...origins.map((origin) => ({ origin, subtype: null })),
    ...subtypes.map((subtype) => ({ origin: 'model', subtype })),
  ];
  const messages = kinds.map((kind, ordinal) =>
    makeMessage({
      ...kind,
      ordinal,
      id: `${text}${ordinal}`,
      model: text,
      timestamp: text,
      agent_id: ordinal % 5 === 4 ? text : null,
      metadata: { [text]: text, error: text, compactMetadata: { trigger: text, preTokens: text } },
      content_blocks: blocksOf(text),
    }),
  );
  const texts = {
    title: text,
    initial_prompt: text,
    workspace_name: text,
    git_branch: text,
    cwd: text,
    started_at: text,
  };
  const session = { ...texts, models: [text], model: text, summary: text, tags: [text], device_name: text };
  const subagent = { agent_id: text, agent_type: text, agent_name: text, description: text };
  const parts = {
    tool_calls: [{ id: text, status: text, denial: text, exit_code: 1, duration_ms: 5_000 }],
    compactions: messages.map(({ id }) => {
      return { id, kind: text, trigger_name: text, pre_tokens: 1, post_tokens: 2 };
    }),
    branches: [{ turn_ids: messages.map(({ id }) => id), current_turn_id: text }],
  };
  return { session, messages, subagents: [{ ...subagent, spawning_tool_use_id: text }], parts };
}

export const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</style><script>x</script>',
  '</title><base href=//evil.example>',
  '<!--<svg onload=x>-->',
  '&lt;b&gt;',
  '**<i>**`<u>`',
  '| <b> |\n|---|\n| <a href=x> |',
  '```\n</pre><b>\n```',
  '<command-name><b></command-name>',
  '\u0000<\u0001\ud800',
];
export const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.constantFrom(...HOSTILE),
  fc
    .array(fc.constantFrom('<', '>', '"', "'", '&', '/', '!', '-', '`', '*', '|', '\n', 'a', '=', ' '))
    .map((all) => all.join('')),
);
