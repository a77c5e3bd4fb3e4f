import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCommands } from '../../src/app/commands.ts';
import type { App } from '../../src/app/open-app.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { STORIES, writeDemoHome } from '../../src/demo/write-demo-home.ts';
import { createServerApp, type ServerApp } from '../../src/server/app.ts';
import { fixedClock, NOW, type PROGRAMS } from './programs.ts';

export const TOKEN = 'ab'.repeat(32);

export interface ApiProgram extends AsyncDisposable {
  readonly app: App;
  readonly server: ServerApp;
  readonly client: Client;
  readonly claudeHome: string;
  /** Opens the same program again, like a second process. */
  reopen(): Promise<App>;
  /** Messages of internal errors. */
  readonly failures: readonly string[];
}

/** The whole program with the sessions of the demo, called through its API without a socket. */
export async function openApiProgram({ create }: (typeof PROGRAMS)[number]): Promise<ApiProgram> {
  const claudeHome = mkdtempSync(join(tmpdir(), 'fuel-code-api-'));
  await writeDemoHome(claudeHome, NOW, STORIES);
  const program = await create(claudeHome);
  const app = await program.open();
  await app.importNew();
  const failures: string[] = [];
  const note = (message: string, fields?: Record<string, unknown>) =>
    void failures.push(`${message} ${JSON.stringify(fields)}`);
  const server = createServerApp({
    token: TOKEN,
    version: '1.2.3',
    hosts: () => new Set(['localhost']),
    data: app,
    commands: createCommands(app, fixedClock, () => {}),
    openDemo: async () => app,
    files: new Map(),
    log: { warn: () => {}, error: note },
  });
  const transport = (url: string, init: RequestInit) => server.request(url, init);
  return {
    app,
    server,
    claudeHome,
    failures,
    reopen: () => program.open(),
    client: createClient({ origin: 'http://localhost', token: () => TOKEN, transport }),
    [Symbol.asyncDispose]: async () => {
      await app.close();
      await program[Symbol.asyncDispose]();
      rmSync(claudeHome, { recursive: true });
    },
  };
}
