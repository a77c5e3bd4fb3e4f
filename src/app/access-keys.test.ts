import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  BEARER,
  DEVICE_PATHS,
  examplePath,
  exampleWith,
  makeApp,
  makePatientApp,
  SESSION_ID,
} from '../../test/browser/support/make-app.ts';
import type { ServerApp } from '../server/app.ts';
import { ROUTES } from '../server/routes.ts';
import type { StoredToken } from '../store/queries/devices/device-tokens.ts';
import type { DeviceTokens } from './access-keys.ts';

const BEARER_ROUTES = ROUTES.filter((route) => route.access === 'bearer');
const tokenOf = (id: string, secret = 'b') => `dev_${id.repeat(16)}_${secret.repeat(64)}`;
const [READER, WRITER, REVOKED] = [tokenOf('1'), tokenOf('2'), tokenOf('3')];

function stored(token: string, more: Partial<StoredToken> = {}): StoredToken {
  const sha256 = createHash('sha256').update(token).digest('hex');
  return { id: token.slice(4, 20), name: 'laptop', sha256, isWriteOnly: false, isRevoked: false, ...more };
}

const KNOWN = [stored(READER), stored(WRITER, { isWriteOnly: true }), stored(REVOKED, { isRevoked: true })];

function tokensWith(used: string[] = []): DeviceTokens {
  return {
    find: async (id) => KNOWN.find((token) => token.id === id) ?? null,
    markUsed: async (id) => void used.push(id),
  };
}

/** The status of each route for this token. Routes that this token may use change data, so each gets an app of its own. */
async function askAll(token: string, tokens = tokensWith()): Promise<readonly (readonly [string, number, string])[]> {
  return ask(token, async () => {
    const { app } = makeApp({ tokens });
    await app.request('/api/demo', { method: 'POST', headers: BEARER });
    return app;
  });
}

/** The same for a token that no route accepts. */
async function refuseAll(
  token: string,
  tokens = tokensWith(),
): Promise<readonly (readonly [string, number, string])[]> {
  const { app } = makePatientApp({ tokens });
  await app.request('/api/demo', { method: 'POST', headers: BEARER });
  return ask(token, async () => app);
}

async function ask(token: string, open: () => Promise<ServerApp>) {
  const answers = BEARER_ROUTES.map(async (route) => {
    const app = await open();
    const init = exampleWith(route, { authorization: `Bearer ${token}` });
    const stop = new AbortController();
    const response = await app.request(examplePath(route.path), { ...init, signal: stop.signal });
    const body = response.headers.get('content-type')?.includes('event-stream') ? '' : await response.text();
    stop.abort();
    return [`${route.method} ${route.path}`, response.status, body] as const;
  });
  return Promise.all(answers);
}

describe('H6: the token of a device', () => {
  test('grants the access of the server token, and its use is recorded', async () => {
    const used: string[] = [];
    const answers = await askAll(READER, tokensWith(used));
    // Renaming and merging devices requires the server's own token, and so does deleting.
    const refused = answers.filter(([, status]) => status === 401 || status === 403);
    expect(refused.map(([route]) => route)).toEqual([
      'POST /api/browser-keys',
      'POST /api/deletions',
      'DELETE /api/deletions/:session_id',
      'PATCH /api/devices/:device_id',
    ]);
    expect(used).toHaveLength(BEARER_ROUTES.length);
  });

  test('that may only write grants access to uploads only', async () => {
    for (const [route, status, body] of await askAll(WRITER)) {
      const isForDevices = DEVICE_PATHS.has(route.split(' ')[1] ?? '');
      expect([route, status === 403]).toEqual([route, !isForDevices]);
      if (!isForDevices) expect(JSON.parse(body)).toMatchObject({ error: { code: 'forbidden' } });
      expect(body).not.toContain(SESSION_ID);
    }
  });

  test('J10: that was revoked grants nothing, and says so', async () => {
    const used: string[] = [];
    for (const [route, status, body] of await refuseAll(REVOKED, tokensWith(used))) {
      expect([route, status]).toEqual([route, 401]);
      expect(JSON.parse(body)).toMatchObject({ error: { message: expect.stringContaining('revoked') as string } });
    }
    expect(used).toEqual([]);
  });

  const wrong: Record<string, string> = {
    'another secret': tokenOf('1', 'c'),
    'the secret of another device': tokenOf('1').slice(0, 21) + tokenOf('2', 'd').slice(21),
    'a revoked name with another secret': tokenOf('3', 'c'),
    'a name that nobody has': tokenOf('9'),
    'the hash that is stored': KNOWN[0]?.sha256 ?? '',
    'the name with the hash': `dev_${'1'.repeat(16)}_${KNOWN[0]?.sha256}`,
    'the name alone': `dev_${'1'.repeat(16)}_`,
    'one digit short': READER.slice(0, -1),
    'one digit long': `${READER}b`,
    'upper case': READER.toUpperCase(),
  };
  test.each(Object.entries(wrong))('%s grants nothing', async (_, token) => {
    for (const [route, status, body] of await refuseAll(token)) {
      expect([route, status]).toEqual([route, 401]);
      expect(body).toContain('Wrong bearer token.');
    }
  });

  test('grants nothing on a server without device tokens', async () => {
    const { app } = makeApp();
    const response = await app.request('/api/status', { headers: { authorization: `Bearer ${READER}` } });
    expect(response.status).toBe(401);
  });
});
