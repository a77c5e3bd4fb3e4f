import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { runProgram } from '../support/run-program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const npm = (args: string[], cwd: string) =>
  run('npm', [...args, '--loglevel=error'], { cwd, maxBuffer: 64 * 1024 * 1024 });

let folder = '';
let files: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fuel-code-pack-'));
  const { stdout } = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT);
  const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  files = packed?.files.map(({ path }) => path) ?? [];
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  await npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', join(folder, packed?.filename ?? '')], folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the package as npm ships it', () => {
  it('L6: contains the program, the manual and nothing else', () => {
    const foreign = files.filter(
      (path) =>
        !/^(bin|dist|docs|plugin)\//.test(path) &&
        !['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'ARCHITECTURE.md'].includes(path),
    );
    expect(foreign).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining([
        'bin/fuel-code',
        'dist/main.cjs',
        'dist/background-import-thread.cjs',
        'dist/web/index.html',
        'plugin/.claude-plugin/plugin.json',
        'plugin/.mcp.json',
      ]),
    );
    expect(files.filter((path) => /\.test\.|fixtures|\.map$/.test(path))).toEqual([]);
  });

  it('lists every bundled package with its version', () => {
    const { components } = JSON.parse(readFileSync(join(ROOT, 'dist/sbom.cdx.json'), 'utf8')) as {
      components: { name: string; version: string }[];
    };
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version?: string }>;
    };
    expect(files).toContain('dist/sbom.cdx.json');
    expect(components.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['kysely', 'pg', 'hono', '@aws-sdk/client-s3', 'react', 'react-dom', 'scheduler']),
    );
    const versions = new Set(
      Object.entries(lock.packages).map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')} ${version}`),
    );
    expect(components.filter(({ name, version }) => !versions.has(`${name} ${version}`))).toEqual([]);
  });

  it('L1: runs after an install without scripts', async () => {
    using claude = createClaudeHome();
    const id = '11111111-2222-4333-8444-555555555555';
    claude.write(`-w/${id}.jsonl`, [createTalk(id).user('Hello.')]);
    const launcher = join(folder, 'node_modules/fuel-code/bin/fuel-code');
    const env = { FUEL_CODE_HOME: join(folder, 'data'), CLAUDE_CONFIG_DIR: claude.path };
    const version = await runProgram(['--version'], { launcher, cwd: folder });
    expect(version).toMatchObject({ code: 0, stderr: '' });
    const sessions = await runProgram(['sessions', '--json'], { launcher, env, cwd: folder });
    expect(JSON.parse(sessions.stdout)).toMatchObject({ sessions: [{ id, initial_prompt: 'Hello.' }] });
  });

  it('L4: has few dependencies', async () => {
    const { stdout } = await npm(['ls', '--all', '--parseable'], folder);
    const packages = stdout
      .trim()
      .split('\n')
      .filter((path) => dirname(path).includes('node_modules'));
    expect(packages.length).toBeLessThanOrEqual(3);
  });

  it('exports the transcript reader', async () => {
    const script = join(folder, 'use.js');
    writeFileSync(
      script,
      "import * as transcript from 'fuel-code/transcript'; console.log(typeof transcript.parseSession);",
    );
    const { stdout } = await run(process.execPath, [script], { cwd: folder });
    expect(stdout.trim()).toBe('function');
  });

  it('exports its types', async () => {
    const script = join(folder, 'typed.ts');
    const source = [
      "import { parseSession, priceUsage, type ParsedSession } from 'fuel-code/transcript';",
      'const parsed: Promise<ParsedSession> = parseSession("id", [], { block: () => {} }, { price: priceUsage });',
      'export const turns: Promise<number> = parsed.then((session) => session.turns.length);',
    ];
    writeFileSync(script, source.join('\n'));
    const options = [
      '--noEmit',
      '--strict',
      '--ignoreConfig',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
    ];
    const roots = ['--typeRoots', join(ROOT, 'node_modules/@types')];
    const compile = run(join(ROOT, 'node_modules/.bin/tsc'), [...options, ...roots, script], { cwd: folder });
    await expect(
      compile.then(
        ({ stdout }) => stdout,
        ({ stdout }) => stdout,
      ),
    ).resolves.toBe('');
  });
});
