import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rawRequest, statusOf } from '../browser/support/raw-request.ts';
import { runProgram, startProgram } from '../support/run-program.ts';

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
  it('does not listen beyond its own while nobody says what it is called there', async () => {
    const { code, stderr } = await runProgram(['start', '--no-open'], {
      env: environment({ FUEL_CODE_HOST: '0.0.0.0' }),
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/0\.0\.0\.0.*names[\s\S]*allowedHosts/);
  });

  it('H1: answers under its names and no other, and to pages of its own only', async () => {
    const env = environment({ FUEL_CODE_HOST: '0.0.0.0', FUEL_CODE_ALLOWED_HOSTS: 'fuel.example.org, 10.0.0.2:4680' });
    const child = startProgram(['start', '--no-open'], { env });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    try {
      let printed = '';
      child.stdout.on('data', (chunk) => (printed += chunk));
      await vi.waitFor(() => expect(printed).toMatch(/:\d+\//), { timeout: 60_000 });
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
