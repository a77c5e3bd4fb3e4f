import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LAUNCHER, runProgram } from '../support/run-program.ts';
import { captured, createLab, isBefore, type Lab } from './lab.ts';
import { type ModelRequest, type Script, say, tool } from './model.ts';

/** The tool of a server that `mcp install` added, and of the plugin. */
const SEARCH = 'mcp__fuel-code__search_sessions';
const PLUGIN_SEARCH = 'mcp__plugin_fuel-code_fuel-code__search_sessions';
const PLUGIN = fileURLToPath(new URL('../../plugin', import.meta.url));

const answerWith = (request: ModelRequest) => say(`I was told: ${request.toolResults.at(-1)}`);
const SCRIPT: Script = [
  ['count the apples', [[tool('Bash', { command: 'cat README.md', description: 'Look' })], say('Seven ripe apples.')]],
  ['ask the past', [[tool(SEARCH, { query: '"ripe apples"' })], answerWith]],
  ['ask the plugin', [[tool(PLUGIN_SEARCH, { query: '"ripe apples"' })], answerWith]],
  // The text of the command /recall.
  ['Search my past Claude Code sessions', [[tool(PLUGIN_SEARCH, { query: 'apples' })], answerWith]],
];

describe('the MCP server in the real client', () => {
  it('is added by install, answers the model, and is gone after uninstall', async () => {
    await using lab = await createLab(SCRIPT);
    const first = await lab.print('Please count the apples');
    await captured(lab, first.sessionId);
    expect(await lab.fuelCode('mcp', 'install', '--yes')).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await lab.claude('mcp', 'list');
    expect(stdout).toMatch(/fuel-code: .*fuel-code mcp .*Connected/);
    const asked = await lab.print('Please ask the past');
    expect(asked).toMatchObject({ code: 0 });
    // The workspace is that of the project, so the search finds the previous session.
    expect(asked.result).toContain(first.sessionId);
    expect(asked.result).toContain('Seven ripe apples.');
    expect(await lab.fuelCode('mcp', 'uninstall')).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(lab.claudeHome, '.claude.json'), 'utf8')).not.toContain('mcpServers');
    expect((await lab.claude('mcp', 'list')).stdout).not.toContain('fuel-code mcp');
  });

  it('reads what install --scope project wrote', async () => {
    await using lab = await createLab(SCRIPT, { hooks: false });
    const env = { FUEL_CODE_HOME: lab.dataHome, CLAUDE_CONFIG_DIR: lab.claudeHome };
    const install = ['mcp', 'install', '--yes', '--scope', 'project'];
    expect(await runProgram(install, { env, cwd: lab.project })).toMatchObject({ code: 0, stderr: '' });
    expect((await lab.claude('mcp', 'get', 'fuel-code')).stdout).toMatch(/Scope: Project[\s\S]*Command: fuel-code/);
  });
});

describe.skipIf(isBefore('2.0.76'))('the plugin in the real client', () => {
  let bin = '';
  beforeAll(() => {
    bin = mkdtempSync(join(tmpdir(), 'fuel-code-bin-'));
    writeFileSync(join(bin, 'fuel-code'), `#!/bin/sh\nexec ${process.execPath} ${LAUNCHER} "$@"\n`);
    chmodSync(join(bin, 'fuel-code'), 0o755);
  });
  afterAll(() => rmSync(bin, { recursive: true }));

  async function openLab(hooks: boolean): Promise<Lab> {
    const lab = await createLab(SCRIPT, { hooks, env: { PATH: `${bin}:${process.env.PATH}` } });
    // The client and the test use the same data folder.
    mkdirSync(lab.dataHome, { recursive: true, mode: 0o700 });
    symlinkSync(lab.dataHome, join(lab.root, 'home/.fuel-code'));
    for (const words of [
      ['marketplace', 'add', PLUGIN],
      ['install', 'fuel-code@fuel-code'],
    ]) {
      expect(await lab.claude('plugin', ...words)).toMatchObject({ code: 0 });
    }
    return lab;
  }

  it('passes the checks of the client', async () => {
    await using lab = await createLab(SCRIPT, { hooks: false });
    const { code, stdout, stderr } = await lab.claude(
      'plugin',
      'validate',
      ...(isBefore('2.1.325') ? [] : ['--strict']),
      PLUGIN,
    );
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('Validation passed')]);
  });

  it('captures sessions, lets the model search them, and knows /recall', async () => {
    await using lab = await openLab(false);
    const first = await lab.print('Please count the apples');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    await captured(lab, first.sessionId);
    const asked = await lab.print('Please ask the plugin');
    expect(asked.result).toContain(first.sessionId);
    expect(asked.result).toContain('Seven ripe apples.');
    const recalled = await lab.print('/fuel-code:recall apples');
    expect(recalled.result).toContain(first.sessionId);
  });

  it('reports every event once if the hooks are in the settings too', async () => {
    await using lab = await openLab(true);
    const { sessionId } = await lab.print('Please count the apples');
    await captured(lab, sessionId);
    const { events } = await lab.ask<{ events: { type: string }[] }>('session', sessionId, '--events');
    const count = (wanted: string) => events.filter(({ type }) => type === wanted).length;
    expect([count('session.start'), count('session.end')]).toEqual([1, 1]);
  });
});
