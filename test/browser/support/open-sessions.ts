import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, openApp } from '../../../src/app/open-app.ts';
import { type Config, loadConfig } from '../../../src/config.ts';
import { fixedClock, silentLog } from '../../support/fixed-clock.ts';

export interface OpenedSessions extends AsyncDisposable {
  readonly app: App;
  readonly config: Config;
  /** Opens the same data again. */
  open(): Promise<App>;
}

/** The program with the sessions of a Claude home, imported into a separate data folder. */
export async function openSessions(writeHome: (claudeHome: string) => Promise<void> | void): Promise<OpenedSessions> {
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-page-'));
  const claudeHome = join(folder, 'claude');
  await writeHome(claudeHome);
  const { config } = loadConfig({ FUEL_CODE_HOME: join(folder, 'data'), CLAUDE_CONFIG_DIR: claudeHome });
  const open = () => openApp({ config, clock: fixedClock, log: silentLog });
  const app = await open();
  const { failed } = await app.importNew();
  if (failed.length > 0) throw new Error(`Not imported: ${JSON.stringify(failed)}`);
  return {
    app,
    config,
    open,
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
