import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { configFileOf, loadConfig, OPTIONS, writeOption } from './config.ts';

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

  it('an API key in the environment enables nothing', () => {
    const { config } = withFile('{}', { ANTHROPIC_API_KEY: 'not-a-real-key' });
    expect([config.anthropicApiKey, config.summaries]).toEqual(['not-a-real-key', 'narrative']);
  });

  it('takes amounts and lists from the environment', () => {
    const env = { SUMMARY_MAX_USD_PER_DAY: '0.25', FUEL_CODE_REDACT: 'acme_*, Bluebird', FUEL_CODE_SUMMARIES: 'ai' };
    const { config } = withFile('{}', env);
    expect([config.summaryMaxUsdPerDay, config.redact, config.summaries]).toEqual([0.25, ['acme_*', 'Bluebird'], 'ai']);
  });

  it('treats an empty variable as not set', () => {
    expect(withFile('{}', { DATABASE_URL: '' }).config.databaseUrl).toBeNull();
  });

  it.each([
    ['{"port": 70000}', /port in config\.json must be a port number/],
    ['{"prot": 1}', /Unknown setting "prot" in/],
    ['[]', /not a JSON object/],
    ['{', /not a JSON object/],
    ['{"openBrowser": "maybe"}', /true or false/],
    ['{"logLevel": "loud"}', /debug, info, warn, error/],
    ['{"summaries": "yes"}', /narrative or ai/],
    ['{"summaryMaxInputTokens": 0}', /a positive whole number/],
    ['{"summaryMaxUsdPerDay": "-1"}', /a number that is not negative/],
    ['{"redact": [1]}', /must be a list of texts/],
    ['{"databaseUrl": "shop"}', /databaseUrl in config\.json must be a PostgreSQL URL/],
  ])('reports the error in %s', (text, sentence) => {
    expect(() => withFile(text)).toThrow(sentence);
  });

  it('J11: never shows a secret in a message', () => {
    expect(() => withFile('{"s3SecretAccessKey": 12345}')).toThrow(/^(?!.*12345)/);
  });

  it('has one environment variable for each setting', () => {
    const names = Object.values(OPTIONS).map(({ env }) => env);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('editing the configuration file', () => {
  const path = configFileOf({ FUEL_CODE_HOME: home });
  const edited = (text: string, key: string, value: string | null) => {
    writeFileSync(path, text);
    writeOption(path, key, value);
    return JSON.parse(readFileSync(path, 'utf8'));
  };

  it('stores values with their type and keeps everything else, unknown keys included', () => {
    expect(edited('{"later": {"a": 1}, "port": 1}', 'port', '5000')).toEqual({ later: { a: 1 }, port: 5000 });
    expect(edited('{}', 'redact', 'acme_*, Bluebird')).toEqual({ redact: ['acme_*', 'Bluebird'] });
    expect(edited('{}', 'openBrowser', 'false')).toEqual({ openBrowser: false });
    expect(edited('{"later": 1, "port": 1}', 'port', null)).toEqual({ later: 1 });
  });

  it('writes a file that only its owner can read', () => {
    rmSync(path, { force: true });
    writeOption(path, 's3Region', 'eu-west-1');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(loadConfig({ FUEL_CODE_HOME: home }).config.s3Region).toBe('eu-west-1');
  });

  it.each([
    ['prot', '1', /Unknown setting "prot"/],
    ['port', 'many', /port must be a port number/],
    ['home', '/data', /home cannot be set in the configuration file/],
    ['s3SecretAccessKey', '', /s3SecretAccessKey requires a value/],
  ])('rejects %s = %s and leaves the file alone', (key, value, sentence) => {
    writeFileSync(path, '{"port": 1}');
    expect(() => writeOption(path, key, value)).toThrow(sentence);
    expect(readFileSync(path, 'utf8')).toBe('{"port": 1}');
  });

  it('reads a file that starts with a byte order mark', () => {
    writeFileSync(path, '\uFEFF{"port": 1}');
    writeOption(path, 'port', '2');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ port: 2 });
  });

  it('names a folder that is in the place of the file', () => {
    const folder = `${path}.d`;
    mkdirSync(folder);
    expect(() => writeOption(folder, 'port', '2')).toThrow(expect.objectContaining({ code: 'EISDIR', path: folder }));
  });

  it('rejects a file that is not a JSON object instead of replacing it', () => {
    writeFileSync(path, '{"port": 1');
    expect(() => writeOption(path, 'port', '2')).toThrow(/not a JSON object/);
    expect(readFileSync(path, 'utf8')).toBe('{"port": 1');
  });
});
