import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { LAUNCHER, runProgram } from '../support/run-program.ts';
import { size } from '../support/sizes.ts';

const ROOT = join(dirname(LAUNCHER), '..');
const SESSIONS = size('TWO_VERSIONS_SESSIONS', 10);

/** A second copy of the built program with a newer version, like npx beside a global installation. */
function copyProgram(folder: string): string {
  for (const name of ['bin', 'dist']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'fuel-code', version: '99.0.0' }));
  for (const name of readdirSync(join(folder, 'dist')).filter((file) => file.endsWith('.cjs'))) {
    const path = join(folder, 'dist', name);
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replaceAll(`\`${version}\``, '`99.0.0`').replaceAll(`"${version}"`, '"99.0.0"'),
    );
  }
  return join(folder, 'bin/fuel-code');
}

it('L8: two versions running at once share the work and damage nothing', async () => {
  using claude = createClaudeHome();
  for (let n = 0; n < SESSIONS; n++) {
    const id = `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`;
    claude.write(`-w/${id}.jsonl`, [createTalk(id, { prefix: `s${n}-` }).user(`Question ${n}`)]);
  }
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-versions-'));
  try {
    const newer = copyProgram(join(folder, 'newer'));
    const env = { FUEL_CODE_HOME: join(folder, 'home'), CLAUDE_CONFIG_DIR: claude.path };
    mkdirSync(env.FUEL_CODE_HOME, { mode: 0o700 });
    expect((await runProgram(['--version'], { launcher: newer })).stdout).toContain('99.0.0');
    const both = (words: readonly string[]) =>
      Promise.all([runProgram(words, { env }), runProgram(words, { env, launcher: newer })]);
    expect((await both(['worker', '--once'])).map(({ code }) => code)).toEqual([0, 0]);
    expect((await both(['backfill'])).map(({ code }) => code)).toEqual([0, 0]);
    using database = new DatabaseSync(join(env.FUEL_CODE_HOME, 'fuel.db'));
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    expect(database.prepare('SELECT count(*) AS n FROM sessions WHERE total_messages = 1').get()).toEqual({
      n: SESSIONS,
    });
    expect(database.prepare('SELECT count(*) AS n FROM generations').get()).toEqual({ n: SESSIONS });
  } finally {
    rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 100 });
  }
});
