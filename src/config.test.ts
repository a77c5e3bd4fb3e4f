import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig, OPTIONS } from './config.ts';

const home = mkdtempSync(join(tmpdir(), 'fuel-code-config-'));
afterAll(() => rmSync(home, { recursive: true }));

function withFile(text: string, env: Record<string, string> = {}) {
  writeFileSync(join(home, 'config.json'), text);
  return loadConfig({ FUEL_CODE_HOME: home, ...env });
}

describe('config', () => {
  it('takes the environment before the file before the default', () => {
    const { config, sources } = withFile('{"port": 5000, "s3Region": "eu"}', { FUEL_CODE_PORT: '6000' });
    expect([config.port, config.s3Region, config.logLevel]).toEqual([6000, 'eu', 'warn']);
    expect([sources.port, sources.s3Region, sources.logLevel]).toEqual(['environment', 'file', 'default']);
  });

  it('treats an empty variable as not set', () => {
    expect(withFile('{}', { DATABASE_URL: '' }).config.databaseUrl).toBeNull();
  });

  it.each([
    ['{"port": 70000}', /port in config\.json must be a port number/],
    ['{"prot": 1}', /"prot", which is no option/],
    ['[]', /not a JSON object/],
    ['{', /not a JSON object/],
    ['{"openBrowser": "maybe"}', /true or false/],
    ['{"logLevel": "loud"}', /debug, info, warn, error/],
  ])('says what is wrong with %s', (text, sentence) => {
    expect(() => withFile(text)).toThrow(sentence);
  });

  it('J11: never shows a secret in a sentence', () => {
    expect(() => withFile('{"s3SecretAccessKey": 12345}')).toThrow(/^(?!.*12345)/);
  });

  it('has one environment name for each option', () => {
    const names = Object.values(OPTIONS).map(({ env }) => env);
    expect(new Set(names).size).toBe(names.length);
  });
});
