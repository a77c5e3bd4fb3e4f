import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discoverFiles, discoverTranscripts } from './discover.ts';
import { createIgnoreRule } from './ignore.ts';

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
  it('are those that are found among all files, whatever lies beside them', () => {
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
    const all = discoverFiles(home, ignores).files.filter(({ kind }) => kind === 'main' || kind === 'agent');
    expect(all).toHaveLength(4);
    expect(discoverTranscripts(home, ignores).files).toEqual(all);
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
    const { files, exists } = discoverFiles(home);
    expect(exists).toBe(true);
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

  it('says so when there is no Claude home', () => {
    expect(discoverFiles(join(home, 'nowhere'))).toMatchObject({ exists: false, files: [] });
  });

  it('C17: a FIFO or folder named like a transcript is not read and does not stop the walk', () => {
    write(`-w/${ID}.jsonl`);
    execFileSync('mkfifo', [join(home, 'projects/-w/pipe.jsonl')]);
    mkdirSync(join(home, 'projects/-w/folder.jsonl'));
    const { files, skipped } = discoverFiles(home);
    expect(files).toHaveLength(1);
    expect(skipped).toEqual([{ path: 'projects/-w/pipe.jsonl', reason: 'not a regular file' }]);
  });

  it('C18: links are followed only while they stay inside', () => {
    write(`-w/${ID}.jsonl`);
    const outside = mkdtempSync(join(tmpdir(), 'fuel-code-outside-'));
    writeFileSync(join(outside, `${ID}.jsonl`), 'secret');
    symlinkSync(join(outside, `${ID}.jsonl`), join(home, 'projects/-w/linked.jsonl'));
    symlinkSync(outside, join(home, 'projects/-outside'));
    symlinkSync(join(home, 'projects/-w'), join(home, 'projects/-inside'));
    const { files, skipped } = discoverFiles(home);
    rmSync(outside, { recursive: true });
    expect(files.map(({ path }) => path).toSorted()).toEqual([
      `projects/-inside/${ID}.jsonl`,
      `projects/-w/${ID}.jsonl`,
    ]);
    expect(skipped.map(({ path }) => path).toSorted()).toEqual([
      'projects/-inside/linked.jsonl',
      'projects/-outside',
      'projects/-w/linked.jsonl',
    ]);
  });

  it('C20: keeps names that are hard to spell', () => {
    const names = ['-a b', '-ü日本', '-line\nbreak', `-${'x'.repeat(200)}`, '-😀'];
    for (const name of names) write(`${name}/${ID}.jsonl`);
    expect(
      discoverFiles(home)
        .files.map(({ path }) => dirname(path))
        .toSorted(),
    ).toEqual(names.map((name) => `projects/${name}`).toSorted());
  });

  it('J14: a project that is left out is not looked into, nor is what lies elsewhere of its sessions', () => {
    const other = '99999999-2222-4333-8444-555555555555';
    write(`-home-ada-secret/${ID}.jsonl`);
    write(`-home-ada-secret/${ID}/subagents/agent-a1.jsonl`);
    write(`-home-ada-open/${other}.jsonl`);
    for (const name of ['history.jsonl', `tasks/${ID}/1.json`, `tasks/${other}/1.json`]) write(`../${name}`);
    const { files, ignored } = discoverFiles(home, createIgnoreRule(['/home/ada/secret']));
    expect(files.map(({ path }) => path).toSorted()).toEqual([
      `projects/-home-ada-open/${other}.jsonl`,
      `tasks/${other}/1.json`,
    ]);
    expect(ignored).toBe(4);
  });
});
