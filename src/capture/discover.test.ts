import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discoverFiles, discoverTranscripts } from './discover.ts';
import { createIgnoreRule } from './project-folder.ts';

const ID = '11111111-2222-4333-8444-555555555555';
let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fuel-code-discover-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function write(path: string, text = '{}\n'): void {
  const full = join(home, 'projects', path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
}

describe('transcripts alone', () => {
  it('are the same ones that a walk of all files finds', () => {
    write(`-w/${ID}.jsonl`);
    write('-w/agent-0a1b2c3d.jsonl');
    write(`-w/${ID}/subagents/agent-a1.jsonl`);
    write(`-w/${ID}/subagents/agent-a1.meta.json`);
    write(`-w/${ID}/subagents/workflows/wf_1/agent-a2.jsonl`);
    write(`-w/${ID}/tool-results/agent-a3.jsonl`);
    write(`-w/${ID}/notes.jsonl`);
    write(`-secret/${ID.replace('1', '2')}.jsonl`);
    write('../history.jsonl');
    symlinkSync(tmpdir(), join(home, 'projects/-w/out'));
    const ignores = (name: string) => name === '-secret';
    const all = discoverFiles([home], ignores).files.filter(({ kind }) => kind === 'main' || kind === 'agent');
    expect(all).toHaveLength(4);
    expect(discoverTranscripts([home], ignores).files).toEqual(all);
  });
});

describe('discover', () => {
  it('finds main files and sub-agents in every layout', () => {
    write(`-w/${ID}.jsonl`);
    write('-w/agent-0a1b2c3d.jsonl');
    write(`-w/${ID}/subagents/agent-a0123456789abcdef.jsonl`);
    write(`-w/${ID}/subagents/agent-a0123456789abcdef.meta.json`);
    write(`-w/${ID}/subagents/workflows/wf_1/agent-aworker-01.jsonl`);
    write('-w/notes.txt');
    write(`-w/${ID}/tool-results/toolu_1.txt`);
    write(`-w/${ID}/workflows/wf_1.json`);
    write('-w/sessions-index.json');
    for (const name of [
      'history.jsonl',
      'plans/p.md',
      `tasks/${ID}/1.json`,
      `tasks/${ID}/1.lock`,
      `file-history/${ID}/ab@v1`,
    ]) {
      write(`../${name}`);
    }
    const { files, roots } = discoverFiles([home]);
    expect(roots).toEqual([home]);
    const found = files.map(({ path, kind, sessionId, agentId }) => [path, kind, sessionId, agentId]);
    expect(found.toSorted()).toEqual(
      [
        [`projects/-w/${ID}.jsonl`, 'main', ID, null],
        ['projects/-w/agent-0a1b2c3d.jsonl', 'agent', null, '0a1b2c3d'],
        [`projects/-w/${ID}/subagents/agent-a0123456789abcdef.jsonl`, 'agent', ID, 'a0123456789abcdef'],
        [`projects/-w/${ID}/subagents/agent-a0123456789abcdef.meta.json`, 'agent_meta', ID, 'a0123456789abcdef'],
        [`projects/-w/${ID}/subagents/workflows/wf_1/agent-aworker-01.jsonl`, 'agent', ID, 'aworker-01'],
        [`projects/-w/${ID}/tool-results/toolu_1.txt`, 'tool_result', ID, null],
        [`projects/-w/${ID}/workflows/wf_1.json`, 'session_file', ID, null],
        ['projects/-w/sessions-index.json', 'sessions_index', null, null],
        ['history.jsonl', 'history', null, null],
        ['plans/p.md', 'plan', null, null],
        [`tasks/${ID}/1.json`, 'tasks', ID, null],
        [`file-history/${ID}/ab@v1`, 'file_history', ID, null],
      ].toSorted(),
    );
  });

  it('returns no roots when there is no Claude home', () => {
    expect(discoverFiles([join(home, 'nowhere')])).toMatchObject({ roots: [], files: [] });
  });

  it('C17: a FIFO or folder named like a transcript is not read and does not stop the walk', () => {
    write(`-w/${ID}.jsonl`);
    execFileSync('mkfifo', [join(home, 'projects/-w/pipe.jsonl')]);
    mkdirSync(join(home, 'projects/-w/folder.jsonl'));
    const { files, skipped } = discoverFiles([home]);
    expect(files).toHaveLength(1);
    expect(skipped).toEqual([{ root: home, path: 'projects/-w/pipe.jsonl', reason: 'not a regular file' }]);
  });

  it('C18: links are followed only inside the home', () => {
    write(`-w/${ID}.jsonl`);
    const outside = mkdtempSync(join(tmpdir(), 'fuel-code-outside-'));
    writeFileSync(join(outside, `${ID}.jsonl`), 'secret');
    symlinkSync(join(outside, `${ID}.jsonl`), join(home, 'projects/-w/linked.jsonl'));
    symlinkSync(outside, join(home, 'projects/-outside'));
    symlinkSync(join(home, 'projects/-w'), join(home, 'projects/-inside'));
    const { files, skipped } = discoverFiles([home]);
    rmSync(outside, { recursive: true });
    expect(files.map(({ path }) => path)).toEqual([`projects/-w/${ID}.jsonl`]);
    expect(skipped.map(({ path }) => path).toSorted()).toEqual(['projects/-outside', 'projects/-w/linked.jsonl']);
  });

  it('follows a link to a folder of the home that is not walked otherwise', () => {
    write(`../elsewhere/${ID}.jsonl`);
    mkdirSync(join(home, 'projects'));
    symlinkSync('../elsewhere', join(home, 'projects/-w'));
    expect(discoverFiles([home]).files.map(({ path }) => path)).toEqual([`projects/-w/${ID}.jsonl`]);
  });

  // Regression: the walk was exponential in the number of links.
  it('walks each real folder once, however links form loops', () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      write(`-${name}/${ID.replace('1', name)}.jsonl`);
      for (const target of ['a', 'b', 'c', 'd', 'e'])
        symlinkSync(target === 'e' ? '..' : `../-${target}`, join(home, `projects/-${name}/to-${target}`));
    }
    symlinkSync('projects', join(home, 'again'));
    symlinkSync('../again', join(home, 'projects/-again'));
    const { files, skipped } = discoverFiles([home]);
    expect(files).toHaveLength(4);
    expect(skipped).toEqual([]);
  });

  it('keeps files whose names are not UTF-8, and can open them', () => {
    write(`-w/${ID}.jsonl`);
    const at = (...parts: (string | number[])[]) =>
      Buffer.concat([Buffer.from(`${home}/projects/`), ...parts.map((part) => Buffer.from(part as string))]);
    mkdirSync(at([0x2d, 0xe9]));
    writeFileSync(at([0x2d, 0xe9], '/', [0xff, 0xfe], '.jsonl'), 'in a folder');
    writeFileSync(at('-w/', [0x61, 0xe9], '.jsonl'), 'a name');
    writeFileSync(at('-w/', [0x61, 0xe8], '.jsonl'), 'another name');
    const found = discoverFiles([home]).files.map(({ path, absolutePath }) => [
      path,
      readFileSync(absolutePath, 'utf8'),
    ]);
    expect(found.toSorted()).toEqual([
      ['projects/-\\xe9/\\xff\\xfe.jsonl', 'in a folder'],
      [`projects/-w/${ID}.jsonl`, '{}\n'],
      ['projects/-w/a\\xe8.jsonl', 'another name'],
      ['projects/-w/a\\xe9.jsonl', 'a name'],
    ]);
  });

  it('reports files with ambiguous names and folders that are nested too deep', () => {
    write('-w/a\\xe9.jsonl');
    writeFileSync(
      Buffer.concat([Buffer.from(`${home}/projects/-w/a`), Buffer.from([0xe9]), Buffer.from('.jsonl')]),
      '',
    );
    write(`-w/${ID}/${'deep/'.repeat(12)}x.txt`);
    const { files, skipped } = discoverFiles([home]);
    expect(files).toHaveLength(1);
    expect(skipped.map(({ reason }) => reason).toSorted()).toEqual([
      'its name looks the same as that of another file',
      'nested more than 10 folders deep',
    ]);
  });

  it('reads any number of homes', () => {
    write(`-w/${ID}.jsonl`);
    const other = join(home, 'second');
    mkdirSync(join(other, 'projects/-w'), { recursive: true });
    writeFileSync(join(other, `projects/-w/${ID}.jsonl`), '{}\n');
    const { files, roots } = discoverFiles([home, join(home, 'nowhere'), other]);
    expect(roots).toEqual([home, other]);
    expect(files.map(({ root, path }) => [root, path])).toEqual(
      [home, other].map((root) => [root, `projects/-w/${ID}.jsonl`]),
    );
  });

  it('C20: keeps unusual names', () => {
    const names = ['-a b', '-ü日本', '-line\nbreak', `-${'x'.repeat(200)}`, '-😀'];
    for (const name of names) write(`${name}/${ID}.jsonl`);
    expect(
      discoverFiles([home])
        .files.map(({ path }) => dirname(path))
        .toSorted(),
    ).toEqual(names.map((name) => `projects/${name}`).toSorted());
  });

  it('J14: an ignored project is not opened, nor are the files of its sessions in other folders', () => {
    const other = '99999999-2222-4333-8444-555555555555';
    write(`-home-ada-secret/${ID}.jsonl`);
    write(`-home-ada-secret/${ID}/subagents/agent-a1.jsonl`);
    write(`-home-ada-open/${other}.jsonl`);
    for (const name of ['history.jsonl', `tasks/${ID}/1.json`, `tasks/${other}/1.json`]) write(`../${name}`);
    const { files, ignored } = discoverFiles([home], createIgnoreRule(['/home/ada/secret']));
    expect(files.map(({ path }) => path).toSorted()).toEqual([
      `projects/-home-ada-open/${other}.jsonl`,
      `tasks/${other}/1.json`,
    ]);
    expect(ignored).toBe(4);
  });
});
