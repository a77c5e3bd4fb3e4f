import { describe, expect, it } from 'vitest';
import { createClaudeHome, createTalk, toolUse } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

const ASKED = '11111111-1111-4111-8111-111111111111';
const UNASKED = '22222222-2222-4222-8222-222222222222';

function callIn(id: string, prompt: string | null): readonly object[] {
  const talk = createTalk(id);
  return [
    ...(prompt === null ? [] : [talk.user(prompt)]),
    talk.assistant(`m_${id}`, toolUse(`t_${id}`, 'Read', { file_path: '/home/ada/shop/a.ts' }), {
      input: 1,
      output: 1,
    }),
    talk.result(`t_${id}`, 'a'),
  ];
}

describe.each(PROGRAMS)('calls of a session without a prompt ($name)', ({ create }) => {
  it('count in stats, whose sessions and tokens include it, and in tools and files with --all', async () => {
    using claude = createClaudeHome();
    claude.write(`-home-ada-shop/${ASKED}.jsonl`, callIn(ASKED, 'Look into a.ts'));
    claude.write(`-home-ada-shop/${UNASKED}.jsonl`, callIn(UNASKED, null));
    await using program = await create(claude.path);
    const run = async (...words: string[]) =>
      JSON.parse((await runCommand([...words, '--json'], { config: program.config, openApp: program.open })).out);
    const stats = await run('stats');
    expect({ sessions: stats.sessions, calls: stats.tools[0].calls }).toEqual({ sessions: 2, calls: 2 });
    expect((await run('tools')).tools).toMatchObject([{ name: 'Read', calls: 1 }]);
    expect((await run('tools', '--all')).tools).toMatchObject([{ name: 'Read', calls: 2 }]);
    expect((await run('files')).files).toMatchObject([{ reads: 1 }]);
    expect((await run('files', '--all')).files).toMatchObject([{ reads: 2 }]);
  });

  it('end with a note if there are more rows', async () => {
    using claude = createClaudeHome();
    const talk = createTalk(ASKED);
    const calls = ['a', 'b'].map((name) =>
      talk.assistant(`m_${name}`, toolUse(`t_${name}`, 'Read', { file_path: `/home/ada/shop/${name}.ts` }), {
        input: 1,
        output: 1,
      }),
    );
    claude.write(`-home-ada-shop/${ASKED}.jsonl`, [
      talk.user('Look'),
      ...calls,
      talk.result('t_a', 'a'),
      talk.result('t_b', 'b'),
    ]);
    await using program = await create(claude.path);
    const run = (...words: string[]) => runCommand(words, { config: program.config, openApp: program.open });
    const [first, all] = [await run('files', '-n', '1'), await run('files', '-n', '2')];
    expect([first.out.trim().split('\n').length, first.err]).toEqual([2, 'More results: use -n N.\n']);
    expect([all.out.trim().split('\n').length, all.err]).toEqual([3, '']);
  });
});
