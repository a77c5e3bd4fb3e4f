import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCommands } from '../../../src/app/commands.ts';
import { type App, openApp } from '../../../src/app/open-app.ts';
import { loadConfig } from '../../../src/config.ts';
import { systemClock } from '../../../src/lib/timing.ts';
import { createClaudeHome, createTalk, text, toolUse } from '../../support/claude-home.ts';
import { silentLog } from '../../support/fixed-clock.ts';

const HOUR_MS = 3_600_000;

export interface ListProgram extends AsyncDisposable {
  readonly app: App;
  readonly commands: ReturnType<typeof createCommands>;
}

export interface ListedSession {
  readonly id: string;
  readonly prompt: string;
  readonly hoursAgo: number;
  readonly cwd?: string;
  readonly tokens?: number;
  readonly file?: string;
}

/** The whole program with these sessions, so that filters, figures and changes are real. */
export async function openListProgram(sessions: readonly ListedSession[]): Promise<ListProgram> {
  const claude = createClaudeHome();
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-home-'));
  for (const session of sessions) claude.write(`-w/${session.id}.jsonl`, linesOf(session));
  const { config } = loadConfig({ FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claude.path });
  const app = await openApp({ config, clock: systemClock, log: silentLog });
  await app.importNew();
  return {
    app,
    commands: createCommands(app, systemClock, () => {}),
    [Symbol.asyncDispose]: async () => {
      await app.close();
      claude[Symbol.dispose]();
      rmSync(home, { recursive: true });
    },
  };
}

function linesOf({ id, prompt, hoursAgo, cwd = '/home/ada/shop', tokens = 1_000, file }: ListedSession) {
  const startedAt = new Date(Date.now() - hoursAgo * HOUR_MS).toISOString();
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
