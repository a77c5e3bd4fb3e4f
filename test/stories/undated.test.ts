import { describe, expect, it } from 'vitest';
import { createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const USAGE = { input: 3, output: 40 };
/** Invalid timestamps, and none at all. */
const TIMES = [undefined, null, '', 'never', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', 1_700_000_000_000];

describe.each(PROGRAMS)('messages without a usable time, on $name', ({ create }) => {
  it('are counted by every report, but on no day', async () => {
    using home = createClaudeHome();
    const talk = createTalk(ID, { startedAt: '2026-09-01T10:00:00.000Z' });
    const undated = TIMES.map((timestamp, at) => ({ ...talk.assistant(`u${at}`, text('Yes.'), USAGE), timestamp }));
    home.write(`-home-ada-shop/${ID}.jsonl`, [
      talk.user('When?'),
      ...undated,
      talk.assistant('m', text('Now.'), USAGE),
    ]);
    await using program = await create(home.path);
    const run = (...words: string[]) => runCommand(words, { config: program.config, openApp: program.open });
    await run('backfill');
    const stats = await run('stats', '--json');
    expect(JSON.parse(stats.out)).toMatchObject({ active_days: 1, longest_streak_days: 1, total: { messages: 8 } });
    expect((await run('stats')).out).toContain('1 active, from 2026-09-01 to 2026-09-01');
    for (const words of [['cost'], ['cost', '--by', 'week'], ['timeline'], ['tools'], ['sessions'], ['session', ID]]) {
      expect(await run(...words), words.join(' ')).toMatchObject({ error: null, err: '' });
    }
  });

  it('a session without any is undated in the timeline', async () => {
    using home = createClaudeHome();
    const line = { ...createTalk(ID).user('When?'), timestamp: 'never' };
    home.write(`-home-ada-shop/${ID}.jsonl`, [line]);
    await using program = await create(home.path);
    const { out } = await runCommand(['timeline'], { config: program.config, openApp: program.open });
    expect(out).toMatch(/^undated\n {9}11111111 {2}When\?\n/);
  });
});
