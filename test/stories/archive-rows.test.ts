import { describe, expect, it } from 'vitest';
import { annotate } from '../../src/app/commands.ts';
import { archiveSessions, listToArchive, reparse } from '../../src/app/maintain.ts';
import type { App } from '../../src/app/open-app.ts';
import { archiveSession } from '../../src/pipeline/archive-session.ts';
import type { Engine } from '../../src/store/engine.ts';
import { countParsed } from '../../src/store/queries/lineage/count-once.ts';
import { pinSession } from '../../src/store/queries/people/annotations.ts';
import { createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { NOW, PROGRAMS } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

const FIRST = '11111111-1111-4111-8111-111111111111';
const FORK = '22222222-1111-4111-8111-111111111111';
const PINNED = '33333333-1111-4111-8111-111111111111';
const { signal } = new AbortController();
const BY_HAND = { signal, onProgress: () => {} };
const ROWS = ['transcript_messages', 'content_blocks', 'tool_calls', 'turns', 'search_documents'] as const;

/** The fork repeats the first two answers of its parent and then continues on its own. */
function linesOf(id: string, tail: string, prefix = 'u'): readonly object[] {
  const talk = createTalk(id, { prefix });
  return [
    talk.user('Where is the till?'),
    talk.assistant('msg_1', toolUse('toolu_1', 'Bash', { command: 'ls' }), { input: 10, output: 20 }),
    talk.result('toolu_1', 'till.ts'),
    talk.assistant('msg_2', text('There.'), { input: 5, output: 6 }),
    talk.user(`And now ${tail}?`),
    talk.assistant(`msg_${tail}`, text(`The ${tail}.`), { input: 7, output: 8 }),
  ];
}

async function totals({ store }: App) {
  return store.engine.kysely
    .selectFrom('sessions')
    .select(({ fn }) => [fn.sum('tokens_in').as('in'), fn.sum('tokens_out').as('out'), fn.sum('cost_nanos').as('cost')])
    .executeTakeFirstOrThrow();
}

const rollups = ({ store }: App) => dumpStore(store.engine, ['usage_rollups']);

async function countRows({ store }: App, sessionId: string): Promise<number> {
  let count = 0;
  for (const table of ROWS) {
    const rows = await store.engine.kysely.selectFrom(table).select('session_id').execute();
    count += rows.filter(({ session_id }) => session_id === sessionId).length;
  }
  return count;
}

async function lifecycleOf({ store }: App, id: string): Promise<string> {
  const row = await store.engine.kysely
    .selectFrom('sessions')
    .select('lifecycle')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.lifecycle;
}

describe.each(PROGRAMS)('archived rows on $name', ({ create }) => {
  it('can be removed and restored unchanged, and always count once', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    home.write(`-w/${FIRST}.jsonl`, linesOf(FIRST, 'first'));
    await app.importNew();
    const before = { totals: await totals(app), rollups: await rollups(app) };

    expect((await listToArchive(app, NOW.toISOString(), 10)).map(({ id }) => id)).toEqual([FIRST]);
    expect(await archiveSessions(app, [FIRST], signal)).toEqual([FIRST]);
    expect(await countRows(app, FIRST)).toBe(0);
    expect(await lifecycleOf(app, FIRST)).toBe('archived');
    // Regression: the transcript of an archived session was an empty list.
    const refused = { code: 'conflict', hint: expect.stringContaining('--restore') as string };
    await expect(
      app.get('/sessions/:id/transcript', { params: { id: FIRST }, query: { limit: 10 } }),
    ).rejects.toMatchObject(refused);
    await expect(app.get('/sessions/:id/turns', { params: { id: FIRST }, query: { limit: 10 } })).rejects.toMatchObject(
      refused,
    );
    const run = (...words: string[]) => runCommand(words, { config: program.config, openApp: () => program.open() });
    for (const name of ['tools', 'files'])
      expect(await run(name, '--session', FIRST), name).toMatchObject({ out: '', error: refused });
    expect(await run('search', `session:${FIRST} till`)).toMatchObject({
      error: { code: 'nothing_found', hint: expect.stringContaining('--restore') as string },
    });
    expect({ totals: await totals(app), rollups: await rollups(app) }).toEqual({
      totals: before.totals,
      rollups: before.rollups,
    });
    expect((await app.importNew()).sessions_parsed).toBe(0);
    expect(await archiveSessions(app, [FIRST], signal), 'a second time').toEqual([]);

    // A later fork repeats answers whose rows were removed: they still count where they were counted.
    home.write(`-w/${FORK}.jsonl`, linesOf(FORK, 'fork'));
    await app.importNew();
    const withFork = await totals(app);
    expect(Number(withFork.in)).toBe(Number(before.totals.in) + 7);
    expect(Number(withFork.out)).toBe(Number(before.totals.out) + 8);
    // Totals are correct even before the family is settled.
    await app.store.engine.transaction(async (tx) => {
      await tx.updateTable('transcript_messages').set({ counted: true }).where('session_id', '=', FORK).execute();
      await countParsed(tx, [FORK], new Map());
    });
    expect(await totals(app), 'before the family is settled').toEqual(withFork);

    await reparse(app, [FIRST], NOW.toISOString(), BY_HAND);
    expect(await totals(app), 'shared answers are still counted once').toEqual(withFork);
    const kept = await app.store.engine.kysely.selectFrom('archived_usage').selectAll().execute();
    expect(kept).toEqual([]);
  });

  it('F1: archiving that is stopped before its commit leaves a session that can be found', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    home.write(`-w/${FIRST}.jsonl`, linesOf(FIRST, 'first'));
    await app.importNew();
    const before = await dumpStore(app.store.engine, ROWS);
    const pipeline = await app.openPipeline({ signal });
    const { engine } = pipeline;
    let hasRemoved = false;
    const cut: Engine = {
      ...engine,
      writeSearch: async (...write) => {
        const written = await engine.writeSearch(...write);
        hasRemoved = true;
        return written;
      },
      transaction: (work) =>
        engine.transaction(async (tx) => {
          const done = await work(tx);
          if (hasRemoved) throw new Error('cut off');
          return done;
        }),
    };
    await expect(archiveSession({ ...pipeline, engine: cut }, FIRST)).rejects.toThrow('cut off');
    hasRemoved = false;
    await app.importNew();
    expect(await dumpStore(app.store.engine, ROWS)).toBe(before);
  });

  it('are restored unchanged', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    for (const [id, tail] of [
      [FIRST, 'first'],
      [FORK, 'fork'],
    ] as const)
      home.write(`-w/${id}.jsonl`, linesOf(id, tail));
    await app.importNew();
    const before = await dumpStore(app.store.engine);
    expect(await archiveSessions(app, [FIRST, FORK], signal)).toEqual([FIRST, FORK]);
    await reparse(app, [FORK, FIRST], NOW.toISOString(), BY_HAND);
    expect(await dumpStore(app.store.engine)).toBe(before);
  });

  it('are kept if they differ from the archived bytes or the session is pinned or waits for its family', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    home.write(`-w/${FIRST}.jsonl`, linesOf(FIRST, 'first'));
    home.write(`-w/${PINNED}.jsonl`, linesOf(PINNED, 'pinned', 'q'));
    await app.importNew();
    await annotate(app, (tx) => pinSession(tx, PINNED, true, NOW.toISOString()));
    expect((await listToArchive(app, NOW.toISOString(), 10)).map(({ id }) => id)).toEqual([FIRST]);
    expect(await archiveSessions(app, [PINNED], signal)).toEqual([]);

    const { kysely } = app.store.engine;
    const wait = (needs_settling: boolean) => kysely.updateTable('session_lineage').set({ needs_settling }).execute();
    await wait(true);
    expect(await archiveSessions(app, [FIRST], signal), 'its family is not settled').toEqual([]);
    await wait(false);
    await kysely
      .updateTable('content_blocks')
      .set({ content_text: 'tampered' })
      .where('session_id', '=', FIRST)
      .where('content_text', '=', 'There.')
      .execute();
    const before = await dumpStore(app.store.engine);
    await expect(archiveSessions(app, [FIRST], signal)).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('content_blocks'),
    });
    expect(await dumpStore(app.store.engine)).toBe(before);
    await reparse(app, [FIRST], NOW.toISOString(), BY_HAND);
    expect(await archiveSessions(app, [FIRST], signal)).toEqual([FIRST]);
  });
});
