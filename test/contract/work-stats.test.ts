import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { isOwnCommit } from '../../src/domain/commits.ts';
import { filterNode } from '../../src/search/parse-query.ts';
import { pageGitActivity } from '../../src/store/queries/git/read-git.ts';
import { listSessions } from '../../src/store/queries/sessions/session-rows.ts';
import { listFileStats, listToolStats } from '../../src/store/queries/transcript/work-stats.ts';
import type { Store } from '../../src/store/store.ts';
import { seedSession } from '../support/seed-session.ts';
import { STORES } from '../support/stores.ts';

const DAYS = { old: '2026-11-01T10:00:00.000Z', late: '2026-11-10T10:00:00.000Z' } as const;

async function seedWork({ engine }: Store, sessionId: string): Promise<void> {
  const { revision } = await engine.kysely
    .selectFrom('sessions')
    .select('revision')
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow();
  const own = { session_id: sessionId, revision, is_inherited: sql.lit(false) };
  await engine.kysely
    .insertInto('call_sums')
    .values([
      { ...own, position: 0, name: 'Bash', status: 'ok', calls: 1, durations: '1000' },
      { ...own, position: 1, name: 'Bash', status: 'error', calls: 1, durations: '3000' },
      { ...own, position: 2, name: 'Edit', status: 'denied', calls: 1, durations: '' },
      // Of a revision that is not the current one.
      { ...own, revision: revision + 1, position: 3, name: 'Ghost', status: 'ok', calls: 1, durations: '1' },
    ])
    .execute();
  await engine.kysely
    .updateTable('sessions')
    .set({ lines_added: 5, lines_removed: 2 })
    .where('id', '=', sessionId)
    .execute();
  const file = { session_id: sessionId, revision };
  await engine.kysely
    .insertInto('touched_files')
    .values([
      { ...file, position: 0, path: '/w/a.ts', reads: 2, writes: 1, lines_added: 5, lines_removed: 2 },
      { ...file, position: 1, path: '/w/read%only.ts', reads: 9, writes: 0, lines_added: 0, lines_removed: 0 },
    ])
    .execute();
}

describe.each(STORES)('tools and files over sessions ($name)', ({ open }) => {
  it('adds up the current revisions of the requested sessions', async () => {
    await using store = await open();
    for (const [id, startedAt] of Object.entries(DAYS)) {
      await seedSession(store, id, startedAt);
      await seedWork(store, id);
    }
    const db = store.engine;
    const dates = { now: new Date() };
    expect(await listToolStats(db, { limit: 10 })).toEqual([
      {
        name: 'Bash',
        calls: 4,
        sessions: 2,
        errors: 2,
        denied: 0,
        total_ms: 8_000,
        median_ms: 1_000,
        p95_ms: 3_000,
        longest_ms: 3_000,
      },
      {
        name: 'Edit',
        calls: 2,
        sessions: 2,
        errors: 0,
        denied: 2,
        total_ms: null,
        median_ms: null,
        p95_ms: null,
        longest_ms: null,
      },
    ]);
    const [late] = await listToolStats(db, {
      where: filterNode({ after: '2026-11-05T00:00:00.000Z' }, dates),
      limit: 1,
    });
    expect(late).toMatchObject({ calls: 2, sessions: 1 });
    expect(await listToolStats(db, { where: filterNode({ session: 'old' }, dates), limit: 1 })).toMatchObject([
      { calls: 2, sessions: 1 },
    ]);
    expect(await listFileStats(db, { limit: 10 })).toEqual([
      { path: '/w/a.ts', sessions: 2, reads: 4, writes: 2, lines_added: 10, lines_removed: 4, last_at: DAYS.late },
      {
        path: '/w/read%only.ts',
        sessions: 2,
        reads: 18,
        writes: 0,
        lines_added: 0,
        lines_removed: 0,
        last_at: DAYS.late,
      },
    ]);
    expect(await listFileStats(db, { limit: 10, path: '%' })).toMatchObject([{ path: '/w/read%only.ts' }]);
  });

  it('counts the results of each listed session', async () => {
    await using store = await open();
    const { kysely } = store.engine;
    for (const id of ['busy', 'gone', 'idle']) await seedSession(store, id);
    await seedWork(store, 'busy');
    const { revision, workspace_id, device_id } = await kysely
      .selectFrom('sessions')
      .selectAll()
      .where('id', '=', 'busy')
      .executeTakeFirstOrThrow();
    const calls = { session_id: 'busy', revision, name: 'Bash', calls: 1, durations: '' };
    const copied = { ...calls, position: 9, status: 'error', is_inherited: sql.lit(true) };
    await kysely.insertInto('call_sums').values(copied).execute();
    const git = { session_id: 'busy', workspace_id, device_id, timestamp: DAYS.old, created_at: DAYS.old };
    const commit = { ...git, type: 'commit', data: '{}' };
    await kysely
      .insertInto('git_activity')
      .values([
        { ...commit, id: 'c1', relation: 'own' },
        { ...commit, id: 'c2', relation: 'own', duplicate_of: 'c1' },
        { ...commit, id: 'c3', relation: 'meanwhile' },
        { ...commit, id: 'c4', relation: 'own', type: 'branch' },
        { ...commit, id: 'c5', relation: 'own', data: '{"how":"amend"}' },
        { ...commit, id: 'c6', relation: 'own', data: '{"how":"rebase"}' },
        { ...commit, id: 'c7', relation: 'own', data: '{"how":"am"}' },
        { ...commit, id: 'c8', relation: 'own', data: '{"how":"cherry-pick"}' },
        // A merge that `git commit` concluded, and one by `git merge`.
        { ...commit, id: 'c9', relation: 'own', type: 'merge', linked_by: 'sha', data: '{"how":"merge"}' },
        { ...commit, id: 'd1', relation: 'own', type: 'merge', linked_by: 'call', data: '{"how":"merge"}' },
      ])
      .execute();
    await kysely
      .updateTable('sessions')
      .set({ lifecycle: 'archived', parse_status: 'completed' })
      .where('id', '=', 'gone')
      .execute();
    const { git_activity } = await pageGitActivity(kysely, 'busy', { limit: 20 });
    expect(git_activity.filter(isOwnCommit).map(({ id }) => id)).toEqual(['c1', 'c8', 'c9']);
    const none = { lines_added: 0, lines_removed: 0, commits: 0, failed_calls: 0, api_errors: 0 };
    for (const fields of ['list', undefined] as const) {
      const { sessions } = await listSessions(store.engine, { all: true, limit: 10, fields });
      expect(Object.fromEntries(sessions.map(({ id, work }) => [id, work]))).toEqual({
        busy: { lines_added: 5, lines_removed: 2, commits: 3, failed_calls: 1, api_errors: 0 },
        gone: null,
        idle: none,
      });
    }
  });
});
