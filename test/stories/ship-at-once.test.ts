import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/timing.ts';
import { serve } from '../../src/server/serve.ts';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { PROGRAMS, silentLog } from '../support/programs.ts';
import { createDevice, shipTo } from '../support/ship-pair.ts';
import { until } from '../support/until.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const HOUR_MS = 3_600_000;

describe.each(PROGRAMS)('a server that scans once an hour ($name)', ({ create }) => {
  // Regression: shipped data waited for the server's timer, twice.
  it('processes uploads at once, after each one and after the end of a session', async () => {
    using claude = createClaudeHome();
    using nothing = createClaudeHome();
    await using device = await createDevice(claude.path, systemClock);
    await using program = await create(nothing.path);
    const config = { ...program.config, port: 0 };
    await using serving = await serve({
      config,
      clock: systemClock,
      log: silentLog,
      onLog: () => {},
      rescanMs: HOUR_MS,
    });
    await serving.firstRound;
    const address = new URL(serving.address);
    const token = new URLSearchParams(address.hash.slice(1)).get('token') ?? '';
    const toServer: typeof fetch = (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      return fetch(new URL(pathname, address.origin), init);
    };
    const ask = async () => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(new URL(`/api/sessions/${ID}`, address.origin), { headers });
      return (await response.json()) as { total_messages?: number; lifecycle?: string; end_reason?: string };
    };
    claude.write(`-home-ada-shop/${ID}.jsonl`, [createTalk(ID).user('Hello.')]);
    await device.app.importNew();
    await shipTo(device, { fetch: toServer, token, clock: systemClock });
    await until(async () => expect(await ask()).toMatchObject({ total_messages: 1 }));
    const event = {
      id: '01HF00000000000000000000E1',
      type: 'session.end',
      timestamp: new Date().toISOString(),
      session_id: ID,
      data: { end_reason: 'exit' },
    };
    const { id, name, hostname, os, arch } = device.app.device;
    await fetch(new URL('/api/events/ingest', address.origin), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ device: { id, name, hostname, os, arch }, events: [event] }),
    });
    await until(async () => expect(await ask()).toMatchObject({ end_reason: 'exit', total_messages: 1 }));
  });
});
