import { describe, expect, test } from 'vitest';
import { makeBlock, makeMessage } from '../../test/browser/support/make-rows.ts';
import type { BlockRow, MessageRow } from '../api/transcript.ts';
import { entriesOf, streamEntries } from './entries.ts';
import { contextAbout, contextLabel, type Entry, type EntryOf } from './entry.ts';
import { branchText, indexParts, NO_PARTS, type PartRows } from './parts.ts';

let next = 0;

function message(fields: Partial<MessageRow>, ...blocks: Partial<BlockRow>[]): MessageRow {
  next += 1;
  const content_blocks = blocks.map((block, block_order) => makeBlock({ block_type: 'text', block_order, ...block }));
  return makeMessage({ ordinal: next, content_blocks, ...fields });
}

const call = (id: string): Partial<BlockRow> => ({ block_type: 'tool_use', tool_name: 'Bash', tool_use_id: id });
const resultOf = (id: string, text = 'ok', more: Partial<BlockRow> = {}) =>
  message(
    { origin: 'tool_result', role: 'human' },
    { block_type: 'tool_result', tool_result_id: id, result_text: text, ...more },
  );
const partsOf = (rows: Partial<PartRows>) =>
  indexParts({ tool_calls: [], subagents: [], compactions: [], branches: [], ...rows });
const read = (messages: readonly MessageRow[], rows: Partial<PartRows> = {}) =>
  entriesOf(messages, { parts: partsOf(rows), cwd: '/home/mira/harbour' });
const kinds = (entries: readonly Entry[]) => entries.map(({ kind }) => kind);
const only = <K extends Entry['kind']>(entries: readonly Entry[], kind: K) =>
  entries.filter((entry): entry is EntryOf<K> => entry.kind === kind);

describe('kinds', () => {
  test.each([
    [{ origin: 'human' }, 'prompt'],
    [{ origin: 'queued' }, 'prompt'],
    [{ origin: 'agent_prompt' }, 'prompt'],
    [{ origin: 'teammate' }, 'prompt'],
    [{ origin: 'human', is_meta: true }, 'context'],
    [{ origin: 'command' }, 'command'],
    [{ origin: 'bash_input' }, 'command'],
    [{ origin: 'synthetic' }, 'notice'],
    [{ origin: 'interruption' }, 'notice'],
    [{ origin: 'system', subtype: 'api_error' }, 'notice'],
    [{ origin: 'system', subtype: 'compact_boundary' }, 'compaction'],
    [{ origin: 'system', subtype: 'microcompact_boundary' }, 'compaction'],
    [{ origin: 'compact_summary' }, 'summary'],
    [{ origin: 'system', message_type: 'summary' }, 'context'],
    [{ origin: 'meta' }, 'context'],
    [{ origin: 'task_notification' }, 'context'],
    [{ origin: 'constructor' }, 'context'],
    [{ origin: '__proto__' }, 'context'],
    [{ origin: 'model' }, 'answer'],
  ])('%j is shown as %s', (fields, kind) => {
    expect(kinds(read([message(fields, { content_text: 'words' })]))).toEqual([kind]);
  });

  test('creates an entry for each block of a model message, except for empty text', () => {
    const blocks = [
      { block_type: 'thinking', thinking_text: 'Hm.' },
      { content_text: 'a' },
      { content_text: '  ' },
      call('t'),
    ];
    expect(kinds(read([message({}, ...blocks, { block_type: 'image' })]))).toEqual([
      'thinking',
      'answer',
      'tool',
      'media',
    ]);
    expect(kinds(read([message({}, { content_text: ' ' }, { block_type: 'thinking' })]))).toEqual(['empty']);
  });

  test('omits context without text', () => {
    expect(kinds(read([message({ origin: 'system', subtype: 'turn_duration' })]))).toEqual([]);
    const output = { content_text: '<local-command-stdout></local-command-stdout>' };
    expect(kinds(read([message({ origin: 'command_output' }, output)]))).toEqual([]);
  });

  test('treats JSON messages between teammates as context', () => {
    const text = '{"type":"idle_notification","from":"ada"}';
    expect(kinds(read([message({ origin: 'teammate' }, { content_text: text })]))).toEqual(['context']);
  });
});

describe('prompts', () => {
  test.each([
    ['<teammate-message teammate_id="ada" color="blue">\nBuilt.\n</teammate-message>', 'Teammate ada', 'Built.'],
    [
      '<teammate-message teammate_id="team-lead" summary="x">\nBuild it.\n</teammate-message>',
      'Team lead',
      'Build it.',
    ],
    [
      '<teammate-message teammate_id="ada">A.</teammate-message>\n<teammate-message teammate_id="bo">B.</teammate-message>',
      'Teammate ada, bo',
      'A.\n\nB.',
    ],
    ['Hello from ada.', 'Teammate', 'Hello from ada.'],
  ])('of teammates are shown without tags: %j', (content_text, speaker, text) => {
    const [entry] = only(read([message({ origin: 'teammate' }, { content_text })]), 'prompt');
    expect(entry).toMatchObject({ speaker, text });
  });

  test('have a speaker, text, media, injected text and a branch', () => {
    const prompt = message(
      { origin: 'human' },
      { content_text: 'Look.' },
      { block_type: 'image', metadata: { mediaType: 'image/png', bytes: 2_000 } },
      { block_type: 'injected', content_text: '<ide_selection>x</ide_selection>', metadata: { tag: 'ide_selection' } },
    );
    const branches = [{ turn_ids: ['other', prompt.id], current_turn_id: prompt.id }];
    const [entry] = only(read([prompt], { branches }), 'prompt');
    expect(entry).toMatchObject({
      speaker: 'You',
      text: 'Look.',
      media: [{ messageId: prompt.id, block: 1, kind: 'image', text: '[image/png · 1.5 kB]' }],
      injected: [{ label: 'selection in the editor', text: 'x' }],
    });
    expect(entry?.branch && branchText(entry.branch)).toBe('Branch 2 of 2, current');
  });

  test('commands are shown as typed', () => {
    const text = '<command-name>/review</command-name><command-args>src</command-args>';
    expect(read([message({ origin: 'command' }, { content_text: text })])).toMatchObject([{ text: '/review src' }]);
  });
});

describe('tool calls', () => {
  test('have their results, wherever they are; the last result counts', () => {
    const messages = [message({}, call('t1'), call('t2')), resultOf('t2', 'second'), resultOf('t1', 'cut off')];
    const entries = only(read([...messages, resultOf('t1', 'real')]), 'tool');
    expect(entries.map((entry) => entry.call.result?.text)).toEqual(['real', 'second']);
    expect(entries[0]?.ordinals).toHaveLength(2);
  });

  test('a result without a call is an entry', () => {
    expect(read([resultOf('nobody', 'text')])).toMatchObject([{ kind: 'result', result: { text: 'text' } }]);
  });

  test('have an outcome and sub-agents', () => {
    const facts = { id: 't', status: 'error', denial: null, exit_code: 2, duration_ms: 5_000 };
    const stats = { messages: 1, tool_calls: 0, wall_ms: null };
    const subagent = { agent_id: 'a', spawning_tool_use_id: 't', agent_type: null, agent_name: null };
    const subagents = [
      { ...subagent, team_name: null, description: null, model: null, status: null, cost_nanos: null, stats },
    ];
    const [entry] = only(read([message({}, call('t'))], { tool_calls: [facts], subagents }), 'tool');
    expect(entry?.call.outcome).toMatchObject({ isError: true, text: 'exit 2', exitCode: 2, durationMs: 5_000 });
    expect(entry?.call.subagents).toHaveLength(1);
  });
});

describe('entries that are merged', () => {
  test('a run of context is one entry with a label', () => {
    const context = (subtype: string) => message({ origin: 'context', subtype }, { content_text: 'x\ny' });
    const entries = read([context('one_file'), context('two'), context('one_file'), message({ origin: 'human' })]);
    expect(kinds(entries)).toEqual(['context', 'prompt']);
    const [{ items, ordinals } = { items: [], ordinals: [] }] = only(entries, 'context');
    expect([contextLabel(items), contextAbout(items), ordinals.length]).toEqual(['one file, two', '3 messages', 3]);
    expect(contextAbout(items.slice(0, 1))).toBe('x');
    const labels = ['a', 'b', 'c', 'd', 'e'].map((label) => ({ label }));
    expect(contextLabel(labels)).toBe('a, b, c, d and 1 more');
  });

  test.each([
    ['task_notification', '<task-notification>\n<summary>The tests passed</summary>', 'The tests passed'],
    ['task_notification', 'in other words', 'in other words'],
    ['bash_output', '<bash-stdout>one\ntwo</bash-stdout>', 'one'],
    ['meta', 'a <summary>of a person</summary>', 'a <summary>of a person</summary>'],
  ])('context of %s %j is about %j', (origin, text, about) => {
    const [entry] = only(read([message({ origin }, { content_text: text })]), 'context');
    expect(contextAbout(entry?.items ?? [])).toBe(about);
  });

  test('consecutive thinking is one entry', () => {
    const thought = (thinking_text: string) => ({ block_type: 'thinking', thinking_text });
    expect(read([message({}, thought('a'), thought('b')), message({}, thought('c'))])).toMatchObject([
      { text: 'a\n\nb' },
      { text: 'c' },
    ]);
  });

  test('API retries are one entry with the last attempt', () => {
    const retry = (retryAttempt: number) =>
      message({ origin: 'system', subtype: 'api_error', metadata: { retryAttempt, maxRetries: 10 } });
    const entries = read([retry(1), retry(2), retry(3)]);
    expect(entries).toMatchObject([
      { kind: 'notice', isError: true, text: 'The API answered with an error; attempt 3 of 10 followed.' },
    ]);
    expect(entries[0]?.ordinals).toHaveLength(3);
  });

  test('a new speaker is marked once per turn and when the model changes', () => {
    const entries = read([
      message({ origin: 'human' }),
      message({}, { content_text: 'a' }),
      message({}, { content_text: 'b' }),
      message({ model: 'other' }, { content_text: 'c' }),
    ]);
    expect(only(entries, 'answer').map(({ isNewSpeaker }) => isNewSpeaker)).toEqual([true, false, true]);
  });
});

describe('compactions', () => {
  const boundary = (subtype: string, metadata = {}) => message({ origin: 'system', subtype, metadata });

  test('show the details known to the store', () => {
    const full = boundary('compact_boundary');
    const facts = { id: full.id, kind: 'full', trigger_name: 'manual', pre_tokens: 167_361, post_tokens: 9_000 };
    expect(read([full], { compactions: [facts] })).toMatchObject([
      { text: 'Conversation compacted by /compact · 167k tokens → 9.0k' },
    ]);
  });

  test('fall back to their own line without details from the store', () => {
    const metadata = { compactMetadata: { trigger: 'auto', preTokens: 167_361 } };
    expect(read([boundary('compact_boundary', metadata), boundary('microcompact_boundary')])).toMatchObject([
      { text: 'Conversation compacted automatically · 167k tokens' },
      { text: 'Context shortened automatically' },
    ]);
  });
});

describe('streamed entries', () => {
  const stream = async (messages: readonly MessageRow[]) =>
    Array.fromAsync(
      streamEntries(
        (async function* each() {
          yield* messages;
        })(),
        { parts: NO_PARTS, cwd: null },
      ),
    );

  test('are the same as those of the list', async () => {
    const messages = [
      message({ origin: 'human' }, { content_text: 'Go.' }),
      message({}, call('t1'), { content_text: 'a' }),
      message({ origin: 'context' }, { content_text: 'c' }),
      resultOf('t1'),
      resultOf('nobody'),
    ];
    expect(await stream(messages)).toEqual(entriesOf(messages, { parts: NO_PARTS, cwd: null }));
  });

  test('show a late result separately', async () => {
    const talk = Array.from({ length: 200 }, () => message({}, { content_text: 'meanwhile' }));
    const entries = await stream([message({}, call('t')), ...talk, resultOf('t', 'late')]);
    expect(entries.at(0)).toMatchObject({ kind: 'tool', call: { result: null, outcome: { text: 'no result' } } });
    expect(entries.at(-1)).toMatchObject({ kind: 'result', result: { text: 'late' } });
  });
});
