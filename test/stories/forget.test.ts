import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClaudeHome, createClaudeHome } from '../support/claude-home.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { runProgram } from '../support/run-program.ts';
import { CLEAN, fillWithSecrets, LEAKY, tokenFor } from '../support/secret-home.ts';

let claude: ClaudeHome;
let home = '';
let env: Record<string, string> = {};
const fuel = (...args: string[]) => runProgram(args, { env });
const exported = async () => (await fuel('session', LEAKY, '--export', 'json', '--raw')).stdout;

beforeAll(async () => {
  claude = createClaudeHome();
  fillWithSecrets(claude, '/home/ada/shop');
  // The name of a file stays, so it must not count as unfinished work.
  claude.write(`../plans/${tokenFor('plan name')}.md`, '# Plan');
  home = mkdtempSync(join(tmpdir(), 'fuel-code-forget-'));
  env = { FUEL_CODE_HOME: join(home, 'data'), CLAUDE_CONFIG_DIR: claude.path };
  await fuel('backfill');
});
afterAll(() => {
  claude[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

describe('fuel-code forget --secrets', () => {
  it('J12: lists what it found without the secrets, and changes nothing without confirmation', async () => {
    const { code, stdout } = await fuel('forget', '--secrets', '--dry-run', '--json');
    const { found, sessions_searched } = JSON.parse(stdout);
    expect([code, sessions_searched]).toEqual([0, 2]);
    expect(found[0]).toMatchObject({ session_id: LEAKY, kinds: { 'github-token': expect.any(Number) } });
    expect(stdout).not.toMatch(/ghp_/);
    expect((await fuel('forget', '--secrets', CLEAN, '--dry-run', '--json')).stdout).not.toContain(LEAKY);
    const refused = await fuel('forget', '--secrets');
    expect([refused.code, refused.stdout.includes('The original bytes still have the secrets')]).toEqual([2, true]);
    expect(refused.stderr).toContain('Nothing was changed.');
    expect(await exported()).toContain(tokenFor('prompt'));
    for (const where of [['--remote'], ['--server', 'https://fuel.example']]) {
      const remote = await fuel('forget', '--secrets', '--yes', ...where);
      expect([remote.code, remote.stdout]).toEqual([2, '']);
      expect(remote.stderr).toContain('run it on the server');
    }
  });

  it.each([
    [['forget'], 'Specify what to forget'],
    [['forget', '--dry-run'], '--dry-run requires --secrets'],
    [['forget', '--undo'], 'Specify the sessions to unmask'],
    [['forget', '--secrets', 'nope'], 'nope'],
    [['forget', '--undo', LEAKY], 'has no masked secrets'],
    [['forget', '--secrets', LEAKY, '--since', '7d'], 'not both'],
  ])('explains what is wrong with %s', async (args, message) => {
    const { code, stderr } = await fuel(...args);
    expect([code !== 0, stderr.includes(message)]).toEqual([true, true]);
  });

  it('J12: masks them everywhere, until it is undone', async () => {
    const { code, stdout } = await fuel('forget', '--secrets', '--yes', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { masked: [LEAKY], left: [], failed: [], is_settled: true }]);
    expect(await exported()).toContain('[secret:github-token] is my token');
    expect(await exported()).not.toMatch(/ghp_/);
    await using mcp = await connectMcp({ env, cwd: home, args: ['--raw'] });
    const { text } = await mcp.call('read_session', { session: LEAKY });
    expect([text.includes('[secret:github-token]'), text.includes('ghp_')]).toEqual([true, false]);
    expect((await fuel('forget', '--secrets')).stdout).toContain('No secrets found in 2 sessions.');
    expect(JSON.parse((await fuel('forget', '--list', '--json')).stdout)).toMatchObject({
      masked: [{ session_id: LEAKY, is_settled: true }],
    });
    expect((await fuel('forget', '--undo', LEAKY.slice(0, 6))).code).toBe(0);
    expect(await exported()).toContain(tokenFor('prompt'));
  });

  it('masks everything from the start with maskSecrets', async () => {
    const other = { ...env, FUEL_CODE_HOME: join(home, 'masked'), FUEL_CODE_MASK_SECRETS: 'true' };
    await runProgram(['backfill'], { env: other });
    const { stdout } = await runProgram(['session', LEAKY, '--export', 'json', '--raw'], { env: other });
    expect([stdout.includes('[secret:github-token] is my token'), stdout.includes('ghp_')]).toEqual([true, false]);
    expect((await runProgram(['forget', '--secrets', '--dry-run'], { env: other })).stdout).toContain(
      'No secrets found',
    );
  });
});
