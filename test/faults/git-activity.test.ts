import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGitReader, type GitReader } from '../../src/capture/git/read-activity.ts';
import { createLogReader, interpretHeadLog, parseReflog, readByGit } from '../../src/capture/git/reflog.ts';
import { findRepository } from '../../src/capture/git/repository.ts';
import { createGitRunner, type RunGit } from '../../src/capture/git/run-git.ts';
import { anyCharacter } from '../support/any-character.ts';
import { createGitSandbox, type GitSandbox } from '../support/git-sandbox.ts';

const runGit = createGitRunner({ searchPath: process.env.PATH ?? '' });

let box: GitSandbox;
let starts = 0;
let reader: GitReader;
beforeEach(() => {
  box = createGitSandbox();
  starts = 0;
  reader = createGitReader((...args) => {
    starts++;
    return runGit(...args);
  });
});
afterEach(() => box[Symbol.dispose]());

const minute = (n: number) => `2026-11-01T10:${String(n).padStart(2, '0')}:00Z`;

async function read(repo: string, from = 0, to = 59) {
  const answer = await reader.readGitActivity({ repo, since: minute(from), until: minute(to) });
  return answer?.activities ?? [];
}
async function kinds(repo: string, from = 0, to = 59) {
  return (await read(repo, from, to)).map(({ kind, branch, data }) => [kind, branch, data.how ?? data.to ?? null]);
}

describe('activity in a repository', () => {
  it('commits come with message, branch and figures', async () => {
    const repo = box.init('shop');
    box.at(minute(5));
    writeFileSync(join(repo, 'a.txt'), 'one\ntwo\nthree\n');
    writeFileSync(join(repo, 'b.bin'), Buffer.from([0, 1, 2]));
    box.git(repo, 'add', '.');
    box.git(repo, 'rm', '-q', 'first.txt');
    box.git(repo, 'commit', '-q', '-m', 'feat: two files\n\nWith a body.');
    const sha = box.git(repo, 'rev-parse', 'HEAD');
    const [found, ...rest] = await read(repo, 1);
    expect(rest).toEqual([]);
    expect(found).toMatchObject({
      kind: 'commit',
      at: '2026-11-01T10:05:00.000Z',
      sha,
      branch: 'main',
      message: 'feat: two files\n\nWith a body.',
      filesChanged: 3,
      insertions: 3,
      deletions: 1,
      folder: repo,
      worktreeName: null,
      data: { author: { name: 'Ada', email: 'ada@example.org' } },
    });
    expect(found?.data.files).toHaveLength(3);
  });

  it('checkouts, merges, rebases and resets come from the log of HEAD', async () => {
    const repo = box.init('shop');
    box.at(minute(1));
    box.git(repo, 'checkout', '-q', '-b', 'feature');
    box.commit(repo, 'f1');
    box.git(repo, 'checkout', '-q', 'main');
    box.at(minute(2));
    box.git(repo, 'merge', '-q', 'feature');
    box.at(minute(3));
    box.git(repo, 'checkout', '-q', 'feature');
    box.commit(repo, 'f2');
    box.git(repo, 'commit', '-q', '--amend', '-m', 'better');
    box.git(repo, 'checkout', '-q', 'main');
    box.commit(repo, 'm1');
    box.at(minute(4));
    box.git(repo, 'merge', '-q', '--no-ff', '-m', 'join', 'feature');
    box.at(minute(5));
    box.git(repo, 'reset', '-q', '--hard', 'HEAD~1');
    box.git(repo, 'stash', 'list');
    box.at(minute(6));
    box.git(repo, 'checkout', '-q', 'feature');
    box.git(repo, 'rebase', '-q', 'main');
    box.git(repo, 'cherry-pick', '--allow-empty', '--keep-redundant-commits', 'main');
    expect(await kinds(repo, 1)).toEqual([
      ['checkout', 'feature', 'feature'],
      ['commit', 'feature', null],
      ['checkout', 'main', 'main'],
      ['merge', 'main', 'fast-forward'],
      ['checkout', 'feature', 'feature'],
      ['commit', 'feature', null],
      ['commit', 'feature', 'amend'],
      ['checkout', 'main', 'main'],
      ['commit', 'main', null],
      ['merge', 'main', 'merge'],
      ['reset', 'main', 'HEAD~1'],
      ['checkout', 'feature', 'feature'],
      ['rebase', 'feature', 'finish'],
      ['commit', 'feature', 'cherry-pick'],
    ]);
    const [merge] = (await read(repo, 4, 4)).filter(({ kind }) => kind === 'merge');
    expect(merge).toMatchObject({ message: 'join', filesChanged: 1, data: { merged: 'feature' } });
    expect(merge?.data.parents).toHaveLength(2);
  });

  it('a detached HEAD and a renamed branch are recorded as they were', async () => {
    const repo = box.init('shop');
    box.git(repo, 'tag', 'v1');
    box.at(minute(1));
    box.git(repo, 'checkout', '-q', 'v1');
    box.commit(repo, 'loose');
    box.git(repo, 'checkout', '-q', '-b', 'old-name');
    box.commit(repo, 'kept');
    box.git(repo, 'branch', '-m', 'old-name', 'new-name');
    box.commit(repo, 'after');
    const commits = (await read(repo, 1)).filter(({ kind }) => kind === 'commit');
    expect(commits.map(({ branch }) => branch)).toEqual([null, 'old-name', 'new-name']);
  });

  it('pushes come from the logs of remote branches, without addresses', async () => {
    const repo = box.init('shop');
    box.git(box.path, 'init', '-q', '--bare', 'there.git');
    box.git(repo, 'remote', 'add', 'up/stream', join(box.path, 'there.git'));
    box.at(minute(3));
    box.git(repo, 'checkout', '-q', '-b', 'team/fix');
    const sha = box.commit(repo, 'x');
    box.git(repo, 'push', '-q', 'up/stream', 'team/fix');
    const pushes = (await read(repo, 1)).filter(({ kind }) => kind === 'push');
    expect(pushes).toMatchObject([{ sha, branch: 'team/fix', data: { remote: 'up/stream' } }]);
    box.at(minute(4));
    box.git(join(box.path), 'clone', '-q', join(box.path, 'there.git'), 'other');
    box.git(join(box.path, 'other'), 'checkout', '-q', 'team/fix');
    box.commit(join(box.path, 'other'), 'theirs');
    box.git(join(box.path, 'other'), 'push', '-q', 'origin', 'team/fix');
    box.git(repo, 'pull', '-q', `file://user:SECRET@localhost${join(box.path, 'there.git')}`, 'team/fix');
    const all = await read(repo, 1);
    expect(all.at(-1)).toMatchObject({ kind: 'merge', data: { how: 'fast-forward' } });
    expect(JSON.stringify(all.map(({ key: _key, ...shown }) => shown))).not.toContain('SECRET');
  });

  it('K6: working trees are kept separate, and a removed one leaves its commits', async () => {
    const repo = box.init('shop');
    box.at(minute(1));
    box.git(repo, 'worktree', 'add', '-q', '../trees/agent-1', '-b', 'one');
    const tree = join(box.path, 'trees/agent-1');
    box.commit(tree, 'in-tree');
    box.commit(repo, 'in-main');
    const where = async () =>
      (await read(repo, 1))
        .filter(({ kind }) => kind === 'commit')
        .map(({ message, folder, worktreeName, branch }) => [message, folder, worktreeName, branch]);
    expect((await where()).toSorted()).toEqual([
      ['add in-main', repo, null, 'main'],
      ['add in-tree', tree, 'agent-1', 'one'],
    ]);
    expect(await read(tree, 1)).toEqual(await read(repo, 1));
    writeFileSync(join(tree, '.git'), 'gitdir: ../../shop/.git/worktrees/agent-1\n');
    writeFileSync(join(repo, '.git/worktrees/agent-1/gitdir'), '../../../../trees/agent-1/.git\n');
    expect((await where()).toSorted(), 'pointers that are relative').toContainEqual([
      'add in-tree',
      tree,
      'agent-1',
      'one',
    ]);
    writeFileSync(join(tree, '.git'), `gitdir: ${repo}/.git/worktrees/agent-1\n`);
    writeFileSync(join(repo, '.git/worktrees/agent-1/gitdir'), `${tree}/.git\n`);
    box.git(repo, 'worktree', 'remove', tree);
    expect((await where()).toSorted()).toEqual([
      ['add in-main', repo, null, 'main'],
      ['add in-tree', null, null, 'one'],
    ]);
  });

  it('K6: bare repositories, submodules and folders without a repository give what they have', async () => {
    const lib = box.init('lib');
    const app = box.init('app');
    box.git(app, 'submodule', '--quiet', 'add', lib, 'lib');
    box.at(minute(2));
    const sha = box.commit(join(app, 'lib'), 'inside');
    expect((await read(join(app, 'lib'), 2)).map((found) => found.sha)).toEqual([sha]);
    expect((await read(app, 2)).map((found) => found.sha)).not.toContain(sha);
    box.git(box.path, 'init', '-q', '--bare', 'bare.git');
    expect(await read(join(box.path, 'bare.git'))).toEqual([]);
    mkdirSync(join(box.path, 'plain'));
    expect(
      await reader.readGitActivity({ repo: join(box.path, 'plain'), since: minute(0), until: minute(9) }),
    ).toBeNull();
  });

  it('gives the same result again after any commands and after the repository moved', async () => {
    const repo = box.init('shop');
    box.at(minute(1));
    box.git(repo, 'checkout', '-q', '-b', 'a');
    box.commit(repo, 'x');
    const keys = (await read(repo, 1, 1)).map(({ key }) => key);
    box.at(minute(2));
    box.git(repo, 'branch', '-m', 'a', 'b');
    box.commit(repo, 'y');
    execFileSync('mv', [repo, join(box.path, 'moved')]);
    expect((await read(join(box.path, 'moved'), 1, 1)).map(({ key }) => key)).toEqual(keys);
  });

  it('starts git twice for many sessions, and not at all if nothing happened', async () => {
    const repo = box.init('shop');
    for (let n = 1; n <= 12; n++) {
      box.at(minute(n));
      box.commit(repo, `f${n}`);
    }
    for (let n = 1; n <= 12; n++) expect(await read(repo, n, n)).toHaveLength(1);
    expect(starts).toBe(2);
    expect(await read(repo, 30, 40)).toEqual([]);
    expect(starts).toBe(2);
  });

  it('without a reflog, commits by the same author come from the history', async () => {
    const repo = box.init('shop');
    box.git(repo, 'config', 'user.email', 'ada@example.org');
    box.at(minute(2));
    const own = box.commit(repo, 'own');
    box.git(repo, '-c', 'user.email=x@y', 'commit', '-q', '--allow-empty', '-m', 'also ours by environment');
    rmSync(join(repo, '.git/logs'), { recursive: true });
    const found = await read(repo, 1, 9);
    expect(found.map(({ sha }) => sha)).toContain(own);
    expect(found[0]?.data).toMatchObject({ source: 'history' });
    box.git(repo, 'config', 'user.email', 'somebody@else.org');
    expect(await read(repo, 1, 9)).toEqual([]);
  });

  it('reftable repositories are read through git with the same result', async () => {
    const repo = box.init('shop');
    box.at(minute(1));
    box.git(repo, 'checkout', '-q', '-b', 'a');
    box.commit(repo, 'x');
    const repository = findRepository(repo);
    if (repository === null) throw new Error('no repository');
    const byFiles = await createLogReader(runGit).read(repository, 0);
    const byGit = await readByGit(runGit, repository);
    expect(byGit.heads).toEqual(byFiles.heads.map((head) => ({ ...head, entries: head.entries })));
  });
});

describe('K4: a large history', () => {
  it('of 1,000 files in a commit keeps the figures and the first files', async () => {
    const repo = box.init('big');
    for (let n = 0; n < 1_000; n++) writeFileSync(join(repo, `f${n}`), `${n}\n`);
    box.at(minute(1));
    box.git(repo, 'add', '.');
    box.git(repo, 'commit', '-q', '-m', 'many');
    const [found] = await read(repo, 1);
    expect(found).toMatchObject({ filesChanged: 1_000, insertions: 1_000 });
    expect(found?.data.files).toHaveLength(100);
  });

  it('a commit that is too large or slow loses its figures but not its message, and affects no other', async () => {
    const repo = box.init('big');
    box.at(minute(1));
    const small = box.commit(repo, 'small');
    for (let n = 0; n < 50; n++) writeFileSync(join(repo, `f${n}`), `${n}\n`);
    box.git(repo, 'add', '.');
    box.git(repo, 'commit', '-q', '-m', 'many');
    const tight: RunGit = (folder, args) => runGit(folder, args, { maxBytes: 500 });
    const answer = await createGitReader(tight).readGitActivity({ repo, since: minute(1), until: minute(2) });
    expect(answer?.activities).toMatchObject([
      { sha: small, filesChanged: 1 },
      { message: 'many', filesChanged: null },
    ]);
  });

  it('with missing objects, without git or with a broken repository only the reflog is used', async () => {
    const repo = box.init('broken');
    box.at(minute(1));
    const sha = box.commit(repo, 'x', 'subject');
    const noGit = createGitReader(createGitRunner({ searchPath: '/nonexistent' }));
    const question = { repo, since: minute(1), until: minute(2) };
    expect((await noGit.readGitActivity(question))?.activities).toMatchObject([{ sha, message: 'subject' }]);
    rmSync(join(repo, '.git/objects', sha.slice(0, 2), sha.slice(2)), { force: true });
    expect((await reader.readGitActivity(question))?.activities).toMatchObject([{ sha, message: 'subject' }]);
  });
});

describe('K7: hostile names', () => {
  it('branches, files, messages and folders of any name are read and execute nothing', async () => {
    const trap = join(box.path, 'trapped');
    const repo = box.init(`$(touch ${trap.replaceAll('/', '_')}) '"; -o`);
    const script = box.write('trap.sh', `#!/bin/sh\ntouch ${trap}\n`);
    execFileSync('chmod', ['+x', script]);
    box.at(minute(1));
    const names = ['-o', '--output=x', 'a\nb', '$(touch x)', 'é😀', '"quoted"', ' lead', 'tab\there'];
    for (const name of names) writeFileSync(join(repo, name), 'x\n');
    box.git(repo, 'add', '--', ...names);
    box.git(repo, 'commit', '-q', '-m', '$(touch x) \u0001 -o \u001b[31m');
    for (const name of ['$(touch-x)', 'a;b', 'ünï', "it's"]) {
      box.git(repo, 'checkout', '-q', '-b', name);
      box.commit(repo, 'more.txt', `on ${name}`);
      writeFileSync(join(repo, 'more.txt'), name);
      box.git(repo, 'commit', '-q', '-a', '-m', 'again');
    }
    for (const key of ['core.fsmonitor', 'core.pager', 'gpg.program', 'diff.external', 'core.sshCommand']) {
      box.git(repo, 'config', key, script);
    }
    box.git(repo, 'config', 'log.showSignature', 'true');
    box.git(repo, 'config', 'diff.trap.textconv', script);
    box.git(repo, 'config', 'diff.trap.command', script);
    writeFileSync(join(repo, '.git/info/attributes'), '* diff=trap\n');
    const found = await read(repo, 1);
    expect(found[0]?.data.files).toEqual(
      expect.arrayContaining(names.map((path) => ({ path, insertions: 1, deletions: 0 }))),
    );
    expect(new Set(found.map(({ branch }) => branch))).toEqual(new Set(['main', '$(touch-x)', 'a;b', 'ünï', "it's"]));
    expect(existsSync(trap)).toBe(false);
    box.git(repo, 'status');
    expect(existsSync(trap), 'the trap itself works').toBe(true);
  });

  it('reading a partial clone does not fetch', async () => {
    const source = box.init('source');
    box.git(source, 'config', 'uploadpack.allowFilter', 'true');
    const sha = box.commit(source, 'x', 'far away');
    box.git(box.path, 'clone', '-q', '--no-checkout', '--filter=blob:none', `file://${source}`, 'part');
    const part = join(box.path, 'part');
    const trap = join(box.path, 'fetched');
    const script = box.write('upload.sh', `#!/bin/sh\ntouch ${trap}\n`);
    execFileSync('chmod', ['+x', script]);
    box.git(part, 'config', 'remote.origin.uploadpack', script);
    const time = Date.parse(minute(1)) / 1_000;
    appendFileSync(join(part, '.git/logs/HEAD'), `${sha} ${sha} A <a@b> ${time} +0000\tcommit: far away\n`);
    expect(await read(part, 1, 1)).toMatchObject([{ sha, message: 'far away', filesChanged: null }]);
    expect(existsSync(trap)).toBe(false);
  });

  it('a reflog of any bytes is read without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        interpretHeadLog(parseReflog(`${'0'.repeat(40)} ${'1'.repeat(40)} a <a@b> 99999999999 +0000\t${text}`), text);
        parseReflog(text);
      }),
    );
  });
});
