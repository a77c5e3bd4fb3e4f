import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { restoreSession } from '../../src/archive/restore.ts';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { NOW, PROGRAMS } from '../support/programs.ts';

const idOf = (letter: string) => `${letter.repeat(8)}-2222-4333-8444-555555555555`;
const PROJECT = '-home-ada-shop';

/** Names that an archive, a repository or someone else’s disk may contain. */
const PATHS_OUT = [
  '../evil.jsonl',
  '../../evil.jsonl',
  'projects/../../evil.jsonl',
  'projects/-home-ada-shop/../../../evil.jsonl',
  './../evil.jsonl',
  '.',
  '',
];

describe.each(PROGRAMS)('I9: untrusted paths, on $name', ({ create }) => {
  it('nothing is read through an outside link, a pipe or a device', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'fuel-code-outside-'));
    using home = createClaudeHome();
    const canary = JSON.stringify(createTalk(idOf('c')).user('canary outside'));
    writeFileSync(join(outside, `${idOf('c')}.jsonl`), canary);
    home.write(`${PROJECT}/${idOf('a')}.jsonl`, [createTalk(idOf('a')).user('Hello.')]);
    const at = (name: string) => join(home.path, 'projects', PROJECT, name);
    symlinkSync(join(outside, `${idOf('c')}.jsonl`), at(`${idOf('c')}.jsonl`));
    symlinkSync(outside, join(home.path, 'projects', '-elsewhere'));
    symlinkSync('/dev/zero', at(`${idOf('d')}.jsonl`));
    symlinkSync('..', at('round-and-round'));
    execFileSync('mkfifo', [at(`${idOf('e')}.jsonl`)]);
    mkdirSync(at(`${idOf('f')}.jsonl`));
    linkSync(at(`${idOf('a')}.jsonl`), at(`${idOf('b')}.jsonl`));
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    expect((await app.get('/search', { query: { q: 'canary', limit: 20 } })).total.places).toBe(0);
    const files = await app.store.engine.kysely.selectFrom('source_files').select('path').orderBy('path').execute();
    expect(files.map(({ path }) => path)).toEqual([
      `projects/${PROJECT}/${idOf('a')}.jsonl`,
      `projects/${PROJECT}/${idOf('b')}.jsonl`,
    ]);
    rmSync(outside, { recursive: true });
  });

  it('nothing is written outside the folder to which files are restored', async () => {
    using home = createClaudeHome();
    const id = idOf('a');
    home.write(`${PROJECT}/${id}.jsonl`, [createTalk(id).user('Hello.')]);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const { engine } = app.store;
    const folder = mkdtempSync(join(tmpdir(), 'fuel-code-restore-'));
    const to = join(folder, 'a', 'b', 'home');
    for (const path of [...PATHS_OUT, '../home-of-others/evil.jsonl', join(folder, 'evil.jsonl')]) {
      await engine.kysely.updateTable('source_files').set({ path }).execute();
      const options = { engine, blobs: app.blobs, sessionId: id, to, projectFolder: null, replaces: true, now: NOW };
      await expect(restoreSession(options), path).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('points outside'),
      });
      expect(existsSync(to)).toBe(false);
    }
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});
