import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { countDatabaseWork } from '../support/count-database-work.ts';
import { PROGRAMS } from '../support/programs.ts';

const SHARED_ANSWERS = 10;
const HOUR_MS = 3_600_000;

/** Ids whose order says nothing about which session is the copy. */
const idOf = (n: number) => `${String((n * 7919) % 10_007).padStart(8, '0')}-2222-4333-8444-555555555555`;

/** Sessions that share the beginning of the first one, line by line, as forks and copied files do. */
function writeFamily(home: ClaudeHome, sessions: number, outputOf = (_session: number, _answer: number) => 1): void {
  for (let n = 0; n < sessions; n += 1) {
    const talk = createTalk(idOf(n), { prefix: 'f' });
    const shared = Array.from({ length: SHARED_ANSWERS }, (_, at) => [
      talk.user(`Question ${at}`),
      talk.assistant(`msg_${at}`, text(`Answer ${at}`), { input: 10, output: outputOf(n, at) }),
    ]).flat();
    const startedAt = new Date(Date.parse('2026-11-01T10:01:00.000Z') + n * HOUR_MS).toISOString();
    const own = createTalk(idOf(n), { startedAt });
    const rest = [own.user('And now?'), own.assistant(`own_${n}`, text('This.'), { input: 1, output: 1 })];
    home.write(`-home-ada-shop/${idOf(n)}.jsonl`, [...shared, ...rest]);
  }
}

async function readFamily(app: App) {
  const { kysely } = app.store.engine;
  const sessions = await kysely
    .selectFrom('sessions')
    .innerJoin('session_lineage', 'session_lineage.session_id', 'sessions.id')
    .select(['sessions.id', 'revision', 'tokens_in', 'total_messages', 'parent_session_id', 'needs_settling'])
    .execute();
  return new Map(sessions.map((session) => [session.id, session]));
}

async function importFamily(create: (typeof PROGRAMS)[number]['create'], sessions: number) {
  using home = createClaudeHome();
  writeFamily(home, sessions);
  await using program = await create(home.path);
  await using app = await program.open();
  using work = countDatabaseWork();
  await app.importNew({ rowsOnly: true });
  const { statements, rows } = work;
  return { statements, rows, family: await readFamily(app) };
}

describe.each(PROGRAMS)('a large family of sessions, on $name', ({ create }) => {
  it('takes time in proportion to its lines, and parses no session more than twice', async () => {
    const few = await importFamily(create, 15);
    const many = await importFamily(create, 60);
    for (const { family } of [few, many]) {
      const copies = [...family.values()].filter(({ id }) => id !== idOf(0));
      expect(family.get(idOf(0))).toMatchObject({
        revision: 1,
        tokens_in: SHARED_ANSWERS * 10 + 1,
        total_messages: SHARED_ANSWERS * 2 + 2,
        parent_session_id: null,
      });
      for (const copy of copies) {
        expect(copy).toMatchObject({ tokens_in: 1, total_messages: 2, parent_session_id: idOf(0) });
        expect(copy.revision).toBeLessThanOrEqual(2);
      }
      expect([...family.values()].filter(({ needs_settling }) => Boolean(needs_settling))).toEqual([]);
    }
    expect(many.statements).toBeLessThan(few.statements * 4.4);
    expect(many.rows).toBeLessThan(few.rows * 4.4);
  });

  it('counts a message once even before it is settled, and settles it in the next run', async () => {
    using home = createClaudeHome();
    writeFamily(home, 6);
    await using program = await create(home.path);
    await using app = await program.open();
    const stop = new AbortController();
    // Once when the last file is archived, and again when the first sessions are parsed.
    let calls = 0;
    const onProgress = ({ files_done }: { files_done: number }) => files_done === 6 && ++calls === 2 && stop.abort();
    const stopped = app.importNew({ rowsOnly: true, signal: stop.signal, onProgress });
    await stopped.catch(() => {});
    const before = [...(await readFamily(app)).values()];
    expect(before.filter(({ needs_settling }) => Boolean(needs_settling)).length).toBeGreaterThan(1);
    expect(sumOf(before)).toBe(SHARED_ANSWERS * 10 + before.length);
    await app.importNew({ rowsOnly: true });
    const after = [...(await readFamily(app)).values()];
    expect(after.filter(({ needs_settling }) => Boolean(needs_settling))).toEqual([]);
    expect(sumOf(after)).toBe(SHARED_ANSWERS * 10 + 6);
    expect(after.find(({ id }) => id === idOf(0))?.tokens_in).toBe(SHARED_ANSWERS * 10 + 1);
  });

  it('reports a session once, although a copy is parsed twice', async () => {
    using home = createClaudeHome();
    writeFamily(home, 3);
    await using program = await create(home.path);
    await using app = await program.open();
    expect(await app.importNew({ rowsOnly: true })).toMatchObject({ sessions_parsed: 3 });
    expect(Math.max(...[...(await readFamily(app)).values()].map(({ revision }) => revision))).toBe(2);
  });

  it('gives copied turns no cost, so that the costs of all turns add up to that of the session', async () => {
    using home = createClaudeHome();
    writeFamily(home, 3);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew({ rowsOnly: true });
    for (const n of [0, 1, 2]) {
      const params = { id: idOf(n) };
      const { turns } = await app.get('/sessions/:id/turns', { params, query: { limit: 100 } });
      const { cost_estimate_usd } = await app.get('/sessions/:id', { params });
      const priced = turns.flatMap(({ cost_nanos }) => cost_nanos ?? []);
      expect(priced).toHaveLength(n === 0 ? SHARED_ANSWERS + 1 : 1);
      expect(priced.reduce((sum, nanos) => sum + nanos, 0) / 1e9).toBeCloseTo(cost_estimate_usd ?? 0, 9);
    }
  });

  it('counts the most complete copy of an answer in its turn, including in the outline', async () => {
    using home = createClaudeHome();
    writeFamily(home, 2, (session, answer) => (session === 1 && answer === 3 ? 7_000 : 1));
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew({ rowsOnly: true });
    const params = { id: idOf(0) };
    const { turns } = await app.get('/sessions/:id/turns', { params, query: { limit: 100 } });
    const outline = await app.get('/sessions/:id/outline', { params });
    const { tokens_out, cost_estimate_usd } = await app.get('/sessions/:id', { params });
    expect(tokens_out).toBe(7_000 + SHARED_ANSWERS);
    const costs = turns.map(({ cost_nanos }) => cost_nanos ?? 0);
    expect(costs[3]).toBeGreaterThan(100 * (costs[2] ?? 0));
    expect(outline.turns.cost.map((nanos) => nanos ?? 0)).toEqual(costs);
    expect(costs.reduce((sum, nanos) => sum + nanos, 0) / 1e9).toBeCloseTo(cost_estimate_usd ?? 0, 9);
  });

  it('counts messages in another session once a rewritten one no longer has them', async () => {
    using home = createClaudeHome();
    writeFamily(home, 3);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew({ rowsOnly: true });
    const other = createTalk(idOf(0));
    home.write(`-home-ada-shop/${idOf(0)}.jsonl`, [
      other.user('Something else entirely, in a file of another length.'),
    ]);
    await app.importNew({ rowsOnly: true });
    const after = await readFamily(app);
    expect(after.get(idOf(0))?.tokens_in).toBe(0);
    // Neither of the others continued immediately: the one that continued first is the copy.
    expect(after.get(idOf(2))).toMatchObject({ tokens_in: SHARED_ANSWERS * 10 + 1, parent_session_id: null });
    expect(after.get(idOf(1))).toMatchObject({ tokens_in: 1, parent_session_id: idOf(2) });
  });
});

function sumOf(sessions: readonly { readonly tokens_in: number | null }[]): number {
  return sessions.reduce((sum, { tokens_in }) => sum + (tokens_in ?? 0), 0);
}
