import { createCommands } from '../src/app/commands.ts';
import type { App } from '../src/app/open-app.ts';
import { type Client, createClient } from '../src/client/client.ts';
import { systemClock } from '../src/lib/timing.ts';
import { createServerApp } from '../src/server/app.ts';

const TOKEN = 'bench';
const ORIGIN = 'http://localhost';
/** The headers of a browser. */
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'accept-encoding': 'gzip, br' };

/** Sends a request through the whole server except its socket. */
export type Request = (url: string) => Response | Promise<Response>;

export function openServer(app: App, headers: Readonly<Record<string, string>> = HEADERS): Request {
  const server = createServerApp({
    token: TOKEN,
    version: 'bench',
    hosts: () => new Set(['localhost']),
    data: app,
    commands: createCommands(app, systemClock, () => {}),
    openDemo: async () => app,
    files: new Map(),
    log: { warn: console.error, error: console.error },
  });
  return (url) => server.request(new URL(url, ORIGIN), { headers });
}

/** A client that reads the bytes of its answers and drops them, and the number of bytes it has read. */
export function openCountingClient(app: App): { readonly get: Client['get']; readonly bytes: () => number } {
  const request = openServer(app);
  let bytes = 0;
  const transport = async (url: string) => {
    const response = await request(url);
    if (!response.ok) return response;
    bytes += (await response.arrayBuffer()).byteLength;
    return new Response(null);
  };
  const { get } = createClient({ origin: ORIGIN, token: () => null, transport });
  return { get, bytes: () => bytes };
}
