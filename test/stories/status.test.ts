import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { NOW, PROGRAMS } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

const LIVE = '11111111-1111-4111-8111-111111111111';
const OLD = '22222222-1111-4111-8111-111111111111';
const OPUS_NANOS = 1_000 * 5_000 + 100 * 25_000 + 100 * 500 + 10 * 6_250;

function linesOf(id: string, startedAt: string, prompt: string): readonly object[] {
  const talk = createTalk(id, { startedAt, prefix: id.slice(0, 4) });
  return [talk.user(prompt), talk.assistant(`msg_${id}`, text('Done.'), { input: 1_000, output: 100 })];
}

describe.each(PROGRAMS)('status on $name', ({ create }) => {
  it('shows live sessions and today’s usage, and no older sessions', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    const world = { config: program.config, openApp: () => program.open() };
    const empty = await runCommand(['status'], world);
    expect(empty.out).toMatch(/Live +none\nUsage +none this month\n/);

    home.write(`-w/${OLD}.jsonl`, linesOf(OLD, '2026-11-01T10:00:00.000Z', 'Sweep the floor.'));
    const live = home.write(`-w/${LIVE}.jsonl`, linesOf(LIVE, NOW.toISOString(), 'Mend the till.\u001b[31m'));
    utimesSync(live, NOW, NOW);
    await using app = await program.open();
    await app.importNew();

    const { out } = await runCommand(['status'], world);
    expect(out).toMatch(/Live +1 session\n +11111111 Mend the till/);
    expect(out).not.toContain('\u001b');
    expect(out).not.toContain('Sweep the floor');
    expect(out).toMatch(/Usage +today \$0\.0076 \(1\.2k tokens\), this month \$0\.02 \(2\.4k tokens\)\n/);
    const json = JSON.parse((await runCommand(['status', '--json'], world)).out);
    expect(json.live).toMatchObject({ count: 1, sessions: [{ id: LIVE }] });
    expect(json.today).toMatchObject({ messages: 1, tokens_in: 1_000, tokens_out: 100, cost_nanos: OPUS_NANOS });
    expect(await app.get('/status')).toMatchObject({ live: json.live, today: json.today });
  });

  it('says that a process is waiting to start the worker', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    const world = { config: program.config, openApp: () => program.open() };
    expect((await runCommand(['status'], world)).out).toMatch(/Worker +not running; hooks and commands start it/);
    const note = (pid: number | undefined) => writeFileSync(join(program.config.home, 'sentinel.pid'), `${pid}\n`);
    const waiting = spawn(process.execPath, ['-e', 'process.stdin.resume()', 'sentinel']);
    try {
      await once(waiting, 'spawn');
      note(waiting.pid);
      expect((await runCommand(['status'], world)).out).toContain(`idle; process ${waiting.pid} starts it`);
      const { out } = await runCommand(['status', '--json'], world);
      expect(JSON.parse(out).sentinel).toEqual({ pid: waiting.pid });
    } finally {
      waiting.kill('SIGKILL');
      await once(waiting, 'exit');
    }
    expect((await runCommand(['status'], world)).out, 'it is gone').toContain('not running; hooks');
    if (process.platform !== 'linux') return;
    note(process.pid);
    expect((await runCommand(['status'], world)).out, 'another program has its number').toContain('not running; hooks');
  });
});
