import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { archiveSessions } from '../../src/app/maintain.ts';
import type { App } from '../../src/app/open-app.ts';
import { hideSession } from '../../src/archive/delete-session.ts';
import type { ClaudeHome } from '../support/claude-home.ts';
import { createClaudeHome } from '../support/claude-home.ts';
import { countDatabaseWork } from '../support/count-database-work.ts';
import { at, clearLines, copied, exchange, queued } from '../support/lineage-home.ts';
import { NOW, PROGRAMS } from '../support/programs.ts';

// Named so that no order of ids happens to give the right answer.
const A = 'bbbbbbbb-2222-4333-8444-555555555555';
const B = 'aaaaaaaa-2222-4333-8444-555555555555';
const C = 'cccccccc-2222-4333-8444-555555555555';
const FOLDER = '-home-ada-shop';

const fileOf = (id: string) => `${FOLDER}/${id}.jsonl`;

async function linksOf(app: App, id: string) {
  const { links: rows } = await app.get('/sessions/:id/links', { params: { id }, query: { limit: 20 } });
  return rows.map(({ kind, other_session_id }) => [kind, other_session_id]);
}

async function figuresOf(app: App, id: string) {
  const session = await app.get('/sessions/:id', { params: { id } });
  const { files } = await app.get('/sessions/:id/files', { params: { id }, query: { limit: 20 } });
  const { messages } = await app.get('/sessions/:id/transcript', { params: { id }, query: { limit: 50 } });
  return {
    messages: session.total_messages,
    prompts: session.user_messages,
    tools: session.tool_use_count,
    output: session.tokens_out,
    startedAt: session.started_at,
    files: files.map(({ path }) => path),
    inherited: messages.filter(({ is_inherited }) => is_inherited).length,
    shown: messages.length,
  };
}

/** Sessions become known one by one in either order, or all at once. */
const ORDERS = [[A, B], [B, A], null] as const;

async function importIn(
  app: App,
  home: ClaudeHome,
  files: Readonly<Record<string, readonly object[]>>,
  order: readonly string[] | null,
): Promise<void> {
  for (const step of order === null ? [Object.keys(files)] : order.map((id) => [id])) {
    for (const id of step) home.write(fileOf(id), files[id] ?? []);
    await app.importNew({ rowsOnly: true });
  }
}

const apples = exchange(A, 'apples', 1);
/** Added by clients from 2.1.326 to answers that they copy. */
const askedBy =
  (requestSessionId: string) =>
  ({ type }: Readonly<Record<string, unknown>>) =>
    type === 'assistant' ? { requestSessionId } : {};
const own = { messages: 4, prompts: 1, tools: 1, output: 100, inherited: 0, shown: 4 };

describe.each(PROGRAMS)('a fork, on $name', ({ create }) => {
  it.each([
    {
      mode: 'in print mode, its parent resumed at once',
      parent: [...queued(A, 0), ...apples, ...queued(A, 60), ...exchange(A, 'plums', 61)],
      fork: [...queued(B, 30), ...copied(apples, B), ...exchange(B, 'pears', 31)],
      start: at(30),
    },
    {
      mode: 'of an interactive session, with lines of the client between its messages',
      parent: [
        ...apples.slice(0, 2),
        { type: 'mode', mode: 'normal', sessionId: A },
        ...apples.slice(2),
        ...exchange(A, 'plums', 61),
      ],
      fork: [{ type: 'mode', mode: 'normal', sessionId: B }, ...copied(apples, B), ...exchange(B, 'pears', 31)],
      start: at(32),
    },
    {
      mode: 'whose lines kept one id of the parent',
      parent: [...apples, ...exchange(A, 'plums', 61)],
      fork: [
        ...copied(apples, B, ({ type, message }) =>
          (message as { content: unknown }).content === 'Please do apples.' && type === 'user' ? { sessionId: A } : {},
        ),
        ...exchange(B, 'pears', 31),
      ],
      start: at(32),
    },
    {
      mode: 'whose parent was left alone',
      parent: apples,
      fork: [...copied(apples, B), ...exchange(B, 'pears', 31)],
      start: at(32),
    },
    {
      mode: 'whose parent was resumed long after it, and nothing else tells',
      parent: [...apples, ...exchange(A, 'plums', 7_200)],
      fork: [...copied(apples, B), ...exchange(B, 'pears', 3_600)],
      start: at(3_601),
    },
    {
      // The times alone suggest the opposite.
      mode: 'whose answers name the session that asked for them, and which went on long after its parent',
      parent: [...apples, ...exchange(A, 'plums', 3_600)],
      fork: [...copied(apples, B, askedBy(A)), ...exchange(B, 'pears', 7_200)],
      start: at(7_201),
    },
  ])('$mode', async ({ parent, fork, start }) => {
    for (const order of ORDERS) {
      using home = createClaudeHome();
      await using program = await create(home.path);
      await using app = await program.open();
      await importIn(app, home, { [A]: parent, [B]: fork }, order);
      expect(await linksOf(app, A)).toEqual([]);
      expect((await linksOf(app, B))[0]?.[1]).toBe(A);
      const whole = parent.length > 8;
      expect(await figuresOf(app, A)).toMatchObject(
        parent.some(({ uuid }) => (uuid as string | undefined)?.includes('plums') === true) || whole
          ? { messages: 8, prompts: 2, tools: 2, output: 200, inherited: 0 }
          : own,
      );
      expect(await figuresOf(app, B)).toMatchObject({ ...own, inherited: 4, shown: 8, startedAt: start });
    }
  });

  it('is linked with the session that its answers name, whether that is stored or not', async () => {
    using home = createClaudeHome();
    const pears = exchange(B, 'pears', 31);
    home.write(fileOf(B), [...copied(apples, B, askedBy(A)), ...pears]);
    const copies = [...copied(apples, C, askedBy(A)), ...copied(pears, C, askedBy(B))];
    home.write(fileOf(C), [...copies, ...exchange(C, 'plums', 61)]);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew({ rowsOnly: true });
    expect(await linksOf(app, B)).toEqual([['copied', A]]);
    expect(await linksOf(app, C)).toEqual([['forked', B]]);
    expect(await figuresOf(app, B)).toMatchObject({ messages: 8, prompts: 2, output: 200, inherited: 0 });
    home.write(fileOf(A), apples);
    await app.importNew({ rowsOnly: true });
    expect(await linksOf(app, B)).toEqual([['forked', A]]);
    expect(await linksOf(app, C)).toEqual([['forked', B]]);
    expect(await figuresOf(app, B)).toMatchObject({ ...own, inherited: 4, shown: 8 });
  });

  it('by /branch is linked as such, and not as cleared', async () => {
    using home = createClaudeHome();
    const said = apples.map((line) => ({ ...line, entrypoint: 'cli', session_id: A }));
    const marked = copied(said, B, ({ uuid }) => ({ forkedFrom: { sessionId: A, messageUuid: uuid } }));
    const pears = exchange(B, 'pears', 31, { entrypoint: 'cli', session_id: A });
    home.write(fileOf(A), said);
    home.write(fileOf(B), [...marked, ...pears]);
    home.write(fileOf(C), [
      ...clearLines(C, 90, { entrypoint: 'cli' }),
      ...exchange(C, 'plums', 91, { entrypoint: 'cli', session_id: A }),
    ]);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew({ rowsOnly: true });
    expect(await linksOf(app, B)).toEqual([['branched', A]]);
    // The process was started with A, but /clear was used in the branch.
    expect(await linksOf(app, C)).toEqual([['cleared', B]]);
    expect(await figuresOf(app, B)).toMatchObject({
      ...own,
      inherited: 4,
      shown: 8,
      files: ['/home/ada/shop/pears.txt'],
    });
  });

  it('made interactively is linked as a fork, not as cleared, though its copied lines name another process', async () => {
    using home = createClaudeHome();
    const said = apples.map((line) => ({ ...line, entrypoint: 'cli', session_id: A }));
    home.write(fileOf(A), said);
    home.write(fileOf(B), [...copied(said, B), ...exchange(B, 'pears', 31, { entrypoint: 'cli', session_id: B })]);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew({ rowsOnly: true });
    expect(await linksOf(app, B)).toEqual([['forked', A]]);
    const { metadata } = await app.get('/sessions/:id', { params: { id: B } });
    expect(metadata).toMatchObject({ began_from: [{ kind: 'forked', session_id: A }], inherited_messages: 4 });
  });

  it('keeps what it inherited when its parent is archived, even when it grows', async () => {
    using home = createClaudeHome();
    home.write(fileOf(A), [...queued(A, 0), ...apples]);
    home.write(fileOf(B), [...queued(B, 30), ...copied(apples, B), ...exchange(B, 'pears', 31)]);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const before = await figuresOf(app, B);
    expect(await archiveSessions(app, [A], new AbortController().signal)).toEqual([A]);
    home.append(fileOf(B), exchange(B, 'plums', 90));
    await app.importNew();
    expect(await figuresOf(app, B)).toMatchObject({
      ...before,
      files: ['/home/ada/shop/pears.txt', '/home/ada/shop/plums.txt'],
      messages: 8,
      prompts: 2,
      tools: 2,
      output: 200,
      shown: 12,
    });
    expect(await linksOf(app, B)).toEqual([['forked', A]]);
    expect((await app.get('/sessions/:id', { params: { id: A } })).tokens_out).toBe(100);
  });
});

describe.each(PROGRAMS)('/clear, on $name', ({ create }) => {
  it.each([
    {
      mode: 'in print mode is linked by the queue of the session it left',
      first: [...queued(A, 0), ...apples, ...queued(A, 20, '/clear')],
      second: [...clearLines(B, 20), ...exchange(B, 'pears', 31)],
      left: A,
    },
    {
      mode: 'in an interactive client that writes no process id is linked by time',
      first: apples.map((line) => ({ ...line, entrypoint: 'cli' })),
      second: [...clearLines(B, 60, { entrypoint: 'cli' }), ...exchange(B, 'pears', 61, { entrypoint: 'cli' })],
      left: A,
    },
    {
      mode: 'is recognised after a prompt that was typed while the start hook ran',
      first: apples.map((line) => ({ ...line, entrypoint: 'cli' })),
      second: ((pears) => [...pears.slice(0, 1), ...clearLines(B, 60, { entrypoint: 'cli' }), ...pears.slice(1)])(
        exchange(B, 'pears', 61, { entrypoint: 'cli' }),
      ),
      left: A,
    },
    {
      mode: 'hours later is linked to nothing when nothing tells',
      first: apples.map((line) => ({ ...line, entrypoint: 'cli' })),
      second: [...clearLines(B, 9_000, { entrypoint: 'cli' }), ...exchange(B, 'pears', 9_061, { entrypoint: 'cli' })],
      left: null,
    },
  ])('$mode', async ({ first, second, left }) => {
    for (const order of ORDERS) {
      using home = createClaudeHome();
      await using program = await create(home.path);
      await using app = await program.open();
      await importIn(app, home, { [A]: first, [B]: second }, order);
      expect(await linksOf(app, B)).toEqual(left === null ? [] : [['cleared', left]]);
    }
  });

  it('is linked to the next best session when the one it left is deleted', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    const plums = [...queued(C, 0), ...exchange(C, 'plums', 1), ...queued(C, 18, '/clear')];
    const left = [...queued(A, 0), ...apples, ...queued(A, 20, '/clear')];
    const pears = [...clearLines(B, 20), ...exchange(B, 'pears', 31)];
    await importIn(app, home, { [A]: left, [C]: plums, [B]: pears }, null);
    expect(await linksOf(app, B)).toEqual([['cleared', A]]);
    const { engine } = app.store;
    await hideSession({ engine, journal: app.journal }, A, { at: NOW.toISOString(), purgeAt: NOW.toISOString() });
    await app.importNew({ rowsOnly: true });
    expect(await linksOf(app, B)).toEqual([['cleared', C]]);
  });

  // Hooks run in the background: on a busy machine the second one may record its time first.
  it.each([{ endAt: 59.9 }, { endAt: 60.4 }])('is linked by hooks with the end at $endAt s', async ({ endAt }) => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    const tell = (id: string, second: number, payload: object) => spool(program.config.home, id, second, payload);
    // Another session of the folder was ended by /clear shortly before.
    tell(C, 50, { hook_event_name: 'SessionEnd', reason: 'clear' });
    tell(A, endAt, { hook_event_name: 'SessionEnd', reason: 'clear' });
    tell(B, 60, { hook_event_name: 'SessionStart', source: 'clear' });
    await using app = await program.open();
    await app.drainHooks();
    const inTerminal = (lines: readonly object[]) => lines.map((line) => ({ ...line, entrypoint: 'cli' }));
    const files = {
      [A]: inTerminal(apples),
      [B]: inTerminal([...clearLines(B, 60), ...exchange(B, 'pears', 61)]),
      [C]: inTerminal(exchange(C, 'plums', 3)),
    };
    await importIn(app, home, files, null);
    expect(await linksOf(app, B)).toEqual([['cleared', A]]);
  });

  // Regression: hooks that were drained after the parse had no effect until the next one.
  it.each([
    { late: 'the end', order: ['start', 'end'] },
    { late: 'the start', order: ['end', 'start'] },
  ] as const)('is linked by hooks that arrive after the parse, $late last', async ({ order }) => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    await using app = await program.open();
    const cleared = [...clearLines(B, 9_060), ...exchange(B, 'pears', 9_061)];
    await importIn(app, home, { [A]: apples, [B]: cleared }, null);
    expect(await linksOf(app, B)).toEqual([]);
    const report = {
      start: () => spool(program.config.home, B, 9_060, { hook_event_name: 'SessionStart', source: 'clear' }),
      end: () => spool(program.config.home, A, 9_059, { hook_event_name: 'SessionEnd', reason: 'clear' }),
    };
    for (const kind of order) {
      report[kind]();
      await app.drainHooks();
      await app.importNew({ rowsOnly: true });
    }
    expect(await linksOf(app, B)).toEqual([['cleared', A]]);
  });

  it('takes the same work for each session, however many in a folder started with it', async () => {
    const idAt = (n: number) => `${String((n * 7919) % 10_007).padStart(8, '0')}-2222-4333-8444-555555555555`;
    const measure = async (sessions: number) => {
      using home = createClaudeHome();
      for (let n = 0; n < sessions; n += 1) {
        const more = { entrypoint: 'cli' };
        const begins = n === 0 ? [] : clearLines(idAt(n), n * 60, more);
        home.write(fileOf(idAt(n)), [...begins, ...exchange(idAt(n), `x${n}`, n * 60 + 1, more)]);
      }
      await using program = await create(home.path);
      await using app = await program.open();
      using work = countDatabaseWork();
      await app.importNew({ rowsOnly: true });
      const { statements, rows } = work;
      expect(await linksOf(app, idAt(sessions - 1))).toEqual([['cleared', idAt(sessions - 2)]]);
      return { statements, rows };
    };
    const few = await measure(15);
    const many = await measure(60);
    expect(many.statements).toBeLessThan(few.statements * 5);
    expect(many.rows).toBeLessThan(few.rows * 5);
  });
});

let spooled = 0;

/** Writes a payload to the spool, as the hook does. */
function spool(home: string, sessionId: string, second: number, payload: object): void {
  mkdirSync(join(home, 'spool'), { recursive: true, mode: 0o700 });
  const name = `${Date.parse(at(0)) + second * 1_000}-1000-${String(spooled++).padStart(8, '0')}.json`;
  const text = JSON.stringify({ session_id: sessionId, cwd: '/home/ada/shop', ...payload });
  writeFileSync(join(home, 'spool', name), text, { mode: 0o600 });
}
