import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCommands } from '../../src/app/commands.ts';
import type { App } from '../../src/app/open-app.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { STORIES, writeDemoHome } from '../../src/demo/write-demo-home.ts';
import { createServerApp } from '../../src/server/app.ts';
import { listen } from '../../src/server/listen.ts';
import { loopbackHosts } from '../../src/server/security.ts';
import { fixedClock, NOW, type PROGRAMS, type Program } from './programs.ts';

const TOKEN = 'cd'.repeat(32);

export interface ServedProgram extends AsyncDisposable {
  readonly program: Program;
  readonly app: App;
  readonly origin: string;
  /** The data folder of the client machine; it is never created. */
  readonly clientHome: string;
  /** The configuration of the client machine, with overrides. */
  clientConfig(more?: Readonly<Record<string, string>>): Config;
}

/** The sessions of the demo, served over a socket; all parts use the same clock. */
export async function serveProgram({ create }: (typeof PROGRAMS)[number]): Promise<ServedProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-served-'));
  const claudeHome = join(folder, 'claude');
  await writeDemoHome(claudeHome, NOW, STORIES);
  const program = await create(claudeHome);
  const app = await program.open();
  await app.importNew();
  let port = 0;
  let working: Promise<unknown> = Promise.resolve();
  const server = createServerApp({
    token: TOKEN,
    version: '1.2.3',
    hosts: () => loopbackHosts(port),
    data: app,
    commands: createCommands(app, fixedClock, () => {
      working = working.then(() => app.importNew());
    }),
    openDemo: async () => app,
    files: new Map(),
    log: { warn: () => {}, error: () => {} },
  });
  const listening = await listen(server, { host: '127.0.0.1', port: 0 });
  port = listening.port;
  const origin = `http://127.0.0.1:${port}`;
  const clientHome = join(folder, 'client');
  const env = { FUEL_CODE_HOME: clientHome, FUEL_CODE_SERVER_URL: origin, FUEL_CODE_SERVER_TOKEN: TOKEN };
  return {
    program,
    app,
    origin,
    clientHome,
    clientConfig: (more = {}) => loadConfig({ ...env, ...more }).config,
    [Symbol.asyncDispose]: async () => {
      await listening.close();
      await working;
      await app.close();
      await program[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}
