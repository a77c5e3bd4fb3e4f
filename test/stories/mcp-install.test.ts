import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LAUNCHER, runProgram } from '../support/run-program.ts';

let root = '';
let env: Record<string, string> = {};
const mcp = (...args: string[]) => runProgram(['mcp', ...args], { env, cwd: join(root, 'project') });
const stateFile = () => join(root, 'claude/.claude.json');
const projectFile = () => join(root, 'project/.mcp.json');
const states = async () => {
  const { stdout } = await mcp('status', '--json');
  const { scopes } = JSON.parse(stdout) as { scopes: { scope: string; state: string }[] };
  return Object.fromEntries(scopes.map(({ scope, state }) => [scope, state]));
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fuel-code-mcp-install-'));
  for (const name of ['claude', 'project', 'home']) mkdirSync(join(root, name));
  env = { HOME: join(root, 'home'), FUEL_CODE_HOME: join(root, 'data'), CLAUDE_CONFIG_DIR: join(root, 'claude') };
});
afterEach(() => rmSync(root, { recursive: true }));

describe('fuel-code mcp install', () => {
  it.each([
    ['a file of the client', '{\n  "numStartups": 3,\n  "projects": {\n    "/w": {}\n  }\n}'],
    ['servers of others', '{\r\n\t"mcpServers": {\r\n\t\t"x": {"command": "x"}\r\n\t},\r\n\t"b": 1 // note\r\n}\r\n'],
    ['an empty list of servers', '{"mcpServers":{}}'],
    ['no file', null],
  ])('is undone exactly, with %s', async (_, before) => {
    for (const [scope, path] of [['user', stateFile()] as const, ['project', projectFile()] as const]) {
      if (before !== null) writeFileSync(path, before, { mode: 0o640 });
      const installed = await mcp('install', '--yes', '--scope', scope);
      expect([installed.code, installed.stderr]).toEqual([0, '']);
      expect(installed.stdout).toContain(`Installed in ${path}.`);
      expect((await states())[scope]).toBe('installed');
      const text = readFileSync(path, 'utf8');
      expect((await mcp('install', '--yes', '--scope', scope)).stdout).toContain('Already installed');
      expect(readFileSync(path, 'utf8')).toBe(text);
      if (before !== null) expect(statSync(path).mode & 0o777).toBe(0o640);
      expect((await mcp('uninstall', '--scope', scope)).code).toBe(0);
      expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(before);
      expect((await states())[scope]).toBe('missing');
    }
    // Neither locks nor temporary files are left.
    const left = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /lock|tmp/.test(name));
    expect(left).toEqual([]);
  });

  it('writes this program with its folders for one person, and a plain command for everyone', async () => {
    await mcp('install', '--yes', '--no-import');
    await mcp('install', '--yes', '--scope', 'project');
    const read = (path: string) => (JSON.parse(readFileSync(path, 'utf8')) as { mcpServers: unknown }).mcpServers;
    const folders = { FUEL_CODE_HOME: join(root, 'data'), CLAUDE_CONFIG_DIR: join(root, 'claude') };
    const args = [LAUNCHER, 'mcp', '--no-import'];
    expect(read(stateFile())).toEqual({
      'fuel-code': { type: 'stdio', command: process.execPath, args, env: folders },
    });
    const shared = { type: 'stdio', command: 'fuel-code', args: ['mcp'], env: {} };
    expect(read(projectFile())).toEqual({ 'fuel-code': shared });
    expect(await states()).toEqual({ user: 'outdated', project: 'installed' });
  });

  it('is beside the default Claude home, not in it', async () => {
    env = { HOME: join(root, 'home'), FUEL_CODE_HOME: join(root, 'data') };
    await mcp('install', '--yes');
    expect(existsSync(join(root, 'home/.claude.json'))).toBe(true);
  });

  it('changes nothing without consent', async () => {
    const refused = await mcp('install');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`adds the MCP server fuel-code to ${stateFile()}`);
    expect(refused.stderr).toContain('Nothing was changed.');
    const dry = await mcp('install', '--dry-run');
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('Nothing was changed (--dry-run).')]);
    expect(readdirSync(join(root, 'claude'))).toEqual([]);
  });

  it.each([
    ['invalid JSON', '{"a": ', 'is invalid in line 1'],
    ['a server of somebody else', '{"mcpServers":{"fuel-code":{"command":"gas"}}}', 'another MCP server is named'],
  ])('leaves a file with %s alone and says why', async (_, text, why) => {
    writeFileSync(stateFile(), text);
    const { code, stderr } = await mcp('install', '--yes');
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
    expect(readFileSync(stateFile(), 'utf8')).toBe(text);
  });

  it('takes over the lock of a client that was killed', async () => {
    writeFileSync(stateFile(), '{}');
    mkdirSync(`${stateFile()}.lock`);
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(`${stateFile()}.lock`, longAgo, longAgo);
    expect((await mcp('install', '--yes')).code).toBe(0);
  });

  it('does not turn off redaction for other people', async () => {
    const { code, stderr } = await mcp('install', '--yes', '--raw', '--scope', 'project');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--raw cannot be used with --scope project')]);
    expect((await mcp('install', '--yes', '--raw')).code).toBe(0);
    expect(readFileSync(stateFile(), 'utf8')).toContain('--raw');
  });

  it.each([
    [['remove'], 'Unknown action "remove"'],
    [['install', '--scope', 'world'], 'Unknown value "world" for --scope. Valid values: user, project.'],
  ])('rejects %j', async (args, why) => {
    const { code, stderr } = await mcp(...args);
    expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(why.slice(0, 30))]);
  });
});
