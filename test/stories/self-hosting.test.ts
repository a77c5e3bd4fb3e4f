import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rawRequest, statusOf } from '../browser/support/raw-request.ts';
import { type Run, runProgram, startProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fuel-code-host-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const environment = (more: Record<string, string>) => ({
  FUEL_CODE_HOME: home,
  CLAUDE_CONFIG_DIR: join(home, 'nowhere'),
  FUEL_CODE_PORT: '0',
  ...more,
});

describe('H7: a server for other machines', () => {
  it('listens only locally until its public name is configured', async () => {
    const { code, stderr } = await runProgram(['start', '--no-open'], {
      env: environment({ FUEL_CODE_HOST: '0.0.0.0' }),
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/0\.0\.0\.0 requires allowedHosts/);
  });

  it('H1: answers only under its own names and to its own pages', async () => {
    const env = environment({ FUEL_CODE_HOST: '0.0.0.0', FUEL_CODE_ALLOWED_HOSTS: 'fuel.example.org, 10.0.0.2:4680' });
    const child = startProgram(['start', '--no-open'], { env });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    try {
      let printed = '';
      child.stdout.on('data', (chunk) => (printed += chunk));
      await until(() => expect(printed).toMatch(/:\d+\//));
      const port = Number(/:(\d+)\//.exec(printed)?.[1]);
      const token = readFileSync(join(home, 'token'), 'utf8').trim();
      const ask = async (host: string, ...headers: string[]) => {
        const lines = [`Host: ${host}`, `Authorization: Bearer ${token}`, ...headers, 'Connection: close'];
        return statusOf(await rawRequest(port, `GET /api/status HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`));
      };
      expect(await ask('fuel.example.org')).toBe(200);
      expect(await ask('10.0.0.2:4680')).toBe(200);
      expect(await ask(`127.0.0.1:${port}`)).toBe(200);
      for (const stranger of [
        'evil.example',
        'fuel.example.org.evil.example',
        '10.0.0.2',
        `fuel.example.org:${port}`,
        '0.0.0.0',
      ])
        expect([stranger, await ask(stranger)]).toEqual([stranger, 403]);
      expect(await ask('fuel.example.org', 'Origin: https://fuel.example.org')).toBe(200);
      expect(await ask('fuel.example.org', 'Origin: https://evil.example')).toBe(403);
      expect(await ask(`127.0.0.1:${port}`, `Origin: https://127.0.0.1:${port}`)).toBe(403);
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  });
});

/** The server as a separate process, until the test ends. */
async function withServer(test: (server: { readonly url: string; readonly token: string }) => Promise<void>) {
  const child = startProgram(['start', '--no-open'], { env: environment({}) });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  try {
    let printed = '';
    child.stdout.on('data', (chunk) => (printed += chunk));
    await until(() => expect(printed).toMatch(/#token=\w+\n/));
    const [, url = '', token = ''] = /(http:\S+)\/#token=(\w+)/.exec(printed) ?? [];
    await test({ url, token });
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

describe('a server used from another machine', () => {
  it('needs only its address and token', async () => {
    const elsewhere = join(home, 'elsewhere');
    let known: Record<string, string> = {};
    const refusals: Run[] = [];
    await withServer(async ({ url, token }) => {
      known = { FUEL_CODE_HOME: elsewhere, FUEL_CODE_SERVER_URL: url, FUEL_CODE_SERVER_TOKEN: token };
      const status = await runProgram(['status', '--remote', '--json'], { env: known });
      expect(JSON.parse(status.stdout)).toMatchObject({ data_home: home, sessions: 0 });
      const sessions = await runProgram(['sessions', '--server', url], { env: { ...known, FUEL_CODE_SERVER_URL: '' } });
      expect(sessions).toEqual({ code: 0, stdout: 'The server has no sessions yet.\n', stderr: '' });
      const wrong = { ...known, FUEL_CODE_SERVER_TOKEN: 'ab'.repeat(32) };
      refusals.push(await runProgram(['cost', '--remote'], { env: wrong }));
      refusals.push(await runProgram(['doctor', '--remote'], { env: known }));
    });
    refusals.push(await runProgram(['tools', '--remote'], { env: known }));
    expect(refusals.map(({ code }) => code)).toEqual([4, 2, 6]);
    for (const { stderr } of refusals) {
      expect(stderr).toMatch(/^fuel-code: [^\n]+\.\n[^\n]+[.?]\n$/);
      expect(stderr).not.toMatch(/[0-9a-f]{64}/);
    }
    expect(existsSync(elsewhere)).toBe(false);
  });
});
