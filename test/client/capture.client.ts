import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../../src/domain/query.ts';
import { captured, costStateOf, createLab, expectGivenBack, tokensOf } from './lab.ts';
import { text, thinking, tool } from './model.ts';

const SCRIPT = [
  ['count the apples', [
      [thinking('I should look.'), text('I look.'), tool('Bash', { command: 'cat README.md', description: 'Look' })],
      [text('There are some.')],
  ]],
] as const;

describe('a session in print mode', () => {
  it('is captured byte for byte within seconds after its end', async () => {
    await using lab = await createLab(SCRIPT);
    const run = await lab.print('Please count the apples');
    expect(run).toMatchObject({ code: 0, result: 'There are some.', stderr: '' });
    const session = await captured(lab, run.sessionId);
    const lag = performance.now() - run.endedAt;
    console.log('lag', lag);
    await expectGivenBack(lab, run.sessionId);
    expect(session).toMatchObject({ initial_prompt: 'Please count the apples', anomalies: {}, tool_use_count: 1 });
    expect(tokensOf(session)).toEqual(lab.model.billed());
    expect(costStateOf(lab.transcript(run.sessionId))).toEqual(lab.model.billed());
    const rows = await lab.ask<SessionRow[]>('sessions', '--no-import');
    console.log(rows);
  });
});
