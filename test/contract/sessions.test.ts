import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { ALLOWED_PAIRS, LIFECYCLES, PARSE_STATUSES, QUIET_MS } from '../../src/domain/session.ts';
import { findUnsettledSessions, settleSession } from '../../src/store/queries/sessions/session-reports.ts';
import { findSession, listSessions } from '../../src/store/queries/sessions/session-rows.ts';
import { changeState, markBytesCaptured, markMoreToParse } from '../../src/store/queries/sessions/session-state.ts';
import { encodePosition } from '../../src/store/sql.ts';
import type { Store } from '../../src/store/store.ts';
import { NOW, seedSession } from '../support/seed-session.ts';
import { STORES } from '../support/stores.ts';

const JUST_WRITTEN = { files: 1, lastWriteMs: Date.parse(NOW) };

async function stateOf(store: Store, id: string) {
  return store.engine.kysely
    .selectFrom('sessions')
    .select(['lifecycle', 'parse_status', 'captured_version'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

describe.each(STORES)('sessions on $name', ({ open }) => {
  it('have only pairs of states that the table allows', async () => {
    await using store = await open();
    await seedSession(store, 's');
    for (const lifecycle of LIFECYCLES) {
      for (const parse_status of PARSE_STATUSES) {
        const update = store.engine.kysely.updateTable('sessions').set({ lifecycle, parse_status }).execute();
        const isAllowed = (ALLOWED_PAIRS[lifecycle] as readonly string[]).includes(parse_status);
        if (isAllowed) await update;
        else await expect(update, `${lifecycle}/${parse_status}`).rejects.toThrow(/check|constraint/i);
      }
    }
  });

  it('C9: new bytes reopen a session in every state', async () => {
    await using store = await open();
    await seedSession(store, 's');
    for (const [lifecycle, statuses] of Object.entries(ALLOWED_PAIRS)) {
      for (const parse_status of statuses) {
        await store.engine.kysely.updateTable('sessions').set({ lifecycle, parse_status }).execute();
        const { captured_version } = await stateOf(store, 's');
        const seed = { id: 's', workspaceId: 'x', deviceId: 'y', startedAt: NOW, source: 'backfill' };
        const row = await store.engine.kysely.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
        await markBytesCaptured(
          store.engine.kysely,
          { ...seed, workspaceId: row.workspace_id, deviceId: row.device_id },
          JUST_WRITTEN,
          NOW,
        );
        expect(await stateOf(store, 's')).toEqual({
          lifecycle: 'capturing',
          parse_status: 'pending',
          captured_version: captured_version + 1,
        });
      }
    }
  });

  it('are live while their files are being written, and not because old files are archived', async () => {
    await using store = await open();
    await seedSession(store, 's');
    const { kysely } = store.engine;
    const old = { files: 2, lastWriteMs: Date.parse(NOW) - QUIET_MS - 1 };
    const { workspace_id, device_id } = await kysely.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
    const seed = { id: 'old', workspaceId: workspace_id, deviceId: device_id, startedAt: NOW, source: 'backfill' };
    await markBytesCaptured(kysely, seed, old, NOW);
    expect(await stateOf(store, 'old')).toEqual({ lifecycle: 'ended', parse_status: 'pending', captured_version: 2 });
    // An old file of a sub-agent does not end a live session.
    await markBytesCaptured(kysely, { ...seed, id: 's' }, old, NOW);
    expect(await stateOf(store, 's')).toMatchObject({ lifecycle: 'capturing', captured_version: 3 });
    await markMoreToParse(kysely, 's', old, NOW);
    expect(await stateOf(store, 's')).toMatchObject({ lifecycle: 'capturing', captured_version: 5 });
    await markMoreToParse(kysely, 'old', JUST_WRITTEN, NOW);
    expect(await stateOf(store, 'old')).toMatchObject({ lifecycle: 'capturing', captured_version: 3 });
  });

  it('end once: a second attempt fails', async () => {
    await using store = await open();
    await seedSession(store, 's');
    const end = { sessionId: 's', to: 'ended', parseStatus: 'pending', now: NOW } as const;
    expect(await changeState(store.engine.kysely, end)).toEqual({ won: true });
    const lost = { won: false, why: 'not_from_this_state', lifecycle: 'ended', holder: null };
    expect(await changeState(store.engine.kysely, end)).toEqual(lost);
    expect(await changeState(store.engine.kysely, { ...end, sessionId: 'nobody' })).toMatchObject({
      why: 'no_such_session',
    });
    const claim = { sessionId: 's', holder: 'me', token: 7 };
    expect(
      await changeState(store.engine.kysely, { ...end, to: 'failed', parseStatus: 'failed', claim }),
    ).toMatchObject({
      why: 'claimed_by_another',
    });
  });

  it('are checked for their end again only once fully parsed', async () => {
    await using store = await open();
    const { kysely } = store.engine;
    for (const id of ['behind', 'parsed']) await seedSession(store, id);
    await kysely
      .updateTable('sessions')
      .set({ parse_status: 'completed', parsed_version: sql`captured_version` })
      .where('id', '=', 'parsed')
      .execute();
    expect(await findUnsettledSessions(kysely)).toEqual([
      { id: 'parsed', lastWriteMs: 0, lastLineAt: null, lastLineMs: null },
    ]);
    for (const id of ['behind', 'parsed'])
      await settleSession(kysely, id, { endReason: 'inferred', endedAtMs: null, lastLineAt: NOW }, NOW);
    expect((await stateOf(store, 'parsed')).lifecycle).toBe('parsed');
    expect((await stateOf(store, 'behind')).lifecycle).toBe('capturing');
  });

  it('are listed once, newest first, with any page size', async () => {
    await using store = await open();
    const starts = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z'];
    const ids = Array.from({ length: 23 }, (_, n) => `${'aB-9z'[n % 5]}${n}-session`);
    for (const [n, id] of ids.entries()) await seedSession(store, id, starts[n % starts.length]);
    const whole = (await listSessions(store.engine, { limit: 200 })).sessions.map(({ id }) => id);
    expect(whole.toSorted()).toEqual(ids.toSorted());
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (limit) => {
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await listSessions(store.engine, { limit, ...(cursor ? { cursor } : {}) });
          seen.push(...page.sessions.map(({ id }) => id));
          expect(page.has_more).toBe(page.next_cursor !== null);
          cursor = page.next_cursor ?? undefined;
        } while (cursor);
        expect(seen).toEqual(whole);
      }),
      { numRuns: 12 },
    );
  });

  it('are ordered the same way on every engine when times are equal', async () => {
    await using store = await open();
    for (const id of ['b-1', 'B-1', 'a_1', 'a-2', 'ä1', 'Z', '0']) await seedSession(store, id);
    const { sessions } = await listSessions(store.engine, { limit: 50 });
    expect(sessions.map(({ id }) => id)).toEqual(['ä1', 'b-1', 'a_1', 'a-2', 'Z', 'B-1', '0']);
  });

  it('H15: a foreign cursor is rejected with a message', async () => {
    await using store = await open();
    const forged = [
      '',
      'x',
      'bnVsbA',
      encodePosition({ at: 'yesterday', id: 'x' }),
      encodePosition({ at: NOW, id: 'a\0b' }),
      encodePosition({ at: '+010000-01-01T00:00:00.000Z', id: 'x' }),
      encodePosition({ at: '0000-01-01T00:00:00.000Z', id: 'x' }),
    ];
    for (const cursor of forged) {
      await expect(listSessions(store.engine, { limit: 1, cursor }), cursor).rejects.toMatchObject({
        code: 'usage',
      });
    }
  });

  it('are found by id or by a unique prefix', async () => {
    await using store = await open();
    for (const id of ['abc', 'abcd', 'abx', 'q%_']) await seedSession(store, id);
    const find = async (prefix: string) => (await findSession(store.engine.kysely, prefix)).id;
    expect(await find('abc')).toBe('abc');
    expect(await find('abx')).toBe('abx');
    expect(await find('q')).toBe('q%_');
    await expect(find('ab')).rejects.toMatchObject({ code: 'ambiguous', message: expect.stringContaining('abcd') });
    await expect(find('ABC')).rejects.toMatchObject({ code: 'not_found' });
    await expect(find('%')).rejects.toMatchObject({ code: 'not_found' });
    await expect(find('a\0')).rejects.toMatchObject({ code: 'not_found' });
  });
});
