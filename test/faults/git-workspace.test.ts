import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findRepository, parseGitConfig } from '../../src/capture/git/repository.ts';
import { createGitRunner, type RunGit } from '../../src/capture/git/run-git.ts';
import { createWorkspaceResolver } from '../../src/capture/workspace.ts';
import type { RememberedFolder, ResolvedWorkspace } from '../../src/domain/workspace.ts';
import { anyCharacter } from '../support/any-character.ts';
import { createGitSandbox, type GitSandbox } from '../support/git-sandbox.ts';

const DEVICE = '01JDEVICE';
const runGit = createGitRunner({ searchPath: process.env.PATH ?? '' });

let box: GitSandbox;
let starts = 0;
const countingGit: RunGit = (...args) => {
  starts++;
  return runGit(...args);
};
beforeEach(() => {
  box = createGitSandbox();
  starts = 0;
});
afterEach(() => box[Symbol.dispose]());

const resolverOf = (remembered: readonly RememberedFolder[] = [], home = '/nonexistent') =>
  createWorkspaceResolver({ deviceId: DEVICE, remembered, git: countingGit, home });
const idOf = async (cwd: string, remembered: readonly RememberedFolder[] = []) =>
  (await resolverOf(remembered).resolve(cwd)).canonicalId;

/** Simulates the stored facts about folders that were resolved before. */
function remember(...resolved: readonly ResolvedWorkspace[]): RememberedFolder[] {
  return resolved.flatMap(({ folder, canonicalId, displayName }) =>
    folder === null ? [] : [{ ...folder, workspace: { canonicalId, displayName } }],
  );
}

describe('the workspace of a folder', () => {
  it('is its remote: origin, else the first by name, without starting git', async () => {
    const repo = box.init('shop');
    box.git(repo, 'remote', 'add', 'zebra', 'https://github.com/z/z');
    box.git(repo, 'remote', 'add', 'backup', 'https://ada:secret@GitHub.com/Ada/Shop-Copy.git');
    expect(await idOf(repo)).toBe('github.com/ada/shop-copy');
    box.git(repo, 'remote', 'add', 'origin', 'git@github.com:Ada/Shop.git');
    const found = await resolverOf().resolve(join(repo));
    expect(found).toMatchObject({ canonicalId: 'github.com/ada/shop', displayName: 'Shop' });
    expect(starts).toBe(0);
  });

  it('knows the default branch of a clone', async () => {
    const source = box.init('source');
    box.git(box.path, 'clone', '-q', source, 'clone');
    box.git(join(box.path, 'clone'), 'remote', 'set-url', 'origin', 'https://github.com/a/b');
    expect(await resolverOf().resolve(join(box.path, 'clone'))).toMatchObject({ defaultBranch: 'main' });
  });

  it('K6: is the same in every folder of every working tree', async () => {
    const repo = box.init('shop');
    box.git(repo, 'remote', 'add', 'origin', 'https://github.com/a/shop');
    box.git(repo, 'worktree', 'add', '-q', '../trees/fix', '-b', 'fix');
    mkdirSync(join(repo, 'src/deep'), { recursive: true });
    mkdirSync(join(box.path, 'trees/fix/lib'));
    const folders = [repo, join(repo, 'src/deep'), join(repo, '.git/hooks'), join(box.path, 'trees/fix/lib')];
    expect(await Promise.all(folders.map((folder) => idOf(folder)))).toEqual(folders.map(() => 'github.com/a/shop'));
    const { folder } = await resolverOf().resolve(join(box.path, 'trees/fix/lib'));
    expect(folder).toMatchObject({ root: join(box.path, 'trees/fix'), worktreeName: 'fix', isRepository: true });
    expect(findRepository(join(box.path, 'trees/fix/lib'))?.mainRoot).toBe(repo);
  });

  it('K6: a submodule is a separate repository', async () => {
    const lib = box.init('lib');
    const app = box.init('app');
    box.git(app, 'submodule', '--quiet', 'add', lib, 'vendor/lib');
    box.git(app, 'remote', 'add', 'origin', 'https://github.com/a/app');
    box.git(join(app, 'vendor/lib'), 'remote', 'set-url', 'origin', 'https://github.com/a/lib');
    expect(await idOf(join(app, 'vendor/lib'))).toBe('github.com/a/lib');
    expect(await idOf(join(app, 'vendor'))).toBe('github.com/a/app');
  });

  it('K6: bare repositories and their working trees are found', async () => {
    const source = box.init('source');
    box.git(box.path, 'clone', '-q', '--bare', source, 'shop.git');
    const bare = join(box.path, 'shop.git');
    box.git(bare, 'remote', 'set-url', 'origin', 'https://github.com/a/shop');
    box.git(bare, 'worktree', 'add', '-q', '../main-tree', 'main');
    expect(await idOf(bare)).toBe('github.com/a/shop');
    expect(await idOf(join(box.path, 'main-tree'))).toBe('github.com/a/shop');
  });

  it('K6: ignores GIT_DIR and similar variables of our own environment', async () => {
    const repo = box.init('plain');
    const other = box.init('other');
    const before = await idOf(repo);
    const set = { GIT_DIR: join(other, '.git'), GIT_WORK_TREE: other, GIT_OBJECT_DIRECTORY: '/nonexistent' };
    Object.assign(process.env, set);
    try {
      expect(await idOf(repo)).toBe(before);
    } finally {
      for (const name of Object.keys(set)) Reflect.deleteProperty(process.env, name);
    }
    expect(await idOf(other)).not.toBe(before);
  });

  it('without a remote is its first commit: the same in clones, after merges and renames', async () => {
    const repo = box.init('solo');
    const id = await idOf(repo);
    expect(id).toMatch(/^local:[0-9a-f]{64}$/);
    box.git(box.path, 'clone', '-q', repo, 'copy');
    expect(await idOf(join(box.path, 'copy'))).toBe(id);
    box.git(repo, 'checkout', '-q', '--orphan', 'stranger');
    box.at('2020-01-01T00:00:00Z');
    box.commit(repo, 'other.txt');
    box.git(repo, 'checkout', '-q', 'main');
    box.git(repo, 'merge', '-q', '--allow-unrelated-histories', '-m', 'both', 'stranger');
    renameSync(repo, join(box.path, 'renamed'));
    expect(await idOf(join(box.path, 'renamed'))).toBe(id);
  });

  it('follows a remote that is a local path', async () => {
    const source = box.init('source');
    box.git(source, 'remote', 'add', 'origin', 'https://github.com/a/shop');
    box.git(box.path, 'clone', '-q', source, 'one');
    box.git(box.path, 'clone', '-q', 'file://' + join(box.path, 'one'), 'two');
    expect(await idOf(join(box.path, 'two'))).toBe('github.com/a/shop');
    box.git(source, 'remote', 'set-url', 'origin', join(box.path, 'two'));
    expect(await idOf(join(box.path, 'two')), 'a ring').toMatch(/^local:/);
  });

  it('is the folder itself, on this device, without a commit or a repository', async () => {
    const empty = join(box.path, 'empty');
    mkdirSync(join(empty, 'sub'), { recursive: true });
    expect(await idOf(join(empty, 'sub'))).toBe(`folder:${DEVICE}:${join(empty, 'sub')}`);
    box.git(empty, 'init', '-q');
    expect(await idOf(join(empty, 'sub'))).toBe(`folder:${DEVICE}:${empty}`);
    expect(await resolverOf().resolve(null)).toMatchObject({ canonicalId: '_unassociated' });
    expect(await idOf('C:\\Users\\ada\\shop')).toBe(`folder:${DEVICE}:C:\\Users\\ada\\shop`);
    expect((await resolverOf().resolve('C:\\Users\\ada\\shop')).displayName).toBe('shop');
  });

  it('starts git once for a repository without a remote, and never again', async () => {
    const repo = box.init('solo');
    for (let n = 0; n < 30; n++) mkdirSync(join(repo, `f${n}`));
    const resolver = resolverOf();
    const resolved = await Promise.all(
      Array.from({ length: 300 }, (_, n) => resolver.resolve(join(repo, `f${n % 30}`))),
    );
    expect(new Set(resolved.map(({ canonicalId }) => canonicalId)).size).toBe(1);
    expect(starts).toBe(1);
    await idOf(join(repo, 'f1'), remember(...resolved));
    expect(starts).toBe(1);
  });
});

describe('a folder that has changed', () => {
  // Regression: a deleted worktree became a separate workspace named after it.
  it('a deleted working tree belongs to its repository, judging by where tools create working trees', async () => {
    const repo = box.init('shop');
    box.git(repo, 'remote', 'add', 'origin', 'https://github.com/a/shop');
    for (const tree of [
      '.claude/worktrees/1',
      '.claude/worktrees/heuristic-robinson/src',
      '.worktrees/fix',
      '.trees/x',
    ])
      expect(await idOf(join(repo, tree))).toBe('github.com/a/shop');
    const memory = remember(await resolverOf().resolve(repo));
    expect(await idOf(join(box.path, '.claude-worktrees/shop/calm-hopper'), memory)).toBe('github.com/a/shop');
    const gone = join(box.path, 'gone');
    for (const tree of ['.claude/worktrees/1', '.claude/worktrees/2/lib', '.worktrees/fix']) {
      const found = await resolverOf().resolve(join(gone, tree));
      expect(found).toMatchObject({ canonicalId: `folder:${DEVICE}:${gone}`, displayName: 'gone' });
    }
  });

  it('keeps its workspace after deletion, and so do the folders below it', async () => {
    const repo = box.init('shop');
    box.git(repo, 'remote', 'add', 'origin', 'https://github.com/a/shop');
    box.git(repo, 'worktree', 'add', '-q', '../tree', '-b', 'fix');
    const memory = remember(await resolverOf().resolve(repo), await resolverOf().resolve(join(box.path, 'tree')));
    rmSync(repo, { recursive: true });
    rmSync(join(box.path, 'tree'), { recursive: true });
    for (const gone of [repo, join(repo, 'src'), join(box.path, 'tree'), join(box.path, 'tree/lib')]) {
      expect(await idOf(gone, memory)).toBe('github.com/a/shop');
    }
    expect(await idOf(join(box.path, 'shop2'), memory)).toBe(`folder:${DEVICE}:${join(box.path, 'shop2')}`);
  });

  it('a plain folder keeps its workspace under a new name', async () => {
    const notes = join(box.path, 'notes');
    mkdirSync(notes);
    const first = await resolverOf().resolve(notes);
    renameSync(notes, join(box.path, 'diary'));
    const second = await resolverOf(remember(first)).resolve(join(box.path, 'diary'));
    expect(second.canonicalId).toBe(first.canonicalId);
    mkdirSync(notes);
    expect(await idOf(join(box.path, 'diary'), remember(first, second))).toBe(first.canonicalId);
  });

  it('a new folder at an old path is not the former repository', async () => {
    const repo = box.init('work');
    box.git(repo, 'remote', 'add', 'origin', 'https://github.com/a/old');
    const memory = remember(await resolverOf().resolve(repo));
    renameSync(repo, join(box.path, 'elsewhere'));
    mkdirSync(join(repo, 'sub'), { recursive: true });
    expect(await idOf(repo, memory)).toBe(`folder:${DEVICE}:${repo}`);
    expect(await idOf(join(repo, 'sub'), memory)).toBe(`folder:${DEVICE}:${join(repo, 'sub')}`);
  });

  it('a folder that lost its .git keeps its workspace', async () => {
    const repo = box.init('work');
    mkdirSync(join(repo, 'sub'));
    box.git(repo, 'remote', 'add', 'origin', 'https://github.com/a/old');
    const memory = remember(await resolverOf().resolve(repo));
    rmSync(join(repo, '.git'), { recursive: true });
    expect(await idOf(repo, memory)).toBe('github.com/a/old');
    expect(await idOf(join(repo, 'sub'), memory)).toBe('github.com/a/old');
  });

  it('a deleted folder below a repository belongs to it, but not to a repository of dotfiles', async () => {
    const repo = box.init('home');
    box.git(repo, 'remote', 'add', 'origin', 'https://github.com/a/dots');
    const gone = join(repo, 'projects/gone');
    expect(await idOf(gone)).toBe('github.com/a/dots');
    expect((await resolverOf([], repo).resolve(gone)).canonicalId).toBe(`folder:${DEVICE}:${gone}`);
  });
});

describe('K7: a hostile repository', () => {
  it('executes no program named in its configuration', async () => {
    const repo = box.init('evil');
    const trap = join(box.path, 'trapped');
    const script = box.write('trap.sh', `#!/bin/sh\necho "$0 $*" >>${trap}\n`);
    execFileSync('chmod', ['+x', script]);
    for (const key of ['core.fsmonitor', 'core.pager', 'core.sshCommand', 'gpg.program', 'core.editor', 'alias.log']) {
      box.git(repo, 'config', key, key === 'alias.log' ? `!${script}` : script);
    }
    box.git(repo, 'config', 'log.showSignature', 'true');
    box.git(repo, 'config', 'diff.external', script);
    box.git(repo, 'config', 'pager.rev-list', script);
    box.git(repo, 'config', 'extensions.partialClone', 'origin');
    expect(await idOf(repo)).toMatch(/^local:/);
    expect(() => readFileSync(trap)).toThrow(/ENOENT/);
  });

  it('does not block with a FIFO or a device in place of a file', async () => {
    const repo = box.init('fifo');
    rmSync(join(repo, '.git/config'));
    execFileSync('mkfifo', [join(repo, '.git/config')]);
    execFileSync('mkfifo', [join(repo, '.git/commondir')]);
    expect(findRepository(repo)).toMatchObject({ root: repo });
    mkdirSync(join(box.path, 'pointer'));
    execFileSync('mkfifo', [join(box.path, 'pointer/.git')]);
    expect(findRepository(join(box.path, 'pointer'))).toBeNull();
  });

  it('with broken pointers is not a repository, nor part of another one', async () => {
    const repo = box.init('outer');
    for (const [name, text] of Object.entries({
      nowhere: 'gitdir: /nonexistent/.git\n',
      empty: '',
      odd: 'not a pointer',
      itself: 'gitdir: .git',
      folder: 'gitdir: ..\n',
    })) {
      mkdirSync(join(repo, name));
      writeFileSync(join(repo, name, '.git'), text);
      expect(findRepository(join(repo, name)), name).toBeNull();
    }
    symlinkSync('.', join(repo, 'loop'));
    expect(findRepository(join(repo, 'loop/loop/loop'))).toMatchObject({ root: repo });
  });

  it('is read like git does, whatever its remotes are called', async () => {
    for (const [n, name] of ['$(rm)', '-o', 'a"b', 'a\\b', 'a;b', 'with space', '../..', 'ünï'].entries()) {
      const repo = box.init(`r${n}`);
      box.git(repo, 'config', `remote.${name}.url`, 'https://github.com/a/b;c#d "e"');
      expect(await idOf(repo), name).toBe('github.com/a/b;c');
    }
  });
});

describe('a git configuration file', () => {
  it('gives the same values as git', () => {
    const file = box.write(
      'config',
      '[core]\n\tbare = false ; comment\n[Remote "o\\"r"]\n  url = "https://h/a b;c" # more\n\tURL=two\\\n  three\n' +
        '[remote.Dotted] url = x [section]\n[empty]\nflag\nbad line here\nk = a\\tb\\\\c "d  "  e  ',
    );
    const entries = parseGitConfig(readFileSync(file, 'utf8').replace('bad line here\n', ''));
    writeFileSync(file, readFileSync(file, 'utf8').replace('bad line here\n', ''));
    const told = execFileSync('git', ['config', '--null', '--list', '--file', file], { encoding: 'utf8' });
    const wanted = told
      .split('\0')
      .filter(Boolean)
      .map((entry) => entry.split('\n'));
    const ours = entries.map(({ section, subsection, key, value }) => [
      [section, ...(subsection === null ? [] : [subsection]), key].join('.'),
      ...(value === '' ? [] : [value]),
    ]);
    expect(ours).toEqual(wanted);
  });

  it('is parsed for any text', () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => void parseGitConfig(text)));
    const parts = fc.constantFrom('[remote "', '"]', '\n', 'url', '=', '\\', '"', '#', ' ', '[', ']', 'x');
    fc.assert(
      fc.property(
        fc.array(parts).map((list) => list.join('')),
        (text) => void parseGitConfig(text),
      ),
    );
  });
});
