import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { createGitSandbox } from '../support/git-sandbox.ts';
import { PROGRAMS, type Program } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

const idOf = (index: number) => `${String(index + 1).repeat(8)}-1111-4111-8111-111111111111`;

/** One session in each folder. */
async function importSessions(program: Program, home: ReturnType<typeof createClaudeHome>, folders: readonly string[]) {
  for (const [index, cwd] of folders.entries()) {
    const talk = createTalk(idOf(index), { prefix: String(index + 1).repeat(4) });
    home.write(`-${index}/${idOf(index)}.jsonl`, [{ ...talk.user('Mend it.'), cwd }]);
  }
  await using app = await program.open();
  await app.importNew();
}

describe.each(PROGRAMS)('git hooks of known repositories on $name', ({ create }) => {
  it('--all installs into every repository that sessions worked in, and leaves foreign hooks alone', async () => {
    using home = createClaudeHome();
    using box = createGitSandbox();
    await using program = await create(home.path);
    const [shop, docs, husky] = [box.init('shop'), box.init('docs'), box.init('husky')];
    const own = join(docs, '.git/hooks/post-commit');
    mkdirSync(join(docs, '.git/hooks'), { recursive: true });
    writeFileSync(own, '#!/bin/sh\necho mine\n');
    chmodSync(own, 0o755);
    box.git(husky, 'config', 'core.hooksPath', '.husky/_');
    mkdirSync(join(husky, '.husky/_'), { recursive: true });
    await importSessions(program, home, [shop, docs, husky, box.path]);
    const run = async (...words: string[]) => {
      const { out, error } = await runCommand(['git-hooks', ...words], {
        config: program.config,
        openApp: () => program.open(),
      });
      return { out, error };
    };

    const { repositories, refused } = JSON.parse((await run('install', '--all', '--json')).out);
    expect(repositories.map(({ repository }: { repository: string }) => repository)).toEqual([docs, shop]);
    expect(refused).toEqual([{ repository: husky, why: expect.stringContaining('husky') }]);
    expect(readFileSync(own, 'utf8')).toMatch(/fuel-code[\s\S]+echo mine\n$/);
    expect(box.git(shop, 'config', '--default', '', '--get', 'core.hooksPath')).toBe('');
    expect((await run('status', '--all')).out).toContain(`${husky}, hooks in`);
    await run('uninstall', '--all');
    expect(readFileSync(own, 'utf8')).toBe('#!/bin/sh\necho mine\n');
    expect(existsSync(join(shop, '.git/hooks/post-commit'))).toBe(false);
    expect((await run('install', '--all', shop)).error).toMatchObject({ code: 'usage' });
  });

  it('`workspace` mentions them once per workspace, at a terminal only', async () => {
    using home = createClaudeHome();
    using box = createGitSandbox();
    await using program = await create(home.path);
    const [shop, docs] = [box.init('shop'), box.init('docs')];
    box.git(docs, 'commit', '-q', '--allow-empty', '--amend', '-m', 'another first commit');
    await importSessions(program, home, [shop, docs]);
    const ask = async (name: string, isInteractive: boolean, ...words: string[]) => {
      const world = { config: program.config, openApp: () => program.open(), isInteractive };
      return (await runCommand(['workspace', name, '--no-import', ...words], world)).err;
    };
    expect(await ask('shop', false)).not.toContain('git-hooks');
    expect(await ask('shop', true, '--json')).not.toContain('git-hooks');
    expect(await ask('shop', true)).toContain('git-hooks install');
    expect(await ask('shop', true)).not.toContain('git-hooks');
    await runCommand(['git-hooks', 'install', docs], { config: program.config, openApp: () => program.open() });
    expect(await ask('docs', true)).not.toContain('git-hooks');
  });
});
