import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type GitHooksOptions,
  installGitHooks,
  readGitHooks,
  uninstallGitHooks,
} from '../../src/capture/git/git-hooks.ts';
import { addBlock, GIT_HOOKS, hookBlock, readHookText, removeBlock } from '../../src/capture/git/hook-block.ts';
import { createGitRunner } from '../../src/capture/git/run-git.ts';
import { readName } from '../../src/capture/spool/entry-files.ts';
import { createGitSandbox, type GitSandbox } from '../support/git-sandbox.ts';

const git = createGitRunner({ searchPath: process.env.PATH ?? '' });

let box: GitSandbox;
let home = '';
let repo = '';
beforeEach(() => {
  box = createGitSandbox();
  home = join(box.path, `it's "home" é`);
  mkdirSync(home);
  repo = box.init('shop');
});
afterEach(() => box[Symbol.dispose]());

const options = (folder = repo): GitHooksOptions => ({ folder, home, git });
const states = async (folder = repo) => (await readGitHooks(options(folder))).hooks.map(({ state }) => state);

interface Note {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly cwd: string;
  readonly args: readonly string[];
}

/** The contents of the spool, oldest first; empties the spool. */
function takeNotes(): Note[] {
  const spool = join(home, 'spool');
  const names = readdirSync(spool).toSorted();
  const notes = names.map((name) => {
    expect(readName(name), name).toMatchObject({ kind: 'entry' });
    expect(statSync(join(spool, name)).mode & 0o077).toBe(0);
    return JSON.parse(readFileSync(join(spool, name), 'utf8')) as Note;
  });
  for (const name of names) rmSync(join(spool, name));
  return notes;
}

function writeHook(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

describe('git hooks', () => {
  it('record commits, checkouts, merges and pushes silently', async () => {
    await installGitHooks(options());
    expect(await states()).toEqual(['installed', 'installed', 'installed', 'installed']);
    box.git(box.path, 'init', '-q', '--bare', 'there.git');
    box.git(repo, 'remote', 'add', 'origin', join(box.path, 'there.git'));
    const from = box.git(repo, 'rev-parse', 'HEAD');
    box.git(repo, 'checkout', '-q', '-b', 'feature');
    box.commit(repo, 'x');
    box.git(repo, 'checkout', '-q', 'main');
    box.git(repo, 'checkout', '-q', '--', 'first.txt');
    box.git(repo, 'merge', '-q', 'feature');
    expect(box.git(repo, 'push', 'origin', 'main')).toBe('');
    const notes = takeNotes();
    expect(notes.map((note) => [note.hook_event_name, note.args])).toEqual([
      ['GitPostCheckout', [from, from]],
      ['GitPostCommit', []],
      ['GitPostCheckout', [expect.stringMatching(/^[0-9a-f]{40}$/), from]],
      ['GitPostMerge', ['0']],
      ['GitPrePush', ['origin']],
    ]);
    for (const { cwd, session_id } of notes) expect([cwd, session_id]).toEqual([repo, 'no-session']);
  });

  it('record the session of the client that runs git, but no address of a remote', async () => {
    await installGitHooks(options());
    const run = (env: Record<string, string>, ...args: string[]) =>
      spawnSync(join(repo, '.git/hooks/pre-push'), args, { cwd: repo, env: { PATH: '/usr/bin:/bin', ...env } });
    run({ CLAUDE_CODE_SESSION_ID: 'abc-1' }, 'https://ada:SECRET@host/x', 'https://ada:SECRET@host/x');
    run({ CLAUDE_CODE_SESSION_ID: '"; touch x' }, 'up/stream', 'git@host:x');
    run({ CLAUDE_CODE_SESSION_ID: '-o' }, './elsewhere', './elsewhere');
    expect(takeNotes()).toMatchObject([
      { session_id: 'abc-1', args: [] },
      { session_id: 'no-session', args: ['up/stream'] },
      { session_id: 'no-session', args: [] },
    ]);
  });

  it('run in dash and bash with every option', async () => {
    for (const shell of ['dash', 'bash', 'bash --posix', 'sh -eu', 'bash -euxo pipefail']) {
      const script = join(box.path, 'hook');
      writeFileSync(script, `#!/bin/sh\n${hookBlock('post-commit', home)}exit 7\n`);
      mkdirSync(join(home, 'spool'), { recursive: true });
      const [program = '', ...flags] = shell.split(' ');
      const { status, stdout, stderr } = spawnSync(program, [...flags, script], { cwd: repo, encoding: 'utf8' });
      expect([shell, status, stdout]).toEqual([shell, 7, '']);
      if (!flags.some((flag) => flag.includes('x'))) expect(stderr).toBe('');
      expect(takeNotes(), shell).toMatchObject([{ hook_event_name: 'GitPostCommit', cwd: repo }]);
    }
  });
});

describe('K1: existing hooks', () => {
  const LOG = 'log="$(git rev-parse --show-toplevel)/.git/ran"; echo "$(basename "$0") $*" >>"$log"';

  /** Runs a fixed series of git commands and returns the hooks that ran, in order. */
  function work(name: string): string {
    rmSync(join(repo, '.git/ran'), { force: true });
    box.git(repo, 'checkout', '-q', '-b', name);
    box.commit(repo, name);
    box.git(repo, 'checkout', '-q', 'main');
    box.git(repo, 'merge', '-q', '--no-ff', '-m', 'join', name);
    const ran = existsSync(join(repo, '.git/ran')) ? readFileSync(join(repo, '.git/ran'), 'utf8') : '';
    return ran.replaceAll(/[0-9a-f]{40}/g, 'sha');
  }

  it.each([
    ['scripts of one’s own', 'ls >/dev/null\n'],
    ['the script of lefthook', 'call_lefthook() { :; }\ncall_lefthook run "post-commit" "$@"\n'],
    ['the script of pre-commit, which ends in exec', 'exec true "$@"\n'],
    ['scripts that end in exit', 'exit 0\n'],
  ])('%s run as before, with ours and after its removal', async (_, tail) => {
    for (const name of ['pre-commit', 'post-commit', 'post-checkout', 'post-merge', 'commit-msg']) {
      writeHook(join(repo, '.git/hooks'), name, `#!/bin/sh\n${LOG}\n${tail}`);
    }
    const before = readFileSync(join(repo, '.git/hooks/post-commit'));
    const ran = work('one');
    expect(ran.split('\n').length).toBeGreaterThan(5);
    await installGitHooks(options());
    expect(work('one2').replaceAll('one2', 'one')).toBe(ran);
    expect(takeNotes().length).toBeGreaterThan(3);
    await installGitHooks(options());
    await uninstallGitHooks(options());
    expect(readFileSync(join(repo, '.git/hooks/post-commit'))).toEqual(before);
    expect(work('one3').replaceAll('one3', 'one')).toBe(ran);
    expect(takeNotes()).toEqual([]);
  });

  it('core.hooksPath is never written, and a folder outside the repository is left alone', async () => {
    const shared = join(box.path, 'shared-hooks');
    writeHook(shared, 'post-commit', `#!/bin/sh\n${LOG}\n`);
    const config = () => readFileSync(join(repo, '.git/config'), 'utf8');
    const bare = config();
    await installGitHooks(options());
    await uninstallGitHooks(options());
    expect(config()).toBe(bare);
    box.git(repo, 'config', 'core.hooksPath', shared);
    await expect(installGitHooks(options())).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('outside'),
    });
    expect(readdirSync(shared)).toEqual(['post-commit']);
    expect(readdirSync(join(repo, '.git/hooks')).filter((name) => !name.endsWith('.sample'))).toEqual([]);
  });

  it('husky’s folder and versioned folders are left alone; an ignored folder may be used', async () => {
    box.git(repo, 'config', 'core.hooksPath', '.husky/_');
    writeHook(join(repo, '.husky/_'), 'post-commit', `#!/bin/sh\n${LOG}\n`);
    await expect(installGitHooks(options())).rejects.toMatchObject({ message: expect.stringContaining('husky') });
    box.git(repo, 'config', 'core.hooksPath', 'team-hooks');
    writeHook(join(repo, 'team-hooks'), 'post-commit', `#!/bin/sh\n${LOG}\n`);
    await expect(installGitHooks(options()), 'not tracked yet').rejects.toMatchObject({
      message: expect.stringContaining('part of the project'),
    });
    box.git(repo, 'add', 'team-hooks');
    await expect(installGitHooks(options())).rejects.toMatchObject({ code: 'usage' });
    box.git(repo, 'config', 'core.hooksPath', 'my-hooks');
    writeFileSync(join(repo, '.git/info/exclude'), 'my-hooks/\n');
    expect((await installGitHooks(options())).hooks_folder).toBe(join(repo, 'my-hooks'));
    box.commit(repo, 'x');
    expect(takeNotes()).toMatchObject([{ hook_event_name: 'GitPostCommit' }]);
    box.git(repo, 'config', '--unset', 'core.hooksPath');
    await uninstallGitHooks(options());
    box.git(repo, 'config', 'core.hooksPath', 'my-hooks');
    await uninstallGitHooks(options());
    expect(readdirSync(join(repo, 'my-hooks'))).toEqual([]);
  });

  it('hooks that are not shell scripts, are disabled or are elsewhere are rejected as a whole', async () => {
    const hooks = join(repo, '.git/hooks');
    const cases: Record<string, () => void> = {
      python: () => writeHook(hooks, 'pre-push', '#!/usr/bin/env python3\nprint(1)\n'),
      node: () => writeHook(hooks, 'pre-push', '#!/usr/bin/node\n'),
      binary: () => writeHook(hooks, 'pre-push', '\u007fELF\0\u0001'),
      polyglot: () => writeHook(hooks, 'pre-push', `#!/bin/sh\n''''exec python3 "$0" "$@" #'''\n`),
      off: () => chmodSync(writeHook(hooks, 'pre-push', '#!/bin/sh\nexit 1\n'), 0o644),
      link: () => symlinkSync(box.write('scripts/pre-push', '#!/bin/sh\n'), join(hooks, 'pre-push')),
      folder: () => mkdirSync(join(hooks, 'pre-push')),
      damaged: () => writeHook(hooks, 'pre-push', '#!/bin/sh\n# >>> fuel-code >>> x\n'),
    };
    for (const [name, prepare] of Object.entries(cases)) {
      rmSync(join(hooks, 'pre-push'), { recursive: true, force: true });
      prepare();
      await expect(installGitHooks(options()), name).rejects.toMatchObject({ code: 'usage' });
      expect(await states(), name).toEqual(['absent', 'absent', 'absent', 'absent']);
    }
    await expect(installGitHooks(options(box.path))).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('K2: a hook that fails', () => {
  it.each(['exit 1', 'exit 2', 'exit 130', 'false', 'kill -9 $$', 'kill -INT $$', 'true', 'exit'])(
    'by `%s` fails the same way',
    async (last) => {
      const path = writeHook(join(repo, '.git/hooks'), 'pre-push', `#!/bin/sh\necho out; echo err >&2\n${last}\n`);
      const run = () => {
        const { status, signal, stdout, stderr } = spawnSync(path, ['origin', 'x'], { cwd: repo, encoding: 'utf8' });
        return { status, signal, stdout, stderr };
      };
      const before = run();
      await installGitHooks(options());
      expect(run()).toEqual(before);
      expect(takeNotes()).toHaveLength(1);
    },
  );

  it('still stops a push', async () => {
    box.git(box.path, 'init', '-q', '--bare', 'there.git');
    box.git(repo, 'remote', 'add', 'origin', join(box.path, 'there.git'));
    writeHook(join(repo, '.git/hooks'), 'pre-push', '#!/bin/sh\nexit 1\n');
    await installGitHooks(options());
    expect(() => box.git(repo, 'push', 'origin', 'main')).toThrow(/failed to push/);
  });
});

describe('K3: a hook that reads its input', () => {
  it.each([
    'refs/heads/main sha refs/heads/main sha\n',
    '%s %% \\n \\',
    'no end',
    '',
    '\0\u0001\n\n',
    'x'.repeat(200_000),
  ])('reads %j to the last byte', async (input) => {
    const path = writeHook(join(repo, '.git/hooks'), 'pre-push', '#!/bin/sh\nexec sha256sum\n');
    await installGitHooks(options());
    const { stdout } = spawnSync(path, ['origin', 'x'], { cwd: repo, input, encoding: 'utf8' });
    expect(stdout.split(' ')[0]).toBe(createHash('sha256').update(input).digest('hex'));
  });
});

describe('K4: large commits', () => {
  it('a commit of 1,000 files takes the same steps as a commit of one', async () => {
    await installGitHooks(options());
    const path = join(repo, '.git/hooks/post-commit');
    const steps = () => {
      const trace = join(box.path, 'trace');
      const script = `exec 9>"$1"; BASH_XTRACEFD=9 bash -x "$2"`;
      execFileSync('bash', ['-c', script, 'bash', trace, path], { cwd: repo });
      const lines = readFileSync(trace, 'utf8').split('\n');
      expect(lines.length).toBeGreaterThan(10);
      return lines.length;
    };
    box.commit(repo, 'one');
    takeNotes();
    const small = steps();
    for (let n = 0; n < 1_000; n++) writeFileSync(join(repo, `f${n}`), '');
    box.git(repo, 'add', '.');
    box.git(repo, 'commit', '-q', '-m', 'many');
    takeNotes();
    expect(steps()).toBe(small);
  });

  it('stop adding notes when nobody reads them', async () => {
    await installGitHooks(options());
    for (let n = 0; n < 2_000; n++) writeFileSync(join(home, 'spool', `1700000000000-1-${n}.json`), '');
    box.commit(repo, 'x');
    expect(readdirSync(join(home, 'spool'))).toHaveLength(2_000);
  });
});

describe('K5: after fuel-code was removed', () => {
  it.each(['the data folder', 'the spool', 'the spool, a link', 'the environment'])(
    'without %s, the hook behaves as if fuel-code were not installed',
    async (what) => {
      const path = writeHook(join(repo, '.git/hooks'), 'post-commit', '#!/bin/sh\necho own\nexit 3\n');
      await installGitHooks(options());
      if (what === 'the data folder') rmSync(home, { recursive: true });
      if (what.startsWith('the spool')) rmSync(join(home, 'spool'), { recursive: true });
      if (what.endsWith('link')) symlinkSync(box.path, join(home, 'spool'));
      const files = readdirSync(box.path).length;
      const { status, stdout, stderr } = spawnSync('env', ['-i', path], { cwd: repo, encoding: 'utf8' });
      expect([status, stdout, stderr]).toEqual([3, 'own\n', '']);
      expect(readdirSync(box.path)).toHaveLength(files);
      if (what === 'the data folder') expect(existsSync(home)).toBe(false);
    },
  );
});

describe('K6: unusual repositories', () => {
  it('working trees share the hooks, submodules have their own, and each note names the right folder', async () => {
    box.git(repo, 'worktree', 'add', '-q', '../tree', '-b', 'fix');
    const tree = join(box.path, 'tree');
    await installGitHooks(options(tree));
    expect(await states(repo)).toEqual(['installed', 'installed', 'installed', 'installed']);
    box.commit(tree, 'x');
    box.commit(repo, 'y');
    const lib = box.init('lib');
    box.git(repo, 'submodule', '--quiet', 'add', lib, 'vendor');
    await installGitHooks(options(join(repo, 'vendor')));
    takeNotes();
    box.commit(tree, 'x2');
    box.commit(join(repo, 'vendor'), 'z');
    execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'from afar'], {
      cwd: '/',
      env: {
        PATH: process.env.PATH,
        GIT_DIR: join(repo, '.git'),
        GIT_WORK_TREE: repo,
        GIT_AUTHOR_NAME: 'a',
        GIT_AUTHOR_EMAIL: 'a',
        GIT_COMMITTER_NAME: 'a',
        GIT_COMMITTER_EMAIL: 'a',
      },
    });
    expect(takeNotes().map(({ cwd }) => cwd)).toEqual([tree, join(repo, 'vendor'), repo]);
  });

  it('work in a bare repository', async () => {
    box.git(box.path, 'init', '-q', '--bare', 'bare.git');
    const bare = join(box.path, 'bare.git');
    rmSync(join(bare, 'hooks'), { recursive: true });
    expect((await installGitHooks(options(bare))).hooks_folder).toBe(join(bare, 'hooks'));
    await uninstallGitHooks(options(bare));
    expect(readdirSync(join(bare, 'hooks'))).toEqual([]);
  });
});

describe('K7: hostile names', () => {
  it('a folder of any name is recorded unchanged or not at all, and executes nothing', async () => {
    await installGitHooks(options());
    const names = ['$(touch x)', '`touch x`', '"; touch x; "', 'a\\b\\\\"c"', '-o', "it's", 'é😀', ' * ', '%s%n'];
    for (const name of names) {
      const moved = join(box.path, name);
      renameSync(repo, moved);
      repo = moved;
      box.git(repo, 'checkout', '-q', '-b', `branch-$(touch-x)-${names.indexOf(name)}`);
      expect(takeNotes().map(({ cwd }) => cwd)).toEqual([moved]);
      expect(box.git(repo, 'status', '--porcelain')).toBe('');
    }
    renameSync(repo, join(box.path, 'line\nbreak'));
    repo = join(box.path, 'line\nbreak');
    box.git(repo, 'checkout', '-q', 'main');
    expect(takeNotes()).toEqual([]);
  });
});

describe('K8: uninstalling', () => {
  it('removes only our lines after an edit', async () => {
    const path = writeHook(join(repo, '.git/hooks'), 'post-commit', '#!/bin/sh\necho one\n');
    chmodSync(path, 0o710);
    await installGitHooks(options());
    const text = readFileSync(path, 'latin1');
    writeFileSync(path, Buffer.from(`${text.replace('echo one', 'echo two')}\u00ff more`, 'latin1'));
    await uninstallGitHooks(options());
    expect(readFileSync(path, 'latin1')).toBe('#!/bin/sh\necho two\n\u00ff more');
    expect(lstatSync(path).mode & 0o777).toBe(0o710);
    expect(readdirSync(join(repo, '.git/hooks')).filter((name) => !name.endsWith('.sample'))).toEqual(['post-commit']);
  });

  it('keeps a hook that someone added lines to', async () => {
    await installGitHooks(options());
    const path = join(repo, '.git/hooks/post-merge');
    writeFileSync(path, `${readFileSync(path, 'utf8')}echo mine\n`);
    await uninstallGitHooks(options());
    expect(readFileSync(path, 'utf8')).toBe('#!/bin/sh\n# Made by fuel-code.\necho mine\n');
  });

  it('replaces an older block, or one for another data folder, in place', async () => {
    await installGitHooks({ ...options(), home: join(box.path, 'other') });
    expect(await states()).toEqual(['outdated', 'outdated', 'outdated', 'outdated']);
    await installGitHooks(options());
    expect(await states()).toEqual(['installed', 'installed', 'installed', 'installed']);
    await uninstallGitHooks(options());
    expect(await states()).toEqual(['absent', 'absent', 'absent', 'absent']);
  });

  it('restores every byte of any hook', () => {
    const part = fc.constantFrom(
      '#!/bin/sh',
      '#!/usr/bin/env bash',
      '\n',
      '\r\n',
      'exit 0',
      '# x',
      ' ',
      'exec "$@"',
      '\u00e9',
    );
    const text = fc.oneof(
      fc.array(part).map((parts) => parts.join('')),
      fc.string({ unit: 'binary-ascii' }),
    );
    const name = fc.constantFrom(...(Object.keys(GIT_HOOKS) as (keyof typeof GIT_HOOKS)[]));
    fc.assert(
      fc.property(text, name, (before, hook) => {
        if (readHookText(before).kind !== 'shell') return;
        const block = hookBlock(hook, '/h');
        const once = addBlock(before, block);
        expect(addBlock(once, block)).toBe(once);
        expect(removeBlock(once)).toBe(before);
        expect(once).toContain(block.trimEnd());
      }),
    );
  });
});
