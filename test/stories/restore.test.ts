import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const PLAN = '../plans/quiet-river.md';
const FILES = {
  [PLAN]: '# Plan\n',
  '../plans/calm-fox.md': '# Named by the lines only\n',
  '../plans/another.md': '# Not of this session\n',
  [`../todos/${ID}-agent-${ID}.json`]: '[]',
  '../teams/blue/config.json': '{"name":"blue"}',
  '../tasks/blue/1.json': '{"id":"1","subject":"look"}',
  '-home-ada-shop/memory/MEMORY.md': 'Remember.\n',
  '-home-ada-other/memory/MEMORY.md': 'Of another project.\n',
  '-home-ada-shop/memory/another-device.md': 'Of a device with the same paths.\n',
  '../history.jsonl': '{"display":"Find the leak.","timestamp":1}\n',
} as const;

async function moveToAnotherDevice({ store, device }: App, path: string): Promise<void> {
  const { kysely } = store.engine;
  const own = await kysely.selectFrom('devices').selectAll().where('id', '=', device.id).executeTakeFirstOrThrow();
  await kysely
    .insertInto('devices')
    .values({ ...own, id: 'another' })
    .execute();
  await kysely.updateTable('source_files').set({ device_id: 'another' }).where('path', '=', path).execute();
}

describe.each(PROGRAMS)('restore, on $name', ({ create }) => {
  it('restores the plans, todos, teams and memory of a session, and says how to continue', async () => {
    using home = createClaudeHome();
    const talk = createTalk(ID);
    home.write(`-home-ada-shop/${ID}.jsonl`, [
      { ...talk.user('Plan it.'), slug: 'calm-fox' },
      talk.assistant(
        'msg_1',
        toolUse('toolu_1', 'Write', { file_path: '/home/ada/.claude/plans/quiet-river.md', content: '# Plan\n' }),
        { input: 1, output: 1 },
      ),
      talk.assistant(
        'msg_2',
        toolUse('toolu_2', 'ExitPlanMode', {
          plan: '# Plan\n',
          planFilePath: '/home/ada/.claude/plans/quiet-river.md',
        }),
        { input: 1, output: 1 },
      ),
      talk.result('toolu_2', 'Approved.'),
      talk.assistant('msg_3', toolUse('toolu_3', 'TeamCreate', { team_name: 'blue', description: 'x' }), {
        input: 1,
        output: 1,
      }),
      talk.result('toolu_3', '{"team_name":"blue"}'),
      talk.assistant('msg_4', text('Done.'), { input: 1, output: 1 }),
    ]);
    for (const [path, content] of Object.entries(FILES)) home.write(path, content);
    await using program = await create(home.path);
    {
      await using app = await program.open();
      await app.importNew();
      await moveToAnotherDevice(app, 'projects/-home-ada-shop/memory/another-device.md');
    }
    const run = (...words: string[]) =>
      runCommand(words, { config: program.config, openApp: () => program.open(), columns: 400 });
    const to = mkdtempSync(join(tmpdir(), 'fuel-code-restore-'));
    try {
      const { out, error } = await run('restore', ID.slice(0, 8), '--to', to);
      expect(error).toBeNull();
      expect(out).toContain(`cd /home/ada/shop && CLAUDE_CONFIG_DIR=${to} claude --resume ${ID}\n`);
      const at = (path: string) => join(to, 'projects', path);
      for (const [path, content] of Object.entries(FILES)) {
        const isOther = /another|other|history/.test(path);
        expect([path, existsSync(at(path))]).toEqual([path, !isOther]);
        if (!isOther) expect(readFileSync(at(path), 'utf8')).toBe(content);
      }
      writeFileSync(at('-home-ada-shop/memory/MEMORY.md'), 'More by now.\n');
      // It belongs to other sessions too.
      utimesSync(at(PLAN), 1, 1);
      const again = await run('restore', ID, '--to', to, '--json');
      expect(statSync(at(PLAN)).mtimeMs).toBe(1_000);
      expect(again.error).toBeNull();
      const { files } = JSON.parse(again.out) as { files: { path: string; outcome: string }[] };
      expect(files.filter(({ outcome }) => outcome !== 'already there').map(({ outcome }) => outcome)).toEqual([
        'kept (differs)',
      ]);
      expect(readFileSync(at('-home-ada-shop/memory/MEMORY.md'), 'utf8')).toBe('More by now.\n');
      writeFileSync(at(`-home-ada-shop/${ID}.jsonl`), 'Something else.\n');
      expect((await run('restore', ID, '--to', to)).error).toMatchObject({
        code: 'conflict',
        message: '1 file differs from the archive. Nothing was overwritten.',
      });
      expect((await run('restore', '--history', '--to', to)).error).toBeNull();
      expect((await run('restore', '--path', 'plans/', '--to', to)).error).toBeNull();
      for (const path of ['../history.jsonl', '../plans/another.md']) expect(existsSync(at(path))).toBe(true);
      expect((await run('restore', '--path', 'nothing', '--to', to)).error?.code).toBe('not_found');
      expect((await run('restore', ID, '--history')).error?.code).toBe('usage');
      expect((await run('restore')).error?.code).toBe('usage');
    } finally {
      rmSync(to, { recursive: true });
    }
  });
});
