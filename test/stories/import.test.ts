import { createHash } from 'node:crypto';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../../src/api/sessions.ts';
import type { App } from '../../src/app/open-app.ts';
import { hashGeneration } from '../../src/archive/archive-bytes.ts';
import { loadSessionFiles } from '../../src/store/queries/archive/archive.ts';
import { createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { NOW, PROGRAMS } from '../support/programs.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const OTHER = '99999999-2222-4333-8444-555555555555';
const MAIN = `-home-ada-shop/${ID}.jsonl`;

function firstTalk(startedAt = '2026-11-01T10:00:00.000Z') {
  const talk = createTalk(ID, { startedAt });
  return {
    talk,
    lines: [
      talk.user('The basket forgets its discount. Please fix it.'),
      talk.assistant('msg_1', text('I look at the basket first.'), { input: 3, output: 2 }),
      talk.assistant('msg_1', toolUse('toolu_1', 'Read', { file_path: '/home/ada/shop/src/basket.ts' }), {
        input: 3,
        output: 40,
      }),
      talk.result('toolu_1', 'export function applyDiscount(total) { return total; }'),
      talk.assistant('msg_2', text('Found it: applyDiscount gives the total back.'), { input: 5, output: 60 }),
    ],
  };
}

async function sessionsOf(app: App): Promise<readonly SessionRow[]> {
  return (await app.get('/sessions', { query: { limit: 200 } })).sessions;
}

describe.each(PROGRAMS)('importing a transcript, on $name', ({ create }) => {
  it('makes it listed, priced, readable and searchable', async () => {
    using home = createClaudeHome();
    home.write(MAIN, firstTalk().lines);
    await using program = await create(home.path);
    await using app = await program.open();
    const report = await app.importNew();
    expect(report).toMatchObject({ files: 1, files_changed: 1, sessions_parsed: 1, sessions_indexed: 1, failed: [] });

    const [session] = await sessionsOf(app);
    expect(session).toMatchObject({
      id: ID,
      lifecycle: 'summarized',
      parse_status: 'completed',
      cwd: '/home/ada/shop',
      git_branch: 'main',
      model: 'claude-opus-4-6',
      initial_prompt: 'The basket forgets its discount. Please fix it.',
      user_messages: 1,
      assistant_messages: 2,
      tool_use_count: 1,
      tokens_in: 8,
      tokens_out: 100,
      cache_read_tokens: 200,
      cache_write_tokens: 20,
      started_at: '2026-11-01T10:00:01.000Z',
      ended_at: '2026-11-01T10:00:05.000Z',
    });
    // Opus 4.6 costs 5 and 25 dollars per million tokens; cache reads cost a tenth of the input, writes a quarter more.
    expect(session?.cost_estimate_usd).toBeCloseTo((8 * 5 + 100 * 25 + 200 * 0.5 + 20 * 6.25) / 1e6, 12);

    const { messages } = await app.get('/sessions/:id/transcript', {
      params: { id: ID.slice(0, 8) },
      query: { limit: 50 },
    });
    const types = messages.map(({ origin, content_blocks }) => [
      origin,
      content_blocks.map((b) => b.block_type).join('+'),
    ]);
    expect(types).toEqual([
      ['human', 'text'],
      ['model', 'text+tool_use'],
      ['tool_result', 'tool_result'],
      ['model', 'text'],
    ]);
    const { sessions } = await app.get('/search', { query: { q: 'applyDiscount total', limit: 20 } });
    const hits = sessions.flatMap((session) => session.hits);
    expect(hits.map(({ kind }) => kind).toSorted()).toEqual(['answer', 'output']);
    expect(hits[0]?.snippet).toContain('applyDiscount');
  });

  it('titles one that starts with a command as it was typed, before it is summarized', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    const prompt =
      '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>the till</command-args>';
    home.write(MAIN, [createTalk(ID).user(prompt)]);
    await app.importNew({ rowsOnly: true });
    expect(await sessionsOf(app)).toMatchObject([{ title: '/review the till', initial_prompt: '/review the till' }]);
  });

  it('C2: archives its exact bytes, including an incomplete last line', async () => {
    using home = createClaudeHome();
    const path = home.write(
      MAIN,
      `${firstTalk()
        .lines.map((l) => JSON.stringify(l))
        .join('\n')}\n{"torn":`,
    );
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const [file] = await loadSessionFiles(app.store.engine.kysely, ID);
    const wanted = createHash('sha256').update(readFileSync(path)).digest('hex');
    expect(file?.sha256).toBe(wanted);
    expect(file && (await hashGeneration({ engine: app.store.engine, blobs: app.blobs }, file))).toBe(wanted);
  });

  it('does no work the second time', async () => {
    using home = createClaudeHome();
    home.write(MAIN, firstTalk().lines);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const before = await sessionsOf(app);
    const again = { files: 1, files_changed: 0, bytes_read: 0, sessions_parsed: 0, sessions_indexed: 0 };
    expect(await app.importNew()).toMatchObject(again);
    expect(await sessionsOf(app)).toEqual(before);
  });

  it('C9: reads and counts only the lines appended since', async () => {
    using home = createClaudeHome();
    const { talk, lines } = firstTalk();
    home.write(MAIN, lines);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const more = [talk.user('Thanks. Add a test.'), talk.assistant('msg_3', text('Done.'), { input: 1, output: 7 })];
    home.append(MAIN, more);
    const appended = more.reduce((sum, line) => sum + JSON.stringify(line).length + 1, 0);
    expect(await app.importNew()).toMatchObject({ files_changed: 1, bytes_read: appended, sessions_parsed: 1 });
    const [session] = await sessionsOf(app);
    expect(session).toMatchObject({
      lifecycle: 'summarized',
      user_messages: 2,
      assistant_messages: 3,
      tokens_out: 107,
    });
    const detail = await app.get('/sessions/:id', { params: { id: ID } });
    expect(detail.files).toMatchObject([
      { generations: 1, size_bytes: statSync(join(home.path, 'projects', MAIN)).size },
    ]);
  });

  it('C4, C5: keeps every captured version of a truncated or rewritten file', async () => {
    using home = createClaudeHome();
    const { lines } = firstTalk();
    home.write(MAIN, lines);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const [before] = await loadSessionFiles(app.store.engine.kysely, ID);
    home.write(MAIN, lines.slice(0, 2));
    await app.importNew();
    const [after] = await loadSessionFiles(app.store.engine.kysely, ID);
    expect(after?.generation).toBe(2);
    expect((await sessionsOf(app))[0]).toMatchObject({ assistant_messages: 1, tokens_out: 2 });
    expect(before && (await hashGeneration({ engine: app.store.engine, blobs: app.blobs }, before))).toBe(
      before?.sha256,
    );
  });

  it('C5: detects by its hash a rewrite that keeps size, beginning and end', async () => {
    using home = createClaudeHome();
    const body = (word: string) => [createTalk(ID).user(`${'a'.repeat(9_000)}${word}${'b'.repeat(9_000)}`)];
    const path = home.write(MAIN, body('one'));
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    writeFileSync(path, `${JSON.stringify(body('two')[0])}\n`);
    utimesSync(path, NOW, NOW);
    expect(await app.importNew()).toMatchObject({ files_changed: 1 });
    expect((await loadSessionFiles(app.store.engine.kysely, ID))[0]?.generation).toBe(2);
  });

  it('does not store a file again that was only touched', async () => {
    using home = createClaudeHome();
    const path = home.write(MAIN, firstTalk().lines);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const later = new Date('2026-11-09T12:00:00.000Z');
    utimesSync(path, later, later);
    expect(await app.importNew()).toMatchObject({ files_changed: 0, bytes_read: 0 });
    expect((await loadSessionFiles(app.store.engine.kysely, ID))[0]?.generation).toBe(1);
  });

  it('assigns its sub-agents to it, in both layouts', async () => {
    using home = createClaudeHome();
    home.write(MAIN, firstTalk().lines);
    const agent = (id: string, output: number) => {
      const talk = createTalk(ID, { prefix: id });
      const mark = { isSidechain: true, agentId: id };
      return [talk.user('Explore.'), talk.assistant(`msg_${id}`, text('Seen.'), { input: 1, output })].map((l) => ({
        ...l,
        ...mark,
      }));
    };
    home.write(`-home-ada-shop/${ID}/subagents/agent-a1.jsonl`, agent('a1', 11));
    home.write(`-home-ada-shop/${ID}/subagents/agent-a1.meta.json`, '{"agentType":"Explore"}');
    home.write('-home-ada-shop/agent-b2.jsonl', agent('b2', 22));
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    expect(await sessionsOf(app)).toHaveLength(1);
    const detail = await app.get('/sessions/:id', { params: { id: ID } });
    expect(detail).toMatchObject({ subagent_count: 2, tokens_out: 133, assistant_messages: 4, user_messages: 1 });
    expect(detail.files.map(({ kind }) => kind).toSorted()).toEqual(['agent', 'agent', 'agent_meta', 'main']);
  });

  it('C26, C27: reads an output saved beside it, even if it arrives late, and from nowhere else', async () => {
    using home = createClaudeHome();
    const talk = createTalk(ID);
    const canary = home.write('../canary.txt', 'the canary');
    const notice = (path: string) =>
      `<persisted-output>\nOutput too large (44.1KB). Full output saved to: ${path}\n\nPreview (first 2KB):\nfirst\n...\n</persisted-output>`;
    const saved = `/home/ada/.claude/projects/-home-ada-shop/${ID}/tool-results/toolu_1.txt`;
    home.write(MAIN, [
      talk.assistant('msg_1', toolUse('toolu_1', 'Bash', { command: 'cat log' }), { input: 1, output: 1 }),
      talk.result('toolu_1', notice(saved)),
      talk.assistant('msg_2', toolUse('toolu_2', 'Bash', { command: 'cat it' }), { input: 1, output: 1 }),
      talk.result('toolu_2', notice(canary)),
    ]);
    await using program = await create(home.path);
    await using app = await program.open();
    const results = async () => {
      const { messages } = await app.get('/sessions/:id/transcript', { params: { id: ID }, query: { limit: 50 } });
      return messages.flatMap(({ content_blocks }) =>
        content_blocks.flatMap(({ result_text }) => (result_text === null ? [] : [result_text])),
      );
    };
    await app.importNew();
    expect(await results()).toEqual([notice(saved), notice(canary)]);
    home.write(`-home-ada-shop/${ID}/tool-results/toolu_1.txt`, 'everything the command said');
    await app.importNew();
    expect(await results()).toEqual(['everything the command said', notice(canary)]);
    expect(await app.get('/search', { query: { q: 'everything command', limit: 20, all: true } })).toMatchObject({
      total: { sessions: 1 },
    });
  });

  it('counts what a fork copied once, in any order of arrival', async () => {
    const { talk, lines } = firstTalk();
    const original = [...lines, talk.user('Go on.'), talk.assistant('msg_3', text('Yes.'), { input: 1, output: 5 })];
    const forked = createTalk(OTHER, { startedAt: '2026-11-03T10:00:00.000Z', prefix: 'f' });
    const fork = [
      ...lines.map((line) => ({ ...line, sessionId: OTHER })),
      forked.user('Another way.'),
      forked.assistant('msg_9', text('Fine.'), { input: 2, output: 9 }),
    ];
    for (const order of [
      [ID, OTHER],
      [OTHER, ID],
    ]) {
      using home = createClaudeHome();
      await using program = await create(home.path);
      await using app = await program.open();
      for (const id of order) {
        home.write(`-home-ada-shop/${id}.jsonl`, id === ID ? original : fork);
        await app.importNew();
      }
      const outputs = new Map((await sessionsOf(app)).map(({ id, tokens_out }) => [id, tokens_out]));
      expect(outputs).toEqual(
        new Map([
          [ID, 105],
          [OTHER, 9],
        ]),
      );
    }
  });

  it('C22: treats the same session in two folders as one and counts it once', async () => {
    using home = createClaudeHome();
    const { lines } = firstTalk();
    home.write(MAIN, lines);
    home.write(`-home-ada-shop-worktree/${ID}.jsonl`, lines);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    expect(await sessionsOf(app)).toMatchObject([{ id: ID, assistant_messages: 2, tokens_out: 100, user_messages: 1 }]);
  });

  it('is not live just because its file was copied', async () => {
    using home = createClaudeHome();
    utimesSync(home.write(MAIN, firstTalk().lines), NOW, NOW);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    expect(await sessionsOf(app)).toMatchObject([{ lifecycle: 'summarized', end_reason: 'inferred' }]);
    expect((await app.get('/sessions/:id', { params: { id: ID } })).ended_at).toBe('2026-11-01T10:00:05.000Z');
  });

  it('shows one that is still being written as live until it becomes quiet', async () => {
    using home = createClaudeHome();
    const path = home.write(MAIN, firstTalk('2026-11-15T11:59:00.000Z').lines);
    utimesSync(path, NOW, NOW);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    expect(await sessionsOf(app)).toMatchObject([
      { lifecycle: 'capturing', parse_status: 'completed', ended_at: null },
    ]);
    const earlier = new Date(NOW.getTime() - 3_600_000);
    utimesSync(path, earlier, earlier);
    await app.importNew();
    expect(await sessionsOf(app)).toMatchObject([{ lifecycle: 'summarized', end_reason: 'inferred' }]);
  });

  it('hides and removes rows that a crash left behind', async () => {
    using home = createClaudeHome();
    const { talk, lines } = firstTalk();
    home.write(MAIN, lines);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const { kysely } = app.store.engine;
    const row = await kysely.selectFrom('content_blocks').selectAll().executeTakeFirstOrThrow();
    await kysely
      .insertInto('content_blocks')
      .values({ ...row, revision: row.revision + 1 })
      .execute();
    expect(
      (await app.get('/sessions/:id/transcript', { params: { id: ID }, query: { limit: 50 } })).messages,
    ).toHaveLength(4);
    home.append(MAIN, [talk.user('More.')]);
    expect(await app.importNew()).toMatchObject({ sessions_parsed: 1, failed: [] });
    expect(
      (await app.get('/sessions/:id/transcript', { params: { id: ID }, query: { limit: 50 } })).messages,
    ).toHaveLength(5);
  });

  it('reports an unreadable one and continues with the others', async () => {
    using home = createClaudeHome();
    home.write(MAIN, firstTalk().lines);
    home.write(`-home-ada-shop/${OTHER}.jsonl`, 'not json at all\n{"half":\n');
    home.write('-home-ada-shop/empty.jsonl', '');
    await using program = await create(home.path);
    await using app = await program.open();
    const report = await app.importNew();
    expect(report).toMatchObject({ files: 3, sessions_parsed: 2, failed: [] });
    const detail = await app.get('/sessions/:id', { params: { id: OTHER } });
    expect(detail).toMatchObject({ total_messages: 0, lines: { total: 2, records: 0 } });
  });
});
