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

  it('a key in the environment sends nothing anywhere', () => {
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
    ['{"prot": 1}', /"prot", which is no option/],
    ['[]', /not a JSON object/],
    ['{', /not a JSON object/],
    ['{"openBrowser": "maybe"}', /true or false/],
    ['{"logLevel": "loud"}', /debug, info, warn, error/],
    ['{"summaries": "yes"}', /narrative or ai/],
    ['{"summaryMaxInputTokens": 0}', /a whole number above 0/],
    ['{"summaryMaxUsdPerDay": "-1"}', /a number of 0 or more/],
    ['{"redact": [1]}', /must be texts/],
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
