import { describe, expect, it } from 'vitest';
import { CANARY, fillHome, FORK, GONE, importAll, listIds, OTHER, sendIn } from '../support/deletable-home.ts';
import { findText } from '../support/find-text.ts';
import { fixedClock, PROGRAMS } from '../support/programs.ts';
import { createPair, fetchFrom, shipTo } from '../support/ship-pair.ts';

const THIS = { session_ids: [GONE], now: true, transcript: false };

describe.each(PROGRAMS)('J12: a session on a device and its server on $name', ({ create }) => {
  it('deleted on the device, is deleted on the server with the next upload', async () => {
    await using pair = await createPair(create);
    const { claude, device, server } = pair;
    fillHome(claude);
    await importAll(device.app, claude, fixedClock);
    const fetch = fetchFrom(server);
    await shipTo(device, { fetch });
    await server.importNew();
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
    fillHome(claude);
    await importAll(device.app, claude, fixedClock);

    const fetch = fetchFrom(server);
    await shipTo(device, { fetch });
    await server.importNew();
    await sendIn(server, fixedClock)('POST /deletions', { body: THIS });
    claude.append(`-home-ada-shop/${GONE}.jsonl`, [{ type: 'user', sessionId: GONE, uuid: 'x', message: {} }]);
    await device.app.importNew();
    expect((await shipTo(device, { fetch })).refused).toBeGreaterThan(0);
    await server.importNew();
    expect(await listIds(server)).toEqual([FORK, OTHER]);
    expect(await listIds(device.app)).toContain(GONE);
  });
});
