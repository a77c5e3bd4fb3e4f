import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface FreezingProxy extends AsyncDisposable {
  readonly url: string;
  /** Stops forwarding data on existing connections without closing them, so that they are half-open. */
  freeze(): void;
  /** Stops forwarding requests on existing connections; what the server sends still arrives. */
  holdRequests(): void;
  /** Resolves when the server has closed its connections and all it sent was passed on. */
  serverLeft(): Promise<void>;
  /** While true, new connections are accepted but not forwarded. */
  swallow(isSwallowing: boolean): void;
}

/** A proxy between a program and the server of a URL, on a free port or the given one. */
export async function startFreezingProxy(target: string, ownPort = 0): Promise<FreezingProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let isSwallowing = false;
  const proxy = createServer((near) => {
    near.on('error', () => {});
    if (isSwallowing) return;
    const far = connect(Number(port), hostname);
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    near.pipe(far).pipe(near);
    pairs.add([near, far]);
  });
  proxy.listen(ownPort, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    freeze: () => {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    holdRequests: () => {
      for (const [near, far] of pairs) near.unpipe(far).pause();
    },
    serverLeft: async () => {
      await Promise.all([...pairs].map(async ([near]) => near.writableFinished || (await once(near, 'finish'))));
    },
    swallow: (wanted) => (isSwallowing = wanted),
    [Symbol.asyncDispose]: async () => {
      proxy.close();
      for (const sockets of pairs) for (const socket of sockets) socket.destroy();
    },
  };
}

/** A port without a listener. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
