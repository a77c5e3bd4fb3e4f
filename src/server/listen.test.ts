import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeApp, startTestServer, type TestServer } from '../../test/browser/support/make-app.ts';
import { listen, listenOnLoopback } from './listen.ts';

let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.close());

describe('H7: loopback only', () => {
  test.each(['0.0.0.0', '::', '', '192.0.2.1', 'localhost'])('%j is rejected', async (host) => {
    await expect(listen(makeApp().app, { host, port: 0 })).rejects.toMatchObject({ code: 'usage' });
  });

  test('a port in use is reported', async () => {
    await expect(listen(makeApp().app, { host: '127.0.0.1', port: server.port })).rejects.toMatchObject({
      code: 'busy',
    });
  });

  test('an address of another machine is reported in plain words', async () => {
    const attempt = listen(makeApp().app, { host: '192.0.2.1', port: 4680, isOpen: true });
    await expect(attempt).rejects.toMatchObject({
      code: 'bad_config',
      message: 'Cannot listen on 192.0.2.1, port 4680: this machine has no such address.',
    });
  });

  test('both loopback addresses use the same port, and another port if either is taken', async () => {
    const { app } = makeApp();
    const both = await listenOnLoopback(app, 0);
    const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
    const hosts = hasIpv6 ? ['127.0.0.1', '[::1]'] : ['127.0.0.1'];
    for (const host of hosts) expect((await fetch(`http://${host}:${both.port}/`)).status).toBe(403);
    await expect(listenOnLoopback(app, both.port)).rejects.toMatchObject({ code: 'busy' });
    await both.close();
    if (!hasIpv6) return;
    const stranger = await listen(app, { host: '::1', port: 0 });
    await expect(listenOnLoopback(app, stranger.port)).rejects.toMatchObject({ code: 'busy' });
    await expect(fetch(`http://127.0.0.1:${stranger.port}/`)).rejects.toThrow('fetch failed');
    await stranger.close();
  });

  test('closing ends open connections', async () => {
    const own = await startTestServer();
    await fetch(`${own.url}api/health`);
    await own.close();
    const again = createServer();
    const listening = new Promise<void>((resolve) => again.listen(own.port, '127.0.0.1', resolve));
    await expect(listening).resolves.toBeUndefined();
    again.close();
  });
});
