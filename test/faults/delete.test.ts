import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rebuild } from '../../src/app/rebuild.ts';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import {
  CANARY,
  FORK,
  fillHome,
  GONE,
  importAll,
  listIds,
  movableClock,
  OTHER,
  openAt,
  openDeletable,
  sendIn,
  spoolHookPayload,
} from '../support/deletable-home.ts';
import { findText } from '../support/find-text.ts';
import { PROGRAMS, silentLog } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

const DAYS = 24 * 60;
const THIS = { session_ids: [GONE], now: false, transcript: false };

describe.each(PROGRAMS)('J12: a deleted session on $name', ({ create }) => {
  it('is no longer in any file, table or object, and does not come back', async () => {
    await using deletable = await openDeletable(create);
    const { home, program, clock, app } = deletable;
    spoolHookPayload(program.config.home, home);
    expect((await findText(app, CANARY)).length).toBeGreaterThan(15);
    // A process that is killed right after it stored a blob leaves no record of it.
    const [unrecorded, others] = [
      await app.blobs.put(Buffer.from(`{"sessionId":"${GONE}"}`)),
      await app.blobs.put(Buffer.from('{}')),
    ];

    const deleted = await sendIn(app, clock)('POST /deletions', { body: { ...THIS, now: true } });
    expect(deleted).toMatchObject({ results: [{ is_deleted: true }], is_removed: true });
    expect(await findText(app, CANARY)).toEqual([]);
    expect([await app.blobs.has(unrecorded.sha256), await app.blobs.has(others.sha256)]).toEqual([false, true]);
    expect(await findText(app, 'the fork goes on')).not.toEqual([]);
    expect(await findText(app, 'kept line')).not.toEqual([]);
    expect(await findText(app, 'kept prompt')).not.toEqual([]);

    // The client continues the session, and a hook reports it.
    home.append(`-home-ada-shop/${GONE}.jsonl`, [createTalk(GONE, { prefix: 'g' }).user(CANARY)]);
    home.append('../history.jsonl', [{ display: 'Later line', sessionId: OTHER, timestamp: 3 }]);
    spoolHookPayload(program.config.home, home);
    clock.setMinutes(5);
    await app.drainHooks();
    await app.importNew();
    await app.sweep();
    expect(await findText(app, CANARY)).toEqual([]);
    expect(await findText(app, 'later line')).not.toEqual([]);
    expect(await listIds(app)).toEqual([FORK, OTHER]);
    for (const id of [GONE, GONE.slice(0, 8)])
      await expect(app.get('/sessions/:id', { params: { id } })).rejects.toMatchObject({ code: 'gone' });
    expect((await app.get('/deletions')).deletions).toMatchObject([{ session_id: GONE, state: 'removed' }]);
  });

  it('stays deleted in a rebuilt database', async () => {
    using home = createClaudeHome();
    fillHome(home);
    const clock = movableClock();
    await using program = await create(home.path);
    const { config } = program;
    for (const now of [false, true]) {
      {
        await using app = await openAt(program, clock);
        if (!now) await importAll(app, home, clock);
        await sendIn(app, clock)('POST /deletions', { body: { ...THIS, now } });
        expect(await listIds(app)).toEqual([FORK, OTHER]);
      }
      if (config.databaseUrl === null) {
        for (const tail of ['', '-wal', '-shm']) rmSync(join(config.home, `fuel.db${tail}`), { force: true });
      }
      await rebuild({ config, clock, log: silentLog }, {});
      await using app = await openAt(program, clock);
      await app.importNew();
      expect(await listIds(app)).toEqual([FORK, OTHER]);
      expect((await app.get('/deletions')).deletions).toMatchObject([{ session_id: GONE }]);
    }
    clock.setMinutes(10 * DAYS);
    await using app = await openAt(program, clock);
    await app.sweep();
    expect(await findText(app, CANARY)).toEqual([]);
  });

  it('is hidden immediately, can be restored completely, and is removed after the grace period', async () => {
    await using deletable = await openDeletable(create);
    const { clock, app } = deletable;
    const send = sendIn(app, clock);
    const look = async () => ({
      ids: await listIds(app),
      session: await app.get('/sessions/:id', { params: { id: GONE } }),
      found: (await app.get('/search', { query: { q: CANARY, limit: 10 } })).sessions.length,
      cost: (await app.get('/cost', { query: { by: 'session', zone: 'UTC' } })).total,
      documents: (await app.get('/sessions/:id/documents', { params: { id: GONE }, query: { limit: 50 } })).documents,
    });
    const before = await look();
    const { results } = await send('POST /deletions', { body: THIS });
    expect(results).toMatchObject([{ purge_at: '2026-11-22T12:00:00.000Z' }]);
    await app.importNew();
    await app.sweep();
    expect(await listIds(app)).toEqual([FORK, OTHER]);
    expect((await app.get('/search', { query: { q: CANARY, limit: 10 } })).sessions).toEqual([]);
    // From now on, the fork counts the message that it had copied.
    const { total } = await app.get('/cost', { query: { by: 'session', zone: 'UTC' } });
    expect(total.tokens_out).toBe(before.cost.tokens_out - 40 - 60);
    expect((await findText(app, CANARY)).length).toBeGreaterThan(0);

    expect(await send('DELETE /deletions/:session_id', { params: { session_id: GONE.slice(0, 8) } })).toEqual({
      session_id: GONE,
    });
    await app.importNew();
    const after = await look();
    expect(after.session).toMatchObject({ title: CANARY, summary: CANARY, tags: [CANARY], notes: [{ text: CANARY }] });
    expect({ ...after, session: after.session.total_messages }).toEqual({
      ...before,
      session: before.session.total_messages,
    });

    await send('POST /deletions', { body: THIS });
    clock.setMinutes(7 * DAYS - 1);
    await app.sweep();
    expect((await app.get('/deletions')).deletions).toMatchObject([{ state: 'waiting' }]);
    clock.setMinutes(7 * DAYS);
    const undo = () => send('DELETE /deletions/:session_id', { params: { session_id: GONE } });
    await expect(undo(), 'while its bytes are still there').rejects.toMatchObject({ code: 'gone' });
    await app.sweep();
    expect(await findText(app, CANARY)).toEqual([]);
    await expect(undo()).rejects.toMatchObject({ code: 'gone' });
  });

  // Regression: a tombstone was written for the prefix, and the session itself was not removed.
  it('is removed at once by a prefix of its id, also when it is already hidden', async () => {
    await using deletable = await openDeletable(create);
    const { clock, app, program } = deletable;
    const send = sendIn(app, clock);
    const prefix = GONE.slice(0, 8);
    await send('POST /deletions', { body: THIS });
    const { results } = await send('POST /deletions', { body: { ...THIS, session_ids: [prefix], now: true } });
    expect(results).toMatchObject([{ session_id: GONE, is_deleted: true }]);
    expect((await app.get('/deletions')).deletions).toMatchObject([{ session_id: GONE, state: 'removed' }]);
    expect(await findText(app, CANARY)).toEqual([]);

    await send('POST /deletions', { body: { ...THIS, session_ids: [OTHER] } });
    const world = { config: program.config, openApp: () => openAt(program, clock) };
    const { error, out } = await runCommand(['delete', OTHER.slice(0, 8), '--now', '--yes'], world);
    expect([error, out]).toEqual([null, expect.stringContaining('deleted, not removed yet')]);
    const { deletions } = await app.get('/deletions');
    expect(deletions.map(({ session_id, state }) => [session_id, state]).toSorted()).toEqual(
      [GONE, OTHER].toSorted().map((id) => [id, 'removed']),
    );
  });

  it('leaves no row in any table that names a session', async () => {
    await using deletable = await openDeletable(create);
    const { program, clock, app } = deletable;
    await sendIn(app, clock)('POST /deletions', { body: { ...THIS, now: true } });
    await app.importNew();
    const tables = (await findText(app, GONE)).filter((place) => place.startsWith('table '));
    // Its id stays, so that it does not come back and followers are notified.
    expect(tables.toSorted()).toEqual(['table deleted_sessions', 'table session_changes']);
    if (program.config.s3Bucket === null) {
      const journal = readFileSync(join(program.config.home, 'archive/journal.jsonl'), 'utf8');
      expect(journal.split('\n').filter((line) => line.includes(GONE))).toHaveLength(1);
    }
  });
});
