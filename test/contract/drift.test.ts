import { describe, expect, it } from 'vitest';
import { createClaudeHome, createTalk } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

const ID = '11111111-1111-4111-8111-111111111111';

// Regression: no command showed drift, there was no pass rate, and new values and kinds in results went unseen.
describe.each(PROGRAMS)('drift ($name)', ({ create }) => {
  it('counts known records per client version, and names what is unknown', async () => {
    using home = createClaudeHome();
    const { user, result } = createTalk(ID);
    home.write(`-home-ada-shop/${ID}.jsonl`, [
      // Lines before the first version were written by the same client.
      { type: 'mode', mode: 'brand_new', sessionId: ID },
      user('Hello'),
      { ...user('Again'), permissionMode: 'yolo', mood: 'good' },
      { ...user('And again'), mood: 'bad' },
      { ...result('t1', ''), message: { role: 'user', content: [hologramResult()] }, version: '2.1.325' },
      { ...user('Bye'), version: '2.1.325' },
      { type: 'brand-new', version: '2.1.325' },
    ]);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const drift = await app.get('/drift');
    expect(drift).toMatchObject({ records: 7, known: 2, pass_rate: 2 / 7 });
    expect(drift.versions).toEqual([
      { cc_version: '2.1.325', records: 3, known: 1, pass_rate: 1 / 3, sessions: 1 },
      { cc_version: '2.1.219', records: 4, known: 1, pass_rate: 1 / 4, sessions: 1 },
    ]);
    // The newest client first, and what it wrote most often.
    expect(drift.shapes.map(({ what, name, cc_version, count }) => `${cc_version} ${what} ${name} ${count}`)).toEqual([
      '2.1.325 kind user.message.content[]<tool_result>.content[]<hologram> 1',
      '2.1.325 line brand-new 1',
      '2.1.219 field user.mood 2',
      '2.1.219 value mode.mode=brand_new 1',
      '2.1.219 value user.permissionMode=yolo 1',
    ]);
    const world = { config: program.config, openApp: program.open };
    const { out } = await runCommand(['drift'], world);
    expect(out).toContain('2 of 7 records known (28.57%); 5 unknown shapes.');
    expect(out).toMatch(/2\.1\.325 +1 +3 +2 +33\.33%/);
    expect(out).toContain('user.permissionMode=yolo');
    expect(JSON.parse((await runCommand(['drift', '--json'], world)).out)).toEqual({ schema_version: 1, ...drift });
    const doctor = (await runCommand(['doctor', '--json'], world)).out;
    expect((JSON.parse(doctor) as { checks: object[] }).checks).toContainEqual({
      name: 'format',
      state: 'warn',
      message: expect.stringContaining('fuel-code drift') as unknown,
    });
  });

  it('says when everything is known and when there are no records', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    const world = { config: program.config, openApp: program.open };
    expect((await runCommand(['drift'], world)).out).toBe('No transcript has been parsed yet.\n');
    home.write(`-home-ada-shop/${ID}.jsonl`, [createTalk(ID).user('Hello')]);
    expect((await runCommand(['drift'], world)).out).toContain('1 of 1 record known (100%).');
  });
});

function hologramResult() {
  return { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'hologram' }, { type: 'text', text: 'x' }] };
}
