import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openApp } from '../../src/app/open-app.ts';
import { loadConfig } from '../../src/config.ts';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { fixedClock, silentLog } from '../support/fixed-clock.ts';

const ID = '11111111-2222-4333-8444-555555555555';

// Kills a mutant that ignored the inode.
it('C6: a file that was replaced by another of the same size and time is archived again', async () => {
  using claude = createClaudeHome();
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-replaced-'));
  const { config } = loadConfig({ FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: claude.path });
  claude.write(`-w/${ID}.jsonl`, [createTalk(ID).user('Where is the ferry?')]);
  const path = join(claude.path, 'projects/-w', `${ID}.jsonl`);
  try {
    await using app = await openApp({ config, clock: fixedClock, log: silentLog });
    await app.importNew();
    const { atime, mtime } = statSync(path);
    const other = `${path}.new`;
    writeFileSync(other, readFileSync(path, 'utf8').replace('ferry', 'canoe'));
    utimesSync(other, atime, mtime);
    renameSync(other, path);
    expect(statSync(path).mtimeMs).toBe(mtime.getTime());
    await app.importNew();
    expect((await app.get('/sessions/:id', { params: { id: ID } })).initial_prompt).toBe('Where is the canoe?');
    const numbers = await app.store.engine.kysely.selectFrom('generations').select('number').execute();
    expect(numbers.map(({ number }) => number).toSorted()).toEqual([1, 2]);
  } finally {
    rmSync(home, { recursive: true });
  }
});
