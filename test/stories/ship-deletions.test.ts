import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { issueDeviceToken } from '../../src/app/access-keys.ts';
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
  sendIn,
} from '../support/deletable-home.ts';
import { findText } from '../support/find-text.ts';
import { fixedClock, PROGRAMS, type Program } from '../support/programs.ts';
import { createPair, fetchFrom, type Pair, SERVER_URL, shipTo } from '../support/ship-pair.ts';

/** A round of the server after all writers have finished. */
async function purgeLater(program: Program): Promise<void> {
  const clock = movableClock();
  clock.setMinutes(60);
  await using later = await openAt(program, clock);
  expect(await later.purgeDeleted()).toBe('done');
}

/** All sessions of a new device are on the server. */
async function shipHome({ claude, device, server }: Pair): Promise<typeof globalThis.fetch> {
  fillHome(claude);
  await importAll(device.app, claude, fixedClock);
  const fetch = fetchFrom(server);
  await shipTo(device, { fetch });
  await server.importNew();
  return fetch;
}

const THIS = { session_ids: [GONE], now: true, transcript: false };

describe.each(PROGRAMS)('J12: a session on a device and its server on $name', ({ create }) => {
  it('deleted on the device, is deleted on the server with the next upload', async () => {
    await using pair = await createPair(create);
    const { device, server } = pair;
    const fetch = await shipHome(pair);
    expect(await listIds(server)).toEqual([GONE, FORK, OTHER].toSorted());
    await sendIn(device.app, fixedClock)('POST /deletions', { body: THIS });
    await shipTo(device, { fetch });
    expect(await listIds(server)).toEqual([FORK, OTHER]);
    await server.sweep();
    expect(await findText(server, CANARY)).toEqual([]);
    await shipTo(device, { fetch });
    await server.importNew();
    expect(await findText(server, CANARY)).toEqual([]);
  });

  it('deleted on the server, is not accepted there again', async () => {
    await using pair = await createPair(create);
    const { claude, device, server } = pair;
    const fetch = await shipHome(pair);
    await sendIn(server, fixedClock)('POST /deletions', { body: THIS });
    claude.append(`-home-ada-shop/${GONE}.jsonl`, [{ type: 'user', sessionId: GONE, uuid: 'x', message: {} }]);
    await device.app.importNew();
    expect((await shipTo(device, { fetch })).refused).toBeGreaterThan(0);
    await server.importNew();
    expect(await listIds(server)).toEqual([FORK, OTHER]);
    expect(await listIds(device.app)).toContain(GONE);
  });

  it('deleted on the server, does not come back with the prompt history of its device', async () => {
    await using pair = await createPair(create);
    const { claude, device, server } = pair;
    fillHome(claude);
    await importAll(device.app, claude, fixedClock);
    const fetch = fetchFrom(server);
    const shipAll = async () => {
      await device.app.importNew();
      const { refused } = await shipTo(device, { fetch });
      await server.importNew();
      return refused;
    };
    await shipAll();
    await sendIn(server, fixedClock)('POST /deletions', { body: THIS });
    expect(await findText(server, CANARY)).toEqual([]);
    // Whole lines, one of them of the deleted session.
    claude.append('../history.jsonl', [
      { display: `Again ${CANARY}`, sessionId: GONE, timestamp: 3 },
      { display: 'Later line', sessionId: OTHER, timestamp: 4 },
    ]);
    await shipAll();
    expect(await findText(server, CANARY)).toEqual([]);
    expect(await findText(server, 'later line')).not.toEqual([]);
    // Only the second half of this line names its session.
    claude.append('../history.jsonl', `{"display":"Half ${CANARY}"`);
    await shipAll();
    claude.append(
      '../history.jsonl',
      `,"sessionId":"${GONE}","timestamp":5}\n{"display":"Last line","sessionId":"${OTHER}"}\n`,
    );
    await shipAll();
    await purgeLater(pair.program);
    expect(await findText(server, CANARY)).toEqual([]);
    expect(await findText(server, 'last line')).not.toEqual([]);
    // One copy of the file, which grows: the device does not send it repeatedly.
    const { rows } = await sql<{ number: number }>`SELECT g.number FROM generations g
      JOIN source_files f ON f.id = g.source_file_id WHERE f.kind = 'history'`.execute(server.store.engine.kysely);
    expect(rows).toHaveLength(1);
    expect(await shipAll()).toBe(0);
  });

  it('cannot be deleted with the token of a device', async () => {
    await using pair = await createPair(create);
    const { server } = pair;
    const fetch = await shipHome(pair);
    for (const isWriteOnly of [true, false]) {
      const wanted = { name: `laptop ${isWriteOnly}`, isWriteOnly, device: undefined };
      const token = await issueDeviceToken(server.store.engine.kysely, wanted, fixedClock.now());
      const ask = (method: string, path: string, body?: object) =>
        fetch(new URL(path, SERVER_URL), {
          method,
          headers: { host: 'server.test', authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      expect((await ask('POST', 'api/deletions', THIS)).status).toBe(403);
      expect((await ask('DELETE', `api/deletions/${GONE}`)).status).toBe(403);
    }
    expect(await listIds(server)).toContain(GONE);
  });
});
