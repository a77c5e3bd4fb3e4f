import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type App, openApp } from '../../src/app/open-app.ts';
import type { Command, CommandContext } from '../../src/cli/command.ts';
import { command as gitHooks } from '../../src/cli/git-hooks.ts';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { workspaceCommand, workspacesCommand } from '../../src/cli/workspaces.ts';
import { loadConfig } from '../../src/config.ts';
import { workspaceNoteFromJournal } from '../../src/domain/workspace-note.ts';
import { saveDevice } from '../../src/store/queries/devices/devices.ts';
import { assignWorkspaces } from '../../src/store/queries/workspaces/workspaces.ts';
import { collect } from '../support/collect.ts';
import { fixedClock, silentLog } from '../support/fixed-clock.ts';
import { createGitSandbox } from '../support/git-sandbox.ts';
import { NOW, seedSession } from '../support/seed-session.ts';

let home = '';
let app: App;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'fuel-code-commands-'));
  const { config } = loadConfig({ FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: join(home, 'claude') });
  app = await openApp({ config, clock: fixedClock, log: silentLog });
  const { engine } = app.store;
  await saveDevice(engine.kysely, app.device, NOW);
});
afterEach(async () => {
  await app.close();
  rmSync(home, { recursive: true });
});

/** Runs a command on the open program and returns its output. */
async function run(command: Command, ...words: string[]): Promise<string> {
  const args = parseArguments(command, words);
  if (args === 'help') throw new Error('help');
  let out = '';
  const terminal = {
    columns: 100,
    hasColor: false,
    isInteractive: false,
    out: (text: string) => void (out += text),
    err: () => {},
  };
  const shared = { ...app, [Symbol.asyncDispose]: async () => {} };
  const loaded = loadConfig({ FUEL_CODE_HOME: home });
  const context = { loaded, clock: fixedClock, log: silentLog, terminal, signal: new AbortController().signal };
  await command.run(
    { ...context, openApp: async () => shared, openBrowser: () => {} } as unknown as CommandContext,
    args,
  );
  return out;
}

async function place(id: string, canonicalId: string, displayName: string): Promise<void> {
  await seedSession(app.store, id);
  const workspace = { canonicalId, displayName, defaultBranch: 'main', folder: null };
  const { engine } = app.store;
  const { ids } = await assignWorkspaces(engine.kysely, 'device-1', new Map([[id, workspace]]), NOW);
  await engine.kysely
    .updateTable('sessions')
    .set({ workspace_id: ids.get(id) as string })
    .where('id', '=', id)
    .execute();
}

describe('workspaces in the terminal', () => {
  it('are listed, shown, renamed and merged, and sessions are moved', async () => {
    await place('aaa-1', 'github.com/ada/shop', 'shop');
    await place('bbb-1', 'folder:device-1:/home/ada/notes', 'notes');
    const list = await run(workspacesCommand, '--no-import');
    expect(list).toMatch(/NAME\s+SESSIONS\s+LAST USED\s+COST\s+ID/);
    expect(list).toMatch(/notes\s+1\s+just now\s+–\s+\/home\/ada\/notes/);
    expect(await run(workspaceCommand, 'sho', '--no-import')).toContain('github.com/ada/shop');
    expect(await run(workspaceCommand, 'shop', '--rename', 'Web shop', '--no-import')).toMatch(/^Web shop\n/);
    await run(workspaceCommand, 'Web', '--take', 'bbb', '--no-import');
    const rows = JSON.parse(await run(workspacesCommand, '--json', '--no-import'));
    expect(rows.workspaces).toMatchObject([{ display_name: 'Web shop', sessions: 2, kind: 'remote' }]);
    await run(workspaceCommand, 'notes', '--merge-into', 'Web shop', '--no-import');
    expect(JSON.parse(await run(workspaceCommand, '/home/ada/notes', '--json', '--no-import'))).toMatchObject({
      display_name: 'Web shop',
      merged: ['folder:device-1:/home/ada/notes'],
    });
    const notes = (await collect(app.journal.read())).map((record) => workspaceNoteFromJournal(record)?.what);
    expect(notes).toEqual(['workspace_renamed', 'session_moved', 'workspace_merged']);
  });

  it('I11: invalid input is rejected with a message', async () => {
    await place('aaa-1', 'github.com/ada/shop', 'shop');
    await expect(run(workspaceCommand, 'nope', '--no-import')).rejects.toMatchObject({ code: 'not_found' });
    await expect(run(workspaceCommand, 'shop', '--merge-into', 'shop', '--no-import')).rejects.toMatchObject({
      code: 'usage',
    });
    await expect(run(workspaceCommand, 'shop', '--rename', 'a', '--take', 'b')).rejects.toMatchObject({
      code: 'usage',
    });
    await expect(run(workspaceCommand, 'shop', '--take', 'zzz', '--no-import')).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(run(gitHooks, 'explode')).rejects.toMatchObject({ code: 'usage' });
    await expect(run(gitHooks, 'status', home)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('git-hooks installs, reports and uninstalls', async () => {
    using box = createGitSandbox();
    const repo = box.init('shop');
    expect(await run(gitHooks, 'install', repo)).toMatch(/post-commit\s+installed/);
    expect(JSON.parse(await run(gitHooks, 'status', repo, '--json'))).toMatchObject({ repository: repo });
    expect(await run(gitHooks, 'uninstall', repo)).toMatch(/pre-push\s+absent/);
  });
});
