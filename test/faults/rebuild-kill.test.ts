import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createCommands, sendTo } from '../../src/app/commands.ts';
import { rebuild } from '../../src/app/rebuild.ts';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { childEnv } from '../support/processes.ts';
import { fixedClock, PROGRAMS, type Program, silentLog } from '../support/programs.ts';
import { LAUNCHER } from '../support/run-program.ts';

const REBUILD_UNTIL = fileURLToPath(new URL('../support/rebuild-until.ts', import.meta.url));
const ID = '11111111-2222-4333-8444-555555555555';
const TABLES = ['transcript_messages', 'content_blocks', 'session_tags', 'source_files', 'generations', 'segments'];

/** Kills its own process before the given file operation of the swap, counted from the moment the swap is recorded. */
function killBefore(operation: number, database: string): string {
  const code = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    let operations = 0;
    for (const name of ['linkSync', 'renameSync', 'rmSync']) {
      const original = fs[name];
      fs[name] = (...args) => {
        if (fs.existsSync(${JSON.stringify(`${database}.swap`)}) && ++operations === ${operation}) {
          process.kill(process.pid, 'SIGKILL');
        }
        return original(...args);
      };
    }
    syncBuiltinESMExports();`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

async function dump(program: Program): Promise<string> {
  await using app = await program.open();
  return await dumpStore(app.store.engine, TABLES);
}

function rebuildIn({ config }: Program, options: Parameters<typeof rebuild>[1]) {
  return rebuild({ config, clock: fixedClock, log: silentLog }, options);
}

describe('a rebuild that is killed inside the swap', () => {
  // The operations: keep the old database, its two logs, put the new one in place, remove the three files
  // of the old full text, put the new one in place, remove the note.
  it.each([1, 2, 3, 4, 5, 8, 9])(
    'leaves a complete database that the next process uses (before operation %i)',
    async (nth) => {
      using home = createClaudeHome();
      const talk = createTalk(ID);
      home.write(`-home-ada-shop/${ID}.jsonl`, [talk.user('One.'), talk.user('Two.')]);
      const [embedded] = PROGRAMS;
      if (embedded === undefined) throw new Error('no program');
      await using program = await embedded.create(home.path);
      {
        await using app = await program.open();
        await app.importNew();
        const send = sendTo(createCommands(app, fixedClock, () => {}));
        await send('PATCH /sessions/:id', { params: { id: ID }, body: { tags: ['kept'] } });
      }
      const before = await dump(program);
      const preload = killBefore(nth, join(program.config.home, 'fuel.db'));
      const env = childEnv(program.env);
      await expect(
        promisify(execFile)(process.execPath, ['--import', preload, LAUNCHER, 'rebuild'], { env }),
      ).rejects.toMatchObject({ signal: 'SIGKILL' });
      expect(await dump(program)).toBe(before);
      expect(readdirSync(program.config.home).filter((name) => name.endsWith('.swap'))).toEqual([]);
      await rebuildIn(program, {});
      expect(await dump(program)).toBe(before);
    },
  );
});

describe('a rebuild that is killed while its threads parse and write texts', () => {
  it.each([1, 3, 4])('leaves the old database in use (at answer %i), and the next rebuild completes', async (nth) => {
    using home = createClaudeHome();
    for (const n of [1, 2, 3]) {
      const id = `${String(n).repeat(8)}-2222-4333-8444-555555555555`;
      const talk = createTalk(id, { prefix: `s${n}-` });
      home.write(`-home-ada-shop/${id}.jsonl`, [talk.user('One.'), talk.user('Two.')]);
    }
    const [embedded] = PROGRAMS;
    if (embedded === undefined) throw new Error('no program');
    await using program = await embedded.create(home.path);
    {
      await using app = await program.open();
      await app.importNew();
    }
    const before = await dump(program);
    const env = childEnv(program.env);
    await expect(promisify(execFile)(process.execPath, [REBUILD_UNTIL, String(nth)], { env })).rejects.toMatchObject({
      signal: 'SIGKILL',
    });
    expect(await dump(program)).toBe(before);
    expect(await rebuildIn(program, { threads: 1 })).toMatchObject({ sessions_parsed: 3 });
    expect(await dump(program)).toBe(before);
    expect(readdirSync(program.config.home).filter((name) => name.includes('.rebuild'))).toEqual([]);
  });
});
