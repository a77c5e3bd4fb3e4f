import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { SqlValue, TableName } from '../../src/store/engine.ts';
import { readSummaryFacts } from '../../src/store/queries/summaries/summary-facts.ts';
import { readSummaryRows, SESSION_SCOPE, scopesOf } from '../../src/store/queries/summaries/summary-input.ts';
import type { Store } from '../../src/store/store.ts';
import { seedSession } from '../support/seed-session.ts';
import { STORES } from '../support/stores.ts';

type Row = Readonly<Record<string, SqlValue>>;

async function seedRows(store: Store, table: TableName, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => ['s', 1, ...columns.map((name) => row[name] ?? null)]);
  await store.engine.transaction((tx) =>
    store.engine.insertMany(tx, table, ['session_id', 'revision', ...columns], values),
  );
}

/** Utterances with their texts, in order. */
async function seedTalk(
  store: Store,
  said: readonly { origin: string; text: string; agent?: string }[],
): Promise<void> {
  const messages = said.map(({ origin, agent }, n) => ({
    ordinal: n,
    id: `m${n}`,
    line_number: n,
    agent_id: agent ?? null,
    message_type: 'user',
    role: 'human',
    origin,
    has_text: true,
    raw_message: '[]',
  }));
  const blocks = said.map(({ text }, n) => ({
    message_id: `m${n}`,
    block_order: 0,
    id: `m${n}:0`,
    block_type: 'text',
    content_text: text,
  }));
  await seedRows(store, 'transcript_messages', messages);
  await seedRows(store, 'content_blocks', blocks);
}

async function seedParsed(store: Store): Promise<void> {
  await seedSession(store, 's');
  await store.engine.kysely
    .updateTable('sessions')
    .set({ lifecycle: 'parsed', parse_status: 'completed', parsed_version: 1, revision: 1, client_title: 'Given' })
    .execute();
}

async function readFacts({ engine }: Store) {
  const facts = (await readSummaryFacts(engine.kysely, ['s'])).get('s');
  if (facts === undefined) throw new Error('the session was not seeded');
  return facts;
}

async function readSession(store: Store) {
  return readSummaryRows(store.engine.kysely, await readFacts(store), SESSION_SCOPE);
}

const AGENT = {
  source: 'file',
  run_in_background: false,
  reported: '{}',
  stats: '{}',
};

describe.each(STORES)('input of summaries on $name', ({ open }) => {
  it('is bounded, however long a session is', async () => {
    await using store = await open();
    await seedParsed(store);
    const LONG = 'word '.repeat(2_000);
    await seedTalk(
      store,
      Array.from({ length: 3_000 }, (_, n) => ({ origin: n % 2 ? 'model' : 'human', text: `${n} ${LONG} end ${n}` })),
    );
    const input = await readSession(store);
    expect([input.opening.length, input.closing.length, input.omitted, input.conversation.prompts]).toEqual([
      60, 120, 2_820, 1_500,
    ]);
    expect(input.opening[0]?.text).toMatch(/^0 word/);
    expect(input.closing.at(-1)?.ending).toMatch(/end 2999$/);
    expect(JSON.stringify(input).length).toBeLessThan(1_000_000);
  });

  it('G14: never ends in the middle of a word when a text was truncated', async () => {
    await using store = await open();
    await seedParsed(store);
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    await seedTalk(store, [
      { origin: 'human', text: `${'x '.repeat(990)}${secret} ${'y '.repeat(2_000)}${secret} ${'z '.repeat(990)}` },
    ]);
    const [said] = (await readSession(store)).opening;
    expect(said?.text).not.toContain('ghp_');
    expect(said?.ending).not.toMatch(/[a1B2c3D4e5F6]{3}/);
  });

  // Regression: narratives of a fork mentioned errors, plans, answers and to-dos of the original session.
  it('omits what a fork copied from its parent', async () => {
    await using store = await open();
    await seedParsed(store);
    await seedTalk(store, [
      { origin: 'model', text: 'Copied.' },
      { origin: 'model', text: 'Own.' },
    ]);
    const { kysely } = store.engine;
    await kysely
      .updateTable('transcript_messages')
      .set({ is_inherited: sql.lit(true) })
      .where('id', '=', 'm0')
      .execute();
    const both = (row: (n: number) => Row) => [0, 1].map((n) => ({ position: n, message_id: `m${n}`, ...row(n) }));
    await seedRows(
      store,
      'api_errors',
      both((n) => ({ status: 500 + n })),
    );
    await seedRows(
      store,
      'plans',
      both((n) => ({ status: n === 0 ? 'rejected' : 'approved', characters: 3 })),
    );
    await seedRows(
      store,
      'questions',
      both((n) => ({
        tool_use_id: `q${n}`,
        question: `Which ${n}?`,
        answer: `This ${n}.`,
        status: 'answered',
        is_multi_select: false,
        options: '[]',
        chosen: '[]',
      })),
    );
    await seedRows(store, 'todos', [{ position: 0, id: 't1', text: 'Pick apples', status: 'pending' }]);
    const todoCall = (id: string, position: number, is_inherited: boolean) =>
      seedRows(store, 'tool_calls', [
        { id, position, name: 'TodoWrite', status: 'ok', files: '[]', details: '{}', result_count: 1, is_inherited },
      ]);
    await todoCall('copied', 0, true);
    await seedRows(
      store,
      'subagents',
      ['copied', 'own', null].map((spawning_tool_use_id, position) => ({
        position,
        agent_id: `a${position}`,
        spawning_tool_use_id,
        linked_by: 'result',
        source: 'none',
        description: `${spawning_tool_use_id} work`,
        status: 'completed',
        run_in_background: false,
        reported: '{}',
        stats: '{}',
      })),
    );
    const input = await readSession(store);
    expect(input).toMatchObject({
      apiErrors: [{ what: '501', count: 1 }],
      plans: { approved: 1, rejected: 0 },
      decisions: [{ question: 'Which 1?', answer: 'This 1.' }],
      todos: [],
      helpers: [{ description: 'own work' }, { description: 'null work' }],
    });
    await todoCall('own', 1, false);
    expect((await readSession(store)).todos).toHaveLength(1);
  });

  it('does not take a command for a request if the client printed its output', async () => {
    await using store = await open();
    await seedParsed(store);
    const command = (name: string) => `<command-name>/${name}</command-name><command-args></command-args>`;
    await seedTalk(store, [
      { origin: 'command', text: command('unheard-of') },
      { origin: 'meta', text: 'Caveat' },
      { origin: 'command_output', text: 'Done' },
      { origin: 'command', text: command('mine') },
      { origin: 'model', text: 'Done.' },
    ]);
    const { conversation } = await readSession(store);
    expect(conversation.requests.map(({ text }) => text)).toEqual([command('mine')]);
  });

  it('omits text that neither the person nor the model wrote', async () => {
    await using store = await open();
    await seedParsed(store);
    const injected = [
      'meta',
      'context',
      'system',
      'tool_result',
      'compact_summary',
      'task_notification',
      'command_output',
    ];
    await seedTalk(store, [
      { origin: 'human', text: 'Fix the basket' },
      ...injected.map((origin) => ({ origin, text: `injected ${origin}` })),
      { origin: 'model', text: 'Fixed.' },
      { origin: 'agent_prompt', text: 'Look', agent: 'a' },
      { origin: 'model', text: 'Looked.', agent: 'a' },
    ]);
    const input = await readSession(store);
    expect(input.opening.map(({ by, text }) => [by, text])).toEqual([
      ['person', 'Fix the basket'],
      ['model', 'Fixed.'],
    ]);
    expect(input.clientTitle).toBe('Given');
  });

  it('separates sub-agents, and joins the threads of a teammate', async () => {
    await using store = await open();
    await seedParsed(store);
    await seedTalk(store, [
      { origin: 'agent_prompt', text: 'Search', agent: 'a' },
      { origin: 'model', text: 'Found.', agent: 'a' },
      { origin: 'agent_prompt', text: 'Write', agent: 'b' },
      { origin: 'model', text: 'Written.', agent: 'b' },
    ]);
    await seedRows(store, 'subagents', [
      { position: 0, agent_id: 'a', agent_type: 'Explore', ...AGENT },
      { position: 1, agent_id: 'b', agent_type: 'Explore', ...AGENT },
      { position: 2, agent_id: 'c', agent_type: 'Explore', ...AGENT, source: 'none' },
    ]);
    const mate = { team_name: 'crew', messages_received: 1 };
    await seedRows(store, 'teammates', [
      { position: 0, id: 'ann@crew', entity_name: 'ann', agent_ids: '["a","b"]', ...mate },
      { position: 1, id: 'bob@crew', entity_name: 'bob', agent_ids: '[]', ...mate },
    ]);
    const { kysely } = store.engine;
    const facts = await readFacts(store);
    const scopes = scopesOf(facts);
    expect(scopes.map(({ key, agentIds }) => [key, agentIds])).toEqual([
      ['', null],
      ['a', ['a']],
      ['b', ['b']],
      ['ann@crew', ['a', 'b']],
    ]);
    const talks = await Promise.all(scopes.map((scope) => readSummaryRows(kysely, facts, scope)));
    const words = talks.map(({ opening }) => opening.map(({ text }) => text).join(' '));
    expect(words).toEqual([
      'Search Found. Write Written.',
      'Search Found.',
      'Write Written.',
      'Search Found. Write Written.',
    ]);
    expect(talks[0]?.teams).toEqual([{ name: 'crew', members: ['ann', 'bob'] }]);
  });
});
