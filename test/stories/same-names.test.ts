import { describe, expect, it } from 'vitest';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { cost } from '../../src/mcp/tools/cost.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

/** Two folders of the same name, and a third one. */
const FOLDERS = ['/home/ada/red/shop', '/home/ada/blue/shop', '/home/ada/till'];

function fill(home: ClaudeHome): void {
  FOLDERS.forEach((cwd, at) => {
    const id = `${at}1111111-2222-4333-8444-555555555555`;
    const talk = createTalk(id, { prefix: `s${at}` });
    const lines = [talk.user('Go.'), talk.assistant(`m${at}`, text('Done.'), { input: 1, output: 10 ** (at + 1) })];
    home.write(
      `-home-${at}/${id}.jsonl`,
      lines.map((line) => ({ ...line, cwd })),
    );
  });
}

describe.each(PROGRAMS)('workspaces with the same name, on $name', ({ create }) => {
  it('are different rows in every report', async () => {
    using home = createClaudeHome();
    fill(home);
    await using program = await create(home.path);
    const run = (...words: string[]) => runCommand(words, { config: program.config, openApp: program.open });
    await run('backfill');
    const names = ['shop (/home/ada/blue/shop)', 'shop (/home/ada/red/shop)', 'till'];
    const stats = JSON.parse((await run('stats', '--json')).out) as { workspaces: { name: string }[] };
    expect(stats.workspaces.map(({ name }) => name).toSorted()).toEqual(names);
    await using app = await program.open();
    const { rows } = await app.get('/usage', { query: { by: ['workspace'], zone: 'UTC' } });
    expect(rows.map(({ group, tokens_out }) => [group.workspace, tokens_out])).toEqual([
      [names[0], 100],
      [names[1], 10],
      [names[2], 1000],
    ]);
    const context = {
      get: app.get,
      zone: 'UTC',
      scope: { filter: () => Promise.resolve({}), describe: () => Promise.resolve('all workspaces') },
    } as unknown as ToolContext;
    const input = { by: 'workspace', limit: 15, after: undefined, before: undefined, workspace: 'all' } as const;
    const { text: told } = await cost.run({ ...input, cursor: undefined }, context);
    for (const name of names) expect(told).toContain(`\n${name}: $`);
    expect((await run('cost', '--by', 'workspace')).out).toContain('shop (/home/ada/red/shop)');
  });
});
