import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBrowserKeys } from '../../../src/app/access-keys.ts';
import { createCommands } from '../../../src/app/commands.ts';
import { type App, openApp } from '../../../src/app/open-app.ts';
import { loadConfig } from '../../../src/config.ts';
import type { ServerDeps } from '../../../src/server/app.ts';
import { createClaudeHome, createTalk, text, toolUse } from '../../support/claude-home.ts';
import { fixedClock, NOW, silentLog } from '../../support/fixed-clock.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export interface ListProgram extends AsyncDisposable {
  readonly app: App;
  /** What a server needs to admit a browser and accept changes. */
  readonly deps: Pick<ServerDeps, 'commands' | 'browserKeys'>;
}

export interface ListedSession {
  readonly id: string;
  readonly prompt: string;
  readonly daysAgo: number;
  /** Minutes before noon. */
  readonly minute: number;
  readonly cwd?: string;
  readonly tokens?: number;
  readonly file?: string;
}

/**
 * The whole program with these sessions, so that filters, figures and changes are real. Its clock is fixed at the time the
 * tabs use.
 */
export function openListProgram(sessions: readonly ListedSession[]): Promise<ListProgram> {
  return openProgram((claude) => {
    for (const session of sessions) claude.write(`-w/${session.id}.jsonl`, linesOf(session));
  });
}

/** The same with the contents of a Claude home. */
export async function openProgram(
  write: (claude: ReturnType<typeof createClaudeHome>) => void | Promise<void>,
): Promise<ListProgram> {
  const claude = createClaudeHome();
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-home-'));
  await write(claude);
  const { config } = loadConfig({ FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claude.path });
  const app = await openApp({ config, clock: fixedClock, log: silentLog });
  await app.importNew();
  return {
    app,
    deps: {
      commands: createCommands(app, fixedClock, () => {}),
      browserKeys: createBrowserKeys(app.store.engine, fixedClock),
    },
    [Symbol.asyncDispose]: async () => {
      await app.close();
      claude[Symbol.dispose]();
      rmSync(home, { recursive: true });
    },
  };
}

function linesOf({ id, prompt, daysAgo, minute, cwd = '/home/ada/shop', tokens = 1_000, file }: ListedSession) {
  const startedAt = new Date(NOW.getTime() - daysAgo * DAY_MS - minute * MINUTE_MS).toISOString();
  const talk = createTalk(id, { startedAt });
  const usage = { input: tokens, output: 10 };
  const edit =
    file === undefined
      ? []
      : [
          talk.assistant(`e-${id}`, toolUse(`t-${id}`, 'Write', { file_path: file, content: 'one\ntwo\n' }), usage),
          talk.result(`t-${id}`, 'File created successfully'),
        ];
  const lines = [talk.user(prompt), ...edit, talk.assistant(`a-${id}`, text('Done.'), usage)];
  return lines.map((line) => ({ ...line, cwd }));
}
