import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadedModules } from '../support/loaded-modules.ts';
import { runProgram } from '../support/run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'fuel-code-hot-'));
afterAll(() => rmSync(folder, { recursive: true }));

const env = { FUEL_CODE_HOME: join(folder, 'data'), CLAUDE_CONFIG_DIR: join(folder, 'claude') };
/** HTTP, request schemas, the other engine, the other archive, the parser. */
const HEAVY =
  /\/node_modules\/(?:zod|hono|@hono|pg|@aws-sdk|@modelcontextprotocol)\/|\/src\/(?:client|api|mcp|ship|cli\/remote|transcript\/parser\.ts)\b/;

/** At the top level of a module. V8 builds the sets of such characters whenever it creates the pattern. */
const UNICODE_PATTERN = /^(?:export )?(?:const|let) .*\\p\{/m;

const NOT_FOR_A_STATUS_LINE =
  /\/node_modules\/(?!get-east-asian-width)|\/src\/(?:archive|pipeline|ingest|search|redact|summary)\/|\/src\/store\/(?!location|open-for-status-line|sqlite\/status-line|queries\/usage\/status-figures)/;

describe('hot paths do little', () => {
  it.each(['sessions', 'session --help', 'tools', 'cost', 'stats'])(
    'fuel-code %s loads nothing heavy',
    async (line) => {
      const modules = await loadedModules(line.split(' '), { env, folder });
      expect(modules.some((module) => module.includes('/src/cli/'))).toBe(true);
      expect(modules.filter((module) => HEAVY.test(module))).toEqual([]);
    },
  );

  it.each(['sessions', 'cost'])('fuel-code %s creates no pattern with Unicode classes', async (name) => {
    const modules = await loadedModules([name], { env, folder });
    const sources = modules.flatMap((module) => /^(?:file:\/\/)?(\/.*\/src\/.*\.ts)$/.exec(module)?.[1] ?? []);
    expect(sources).not.toEqual([]);
    expect(sources.filter((path) => UNICODE_PATTERN.test(readFileSync(path, 'utf8')))).toEqual([]);
  });

  it('fuel-code statusline loads neither the query builder nor the rest of the store', async () => {
    const modules = await loadedModules(['statusline'], { env, folder });
    expect(modules.some((module) => module.includes('/src/app/statusline/'))).toBe(true);
    expect(modules.filter((module) => HEAVY.test(module) || NOT_FOR_A_STATUS_LINE.test(module))).toEqual([]);
  });
});

describe('compiled code of quick commands', () => {
  const NODE_COMPILE_CACHE = join(folder, 'compiled');
  const list = () => runProgram(['sessions', '--json'], { env: { ...env, NODE_COMPILE_CACHE } });
  const find = () =>
    readdirSync(NODE_COMPILE_CACHE, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.includes('fuel-code-sessions-'))
      .map((path) => join(NODE_COMPILE_CACHE, path));

  it('is kept for the next run, and replaced if it is truncated or invalid', async () => {
    const first = await list();
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const [path = '', ...others] = find();
    expect(others).toEqual([]);
    const { ino, size } = statSync(path);
    expect(await list()).toEqual(first);
    expect(statSync(path).ino).toBe(ino);
    for (const damage of [() => truncateSync(path, size / 2), () => writeFileSync(path, 'something else')]) {
      damage();
      expect(await list()).toEqual(first);
      expect(find()).toEqual([path]);
      expect(statSync(path).size).toBeGreaterThan(size / 2);
    }
  });

  it('is not kept when caching is disabled', async () => {
    rmSync(NODE_COMPILE_CACHE, { recursive: true });
    const { code } = await runProgram(['sessions'], {
      env: { ...env, NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE: '1' },
    });
    expect(code).toBe(0);
    expect(() => find()).toThrow(/ENOENT/);
  });
});
