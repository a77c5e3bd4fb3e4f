import type { StatusReport } from '../../../src/api/server.ts';
import type { SessionDetail } from '../../../src/api/sessions.ts';
import type { BlockRow, CallFacts, MessageRow } from '../../../src/api/transcript.ts';
import type { SavedView } from '../../../src/api/views.ts';
import type { DataSource } from '../../../src/app/data-source.ts';
import { NOW } from '../../support/fixed-clock.ts';
import { createEmptyData } from './empty-data.ts';
import {
  makeBlock,
  makeCallFacts,
  makeFoundSession,
  makeHit,
  makeMessage,
  makeSession,
  makeStatus,
} from './make-rows.ts';
import { outlineInMemory } from './memory-outline.ts';

const HOSTS = ['//evil.example', 'https://evil.example', 'http://127.0.0.1:9'];
const RUN = ['window.hacked=1', "alert('hacked')", "fetch('//evil.example/x')", 'location="//evil.example"'];

/** Each of these does something visible if a page treats it as more than text. */
export const PAYLOADS: readonly string[] = [
  ...RUN.flatMap((code) => [
    `<script>${code}</script>`,
    `"><script>${code}</script>`,
    `'><img src=x onerror="${code}">`,
    `<img src=x onerror=${code}>`,
    `<svg onload="${code}">`,
    `<svg><script>${code}</script></svg>`,
    `<math><mtext></mtext><script>${code}</script></math>`,
    `<body onload="${code}">`,
    `<iframe srcdoc="<script>parent.${code}</script>"></iframe>`,
    `<details open ontoggle="${code}">x</details>`,
    `<input autofocus onfocus="${code}">`,
    `<a href="javascript:${code}">click</a>`,
    `[click](javascript:${code})`,
    `![x](javascript:${code})`,
    `javascript:${code}`,
    `\`\`\`html\n<script>${code}</script>\n\`\`\``,
    `\`<img src=x onerror="${code}">\``,
    `**<img src=x onerror="${code}">**`,
    `| <script>${code}</script> |\n|---|\n| <svg onload=${code}> |`,
    `- <script>${code}</script>\n  - <img src=x onerror=${code}>`,
    `# <script>${code}</script>`,
    `> <script>${code}</script>`,
    `{{constructor.constructor("${code}")()}}`,
    `\${${code}}`,
    `</pre></div><script>${code}</script>`,
    `</textarea><script>${code}</script>`,
    `</title><script>${code}</script>`,
    `<!--><script>${code}</script>-->`,
    `<scr<script>ipt>${code}</scr</script>ipt>`,
    `&lt;script&gt;${code}&lt;/script&gt;`,
    `\\u003cscript\\u003e${code}\\u003c/script\\u003e`,
    `<template><script>${code}</script></template>`,
    `<object data="data:text/html,<script>${code}</script>"></object>`,
    `<embed src="javascript:${code}">`,
    `<form action="javascript:${code}"><button autofocus>x</button></form>`,
  ]),
  ...HOSTS.flatMap((host) => [
    `<img src="${host}/pixel.png">`,
    `![pixel](${host}/pixel.png)`,
    `[link](${host}/)`,
    `<link rel=stylesheet href="${host}/x.css">`,
    `<link rel=prefetch href="${host}/x">`,
    `<style>@import url("${host}/x.css");</style>`,
    `<div style="background:url(${host}/x)">x</div>`,
    `<video src="${host}/x" autoplay></video>`,
    `<iframe src="${host}/"></iframe>`,
    `<base href="${host}/">`,
    `<meta http-equiv=refresh content="0;url=${host}/">`,
    `<svg><image href="${host}/x.svg"/></svg>`,
    `<svg><use href="${host}/x.svg#a"/></svg>`,
    `<object data="${host}/x"></object>`,
    `<form action="${host}/"><input type=submit></form>`,
    `url(${host}/x)`,
  ]),
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  '<'.repeat(3_000),
  '[x]('.repeat(3_000),
  '\u202eevil\u2066\u2069',
  '\u0000\u0007\u001b[31mred\u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007',
  '\ud800 lone',
  'a'.repeat(20_000),
];

/** The value with every text replaced, except for fields in `keep`. */
function poison<T>(value: T, payload: string, keep: ReadonlySet<string>): T {
  const walk = (part: unknown, field: string): unknown => {
    if (keep.has(field)) return part;
    if (typeof part === 'string' || (part === null && !NUMBERS.test(field))) return payload;
    if (Array.isArray(part)) return part.map((item) => walk(item, ''));
    if (part === null || typeof part !== 'object') return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, walk(inner, name)]));
  };
  return walk(value, '') as T;
}

/** Fields that are null here and would not hold text. */
const NUMBERS =
  /tokens|count|messages|blocks|usd|_ms|is_error|agent_id|tool_input|cache|^call$|patch|exit_code|ordinal/;

const KEPT_SESSION = new Set(['id', 'lifecycle', 'parse_status', 'started_at', 'ended_at', 'created_at', 'updated_at']);
/** Fields that control how the page renders; with these values, every view of a message is drawn. */
const DECIDING = [
  'id',
  'message_type',
  'origin',
  'block_type',
  'tool_use_id',
  'tool_result_id',
  'timestamp',
  'agent_id',
];

function hostileSession(id: string, payload: string): SessionDetail {
  const file = { path: 'x', kind: 'main', agent_id: null, size_bytes: 1, generations: 1, sha256: 'x' };
  const anomalies = { [payload]: 3 };
  const session = makeSession({
    id,
    models: ['x'],
    unknown_models: ['x'],
    tags: ['x'],
    files: [file],
    metadata: { a: 'x' },
  });
  return { ...poison(session, payload, KEPT_SESSION), anomalies };
}

function hostileBlocks(payload: string, ordinal: number): BlockRow[] {
  const call = `call-${ordinal}`;
  const kinds: Partial<BlockRow>[] = [
    { block_type: 'text', content_text: 'x' },
    { block_type: 'thinking', thinking_text: 'x' },
    {
      block_type: 'tool_use',
      tool_name: 'x',
      tool_use_id: call,
      tool_input: { [payload]: 'x', command: 'x', old_string: 'x', new_string: 'x' },
    },
    {
      block_type: 'tool_use',
      tool_name: 'Bash',
      tool_use_id: `${call}b`,
      tool_input: { command: 'x', list: ['x', { [payload]: 'x' }] },
    },
    { block_type: 'tool_result', tool_result_id: call, result_text: 'x', is_error: true },
    { block_type: 'tool_result', tool_result_id: `none-${ordinal}`, result_text: 'x' },
    { block_type: 'image', metadata: { mediaType: 'x', source: { url: 'x' } } },
    { block_type: payload, content_text: 'x' },
  ];
  const keep = new Set(DECIDING);
  return kinds.map((kind, block_order) => {
    const block = makeBlock({
      ...kind,
      block_type: kind.block_type ?? 'text',
      block_order,
      id: `b-${ordinal}-${block_order}`,
    });
    const poisoned = poison(block, payload, keep);
    return {
      ...poisoned,
      tool_name: kind.tool_name === 'Bash' ? 'Bash' : poisoned.tool_name,
      tool_input: kind.tool_input === undefined ? null : poison(kind.tool_input, payload, new Set()),
      call: kind.block_type === 'tool_use' ? hostileFacts(payload) : null,
    };
  });
}

const KEPT_FACTS = new Set(['status', 'exit_code', 'result_ordinal', 'patch', 'started_at', 'ended_at']);

function hostileFacts(payload: string): CallFacts {
  const patch = [{ old_start: 1, new_start: 1, lines: [`-${payload}`, `+${payload} `, ` ${payload}`] }];
  return poison(makeCallFacts({ patch, details: { a: 'x' } }), payload, KEPT_FACTS);
}

const INJECTED = [
  'synthetic',
  'command',
  'bash_input',
  'bash_output',
  'compact_summary',
  'meta',
  'system',
  'teammate',
  'tool_result',
];

const MESSAGES_PER_PAYLOAD = 4;

/** A prompt, an answer with a block of every kind, and two of the other origins in turn. */
function hostileMessages(payload: string, turn: number): MessageRow[] {
  const origins = ['human', 'model', INJECTED[turn % INJECTED.length] ?? '', turn % 2 === 0 ? payload : 'meta'];
  return origins.map((origin, index) => {
    const ordinal = turn * MESSAGES_PER_PAYLOAD + index;
    const metadata = { error: 'x', compactMetadata: { trigger: 'x', preTokens: 1 } };
    const row = makeMessage({ ordinal, origin, metadata });
    const poisoned = poison(row, payload, new Set([...DECIDING, 'content_blocks']));
    const blocks = hostileBlocks(payload, ordinal);
    return { ...poisoned, agent_id: null, content_blocks: origin === 'model' ? blocks : blocks.slice(0, 1) };
  });
}

export const HOSTILE_ID = 'aaaaaaaa-0000-4000-8000-00000000000a';

/** A store in which no text can be trusted. */
function hostileView(payload: string, index: number): SavedView {
  const at = '2026-11-15T12:00:00.000Z';
  const rest = { sort: null, order: null, group: null, created_at: at, updated_at: at };
  return { id: `view-${index}`, name: payload, q: payload, ...rest };
}

export function createHostileData(payloads: readonly string[]): DataSource {
  const sessions = payloads.map((payload, index) =>
    hostileSession(`bbbbbbbb-0000-4000-8000-${String(index).padStart(12, '0')}`, payload),
  );
  const detail = hostileSession(HOSTILE_ID, payloads[0] ?? '');
  const messages = payloads.flatMap((payload, turn) => hostileMessages(payload, turn));
  const found = payloads.map((payload, index) =>
    poison(
      makeFoundSession({ session_id: HOSTILE_ID, hits: [makeHit({ ordinal: index })] }),
      payload,
      new Set(['session_id', 'started_at', 'timestamp']),
    ),
  );
  const status: StatusReport = poison(makeStatus(), payloads[0] ?? '', new Set(['phase', 'mode']));
  return createEmptyData({
    'GET /sessions': async () => ({ sessions: [detail, ...sessions], next_cursor: null, has_more: false, hidden: 0 }),
    'GET /views': async () => ({ views: payloads.map((payload, index) => hostileView(payload, index)) }),
    'GET /facets': async () => ({
      sessions: 1,
      cost_nanos: 1,
      facets: (['workspace', 'branch', 'model', 'tag'] as const).map((field) => ({
        field,
        values: payloads.map((payload) => ({ value: payload, label: payload, sessions: 1 })),
        more: 0,
      })),
    }),
    'GET /session-days': async () => ({
      days: [{ day: NOW.toISOString().slice(0, 10), sessions: 1, cost_nanos: 1 }],
    }),
    'GET /sessions/:id/prompts': async () => ({
      prompts: payloads.map((excerpt, ordinal) => ({ ordinal, excerpt, cost_nanos: null })),
      next_after: null,
    }),
    'GET /sessions/:id': async ({ params: { id } }) => sessions.find((session) => session.id === id) ?? detail,
    'GET /sessions/:id/transcript': async ({ query: { after = -1, limit } }) => {
      const rest = messages.filter((message) => message.ordinal > after);
      const page = rest.slice(0, limit);
      return { messages: page, next_after: rest.length > limit ? (page.at(-1)?.ordinal ?? null) : null };
    },
    'GET /sessions/:id/outline': async () => outlineInMemory(messages, {}),
    'GET /search': async ({ query }) => ({
      query: query.q,
      sessions: found,
      total: { sessions: found.length, places: found.length },
      cut: null,
      next_cursor: null,
    }),
    'GET /status': async () => ({ ...status, import: { ...status.import, phase: 'failed', error: payloads[1] ?? '' } }),
  });
}
