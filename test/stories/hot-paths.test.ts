import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadedModules } from '../support/loaded-modules.ts';

const folder = mkdtempSync(join(tmpdir(), 'fuel-code-hot-'));
afterAll(() => rmSync(folder, { recursive: true }));

const env = { FUEL_CODE_HOME: join(folder, 'data'), CLAUDE_CONFIG_DIR: join(folder, 'claude') };
/** HTTP, the schemas of requests, the other engine, the other archive, the reader. */
const HEAVY =
  /\/node_modules\/(?:zod|hono|@hono|pg|@aws-sdk|@modelcontextprotocol)\/|\/src\/(?:client|api|mcp|ship|cli\/remote|transcript\/parser\.ts)\b/;

const NOT_FOR_A_STATUS_LINE =
  /\/node_modules\/(?!get-east-asian-width)|\/src\/(?:archive|pipeline|ingest|search|redact|summary)\/|\/src\/store\/(?!sqlite\/ask|queries\/usage\/status-figures)/;

describe('hot paths do little', () => {
  it.each(['sessions', 'session --help', 'tools', 'cost', 'stats'])(
    'fuel-code %s loads nothing heavy',
    async (line) => {
      const modules = await loadedModules(line.split(' '), { env, folder });
      expect(modules.some((module) => module.includes('/src/cli/'))).toBe(true);
      expect(modules.filter((module) => HEAVY.test(module))).toEqual([]);
    },
  );

  it('fuel-code statusline loads neither the query builder nor the rest of the store', async () => {
    const modules = await loadedModules(['statusline'], { env, folder });
    expect(modules.some((module) => module.includes('/src/app/statusline/'))).toBe(true);
    expect(modules.filter((module) => HEAVY.test(module) || NOT_FOR_A_STATUS_LINE.test(module))).toEqual([]);
  });
});
