import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app/open-app.ts';
import { hookCommand } from '../../src/capture/hook/hook-script.ts';
import type { Command, CommandContext } from '../../src/cli/command.ts';
import { command as hooks } from '../../src/cli/hooks.ts';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { command as queue } from '../../src/cli/queue.ts';
import { loadConfig } from '../../src/config.ts';
import { systemClock } from '../../src/lib/timing.ts';
import { silentLog } from '../support/fixed-clock.ts';
import { fire, PAYLOAD, QUIET } from '../support/hook-home.ts';
import { until } from '../support/until.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fuel-code-hook-cli-'));
});
afterEach(() => rmSync(root, { recursive: true, maxRetries: 50, retryDelay: 100 }));

/** Runs a command in this process and captures its output. */
async function run(command: Command, ...words: string[]): Promise<string> {
  const loaded = loadConfig({ FUEL_CODE_HOME: join(root, 'data'), CLAUDE_CONFIG_DIR: join(root, 'claude') });
  let printed = '';
  const context: CommandContext = {
    loaded,
    configFile: join(loaded.config.home, 'config.json'),
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
    openBrowser: async () => {},
    runCommand: async () => {},
    runProgram: async () => 0,
    pick: async () => Promise.reject(new Error('no keyboard')),
    listCommands: async () => [],
    deviceId: async () => null,
    readInput: async function* () {},
    serveMcp: async () => {},
    printStatusLine: async () => {},
    serve: () => Promise.reject(new Error('this test starts no server')),
    openApp: () => openApp({ config: loaded.config, clock: systemClock, log: silentLog }),
    terminal: {
      columns: 120,
      hasColor: false,
      isInteractive: false,
      out: (text) => {
        printed += text;
      },
      err: () => {},
      drain: async () => {},
      ask: async () => false,
    },
  };
  const args = parseArguments(command, words);
  if (args === 'help') throw new Error('help was not asked for');
  await command.run(context, args);
  return printed;
}

const put = (name: string, payload: unknown) =>
  writeFileSync(join(root, 'data/spool', name), typeof payload === 'string' ? payload : JSON.stringify(payload), {
    mode: 0o600,
  });

describe('fuel-code hooks', () => {
  it('installs, reports, tests and removes hooks', async () => {
    const before = await run(hooks, 'status');
    expect(before).toMatch(/To install them: CLAUDE_CONFIG_DIR=.*fuel-code hooks install\n/);
    expect(before).toMatch(/\nWorker +not running\nLast fired +never\n$/);
    const keeping = new RegExp(`Stored: every session in ${root}/claude,[^]*Location: ${root}/data,[^]*worker`);
    const planned = await run(hooks, 'install', '--dry-run');
    expect(planned).toMatch(/^Would add hooks for SessionStart, .*\n[^]*Nothing was changed/);
    expect(planned).toMatch(keeping);
    expect(await run(hooks, 'status')).toBe(before);
    const installed = await run(hooks, 'install');
    expect(installed).toMatch(/^Installed hooks for SessionStart, .*PostToolUse\.\n/);
    expect(installed).toMatch(keeping);
    expect(await run(hooks, 'install')).toContain('already installed');
    expect(await run(hooks, 'test')).toMatch(/printed nothing, and its payload arrived/);
    const told = /5 of 5 installed .*\n[^]*Script +current\nWorker +not running.*\nLast fired +just now\n$/;
    await until(async () => expect(await run(hooks, 'status')).toMatch(told));
    expect(JSON.parse(await run(hooks, 'status', '--json'))).toMatchObject({ installed: true, worker_pid: null });
    expect(await run(hooks, 'uninstall')).toMatch(/^Removed 5 hooks/);
    expect(await run(hooks, 'uninstall')).toMatch(/^No fuel-code hooks found/);
    expect(readdirSync(join(root, 'claude'))).toEqual([]);
    expect(readdirSync(join(root, 'data/hooks'))).toEqual([]);
  });

  it('explains why a hook does not work', async () => {
    await run(hooks, 'install');
    writeFileSync(join(root, 'data/hooks/hook.sh'), 'exit 0');
    await expect(run(hooks, 'test')).rejects.toMatchObject({
      code: 'bad_config',
      message: 'The hook does not work: its payload did not arrive in the spool.',
    });
  });

  it('rejects unknown arguments', async () => {
    await expect(run(hooks, 'reinstall')).rejects.toMatchObject({ code: 'usage' });
    await expect(run(hooks)).rejects.toMatchObject({ code: 'usage' });
    await expect(run(hooks, 'uninstall', '--dry-run')).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('fuel-code queue', () => {
  it('B13: shows, drains, lists dead letters, retries and drops them', async () => {
    await run(hooks, 'install');
    put('1790000000000-1-1.json', { session_id: 's', hook_event_name: 'Stop' });
    put('1790000000001-1-1.json', 'nonsense \u001b[2J');
    put('1790000000002-1-1.json', 'more of it');
    put('of-the-future', '');
    expect(await run(queue, 'status')).toMatch(/^Waiting +3 entries.*\nDead letters +0, 0 B\nUnknown +1 file,/);
    expect(await run(queue, 'drain')).toMatch(/^1 event stored, 2 invalid/);
    expect(JSON.parse(await run(queue, 'drain', '--json'))).toEqual({
      schema_version: 1,
      accepted: 0,
      duplicates: 0,
      rejected: 0,
      ignored: 0,
      left: 0,
    });
    const table = await run(queue, 'dead-letter');
    expect(table).toMatch(
      /ID +SINCE +TRIES +REASON +DETAIL\n1790000000001-1-1 +just now +1 +not_json +It starts with "nonsense/,
    );
    expect(table).not.toContain('\u001b');
    expect(await run(queue, 'retry', '1790000000001-1-1')).toBe('1 dead letter queued again.\n');
    expect(await run(queue, 'drain')).toContain('1 invalid');
    expect(JSON.parse(await run(queue, 'dead-letter', '--json'))).toMatchObject({
      dead_letters: [{ attempts: 1 }, { attempts: 2 }],
    });
    expect(await run(queue, 'retry', '--all')).toBe('2 dead letters queued again.\n');
    expect(await run(queue, 'dead-letter')).toBe('No dead letters.\n');
    await run(queue, 'drain');
    expect(JSON.parse(await run(queue, 'drop', '--all', '--json'))).toMatchObject({
      changed: [{}, {}].map(() => expect.any(String)),
    });
    expect(JSON.parse(await run(queue, 'status', '--json'))).toMatchObject({ entries: 0, dead_letters: 0, unknown: 1 });
  });

  it.each([
    [['nonsense'], 'usage'],
    [['status', 'x'], 'usage'],
    [['retry'], 'usage'],
    [['retry', 'x', '--all'], 'usage'],
    [['drop', '../../etc/passwd'], 'not_found'],
    [['retry', '1790000000001-1-1'], 'not_found'],
  ])('rejects %j', async (words, code) => {
    await expect(run(queue, ...words)).rejects.toMatchObject({ code });
  });
});

describe('a hook and the queue together', () => {
  it('what a hook stores becomes an event', async () => {
    await run(hooks, 'install');
    const command = hookCommand(join(root, 'data/hooks/hook.sh'));
    expect(await fire(command, PAYLOAD, { env: { FUEL_CODE_NO_WORKER: '1' } })).toEqual(QUIET);
    await until(async () => expect(JSON.parse(await run(queue, 'status', '--json'))).toMatchObject({ entries: 1 }));
    expect(await run(queue, 'drain')).toBe('1 event stored.\n');
  });
});
