import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOOK_TIMEOUT_SECONDS, hookEventsFor } from '../../src/capture/hook/hook-events.ts';
import { TOOLS } from '../../src/mcp/tools/all.ts';
import { LAUNCHER, runProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';

const PLUGIN = fileURLToPath(new URL('../../plugin', import.meta.url));
const read = (path: string) => readFileSync(join(PLUGIN, path), 'utf8');
const readJson = (path: string) => JSON.parse(read(path)) as Record<string, never>;

describe('the plugin', () => {
  it('has the version of the program and is listed in its own marketplace', () => {
    const { version } = readJson('../package.json');
    expect(readJson('.claude-plugin/plugin.json')).toMatchObject({ name: 'fuel-code', version });
    expect(readJson('.claude-plugin/marketplace.json')).toMatchObject({
      name: 'fuel-code',
      plugins: [{ name: 'fuel-code', source: './' }],
    });
  });

  it('includes the MCP server and reports the events that every client knows', () => {
    expect(readJson('.mcp.json')).toEqual({ mcpServers: { 'fuel-code': { command: 'fuel-code', args: ['mcp'] } } });
    const command = '/bin/sh "${CLAUDE_PLUGIN_ROOT}/hooks/report.sh"';
    const hooks = [{ type: 'command', command, timeout: HOOK_TIMEOUT_SECONDS }];
    // An old client ignores all hooks of a file with an unknown event.
    const wanted = hookEventsFor(null).map(({ event, matcher }) => [
      event,
      [{ ...(matcher !== null && { matcher }), hooks }],
    ]);
    expect(readJson('hooks/hooks.json')).toEqual({
      description: expect.any(String),
      hooks: Object.fromEntries(wanted),
    });
  });

  it('names only existing tools', () => {
    const known = new Set(TOOLS.map(({ name }) => name));
    for (const path of ['commands/recall.md', 'commands/cost.md']) {
      const tools = [...read(path).matchAll(/mcp__plugin_fuel-code_fuel-code__(\w+)/g)].map(([, name = '']) => name);
      expect([path, tools.length > 0, tools.filter((name) => !known.has(name))]).toEqual([path, true, []]);
    }
    const skill = read('skills/recall/SKILL.md');
    expect(skill).toMatch(/^---\nname: recall\ndescription: .{50,1024}\n---\n/);
    for (const [, name = ''] of skill.matchAll(/^\| .* \| `(\w+)`/gm)) expect(known).toContain(name);
  });
});

describe('a hook of the plugin', () => {
  let root = '';
  let env: Record<string, string> = {};
  const spool = () => {
    const folder = join(root, 'data/spool');
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  };

  /** Runs the command in hooks.json like the client. */
  async function fire(): Promise<{ code: number; out: string }> {
    const more = { CLAUDE_PLUGIN_ROOT: PLUGIN, FUEL_CODE_NO_WORKER: '1' };
    const command = `/bin/sh "${PLUGIN}/hooks/report.sh"`;
    const child = spawn('/bin/sh', ['-c', command], { env: { ...env, ...more }, cwd: root });
    let out = '';
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    child.stderr.on('data', (chunk) => (out += String(chunk)));
    child.stdin.on('error', () => {});
    child.stdin.end('{"hook_event_name":"Stop","session_id":"s"}');
    const [code] = (await once(child, 'close')) as [number];
    return { code, out };
  }

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'fuel-code-plugin-'));
    mkdirSync(join(root, 'claude'));
    mkdirSync(join(root, 'bin'));
    const program = join(root, 'bin/fuel-code');
    writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${LAUNCHER} "$@"\n`);
    chmodSync(program, 0o755);
    const PATH = `${join(root, 'bin')}:/usr/bin:/bin`;
    env = { PATH, HOME: root, FUEL_CODE_HOME: join(root, 'data'), CLAUDE_CONFIG_DIR: join(root, 'claude') };
  });
  afterEach(() => rmSync(root, { recursive: true, maxRetries: 50, retryDelay: 100 }));

  it('reports an event, the first one too', async () => {
    expect(await fire()).toEqual({ code: 0, out: '' });
    await until(() => expect(spool()).toHaveLength(1));
    expect(await fire()).toEqual({ code: 0, out: '' });
    await until(() => expect(spool()).toHaveLength(2));
    // Preparing does not touch the settings.
    expect(readdirSync(join(root, 'claude'))).toEqual([]);
  });

  it('leaves the event to the hooks in the settings, if there are any', async () => {
    expect((await runProgram(['hooks', 'install'], { env })).code).toBe(0);
    expect(await fire()).toEqual({ code: 0, out: '' });
    expect(spool()).toEqual([]);
    const settings = join(root, 'claude/settings.json');
    expect((await runProgram(['hooks', 'uninstall'], { env })).code).toBe(0);
    expect(existsSync(settings)).toBe(false);
    await fire();
    await until(() => expect(spool()).toHaveLength(1));
  });

  it('stays silent if the program is missing', async () => {
    rmSync(join(root, 'bin/fuel-code'));
    expect(await fire()).toEqual({ code: 0, out: '' });
    expect(existsSync(join(root, 'data'))).toBe(false);
  });

  it('counts as a hook in the checks', async () => {
    writeFileSync(join(root, 'claude/settings.json'), '{"enabledPlugins":{"fuel-code@fuel-code":true}}');
    mkdirSync(join(root, 'claude/projects'));
    const { stdout } = await runProgram(['hooks', 'status'], { env });
    expect(stdout).toContain('The fuel-code plugin is enabled here');
    expect((await runProgram(['mcp', 'status'], { env })).stdout).toContain(`plugin   enabled (${PLUGIN})`);
    await fire();
    await until(() => expect(spool()).toHaveLength(1));
    const doctor = await runProgram(['doctor', '--json'], { env });
    const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; state: string }[] };
    expect(checks.find(({ name }) => name === 'hooks')?.state).toBe('ok');
  });
});
