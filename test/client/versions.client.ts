import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driftOf } from './drift.ts';
import {
  captured,
  costStateOf,
  createLab,
  expectGivenBack,
  expectUnderstood,
  linesOf,
  tokensOf,
  VERSIONS,
  writesNoOutputTokens,
} from './lab.ts';
import { type Script, say, text, tool } from './model.ts';

const SCRIPT: Script = [
  [
    'count the apples',
    [[text('I look.'), tool('Bash', { command: 'cat README.md', description: 'Look' })], say('There are some.')],
  ],
];

describe.each(VERSIONS)('Claude Code %s', (version) => {
  it('is captured and parsed', async () => {
    await using lab = await createLab(SCRIPT, { version });
    const run = await lab.print('Please count the apples');
    expect(run).toMatchObject({ code: 0, result: 'There are some.', stderr: '' });
    // Whether this version runs our hooks is checked below.
    expect((await lab.fuelCode('worker', '--once')).code).toBe(0);
    const session = await captured(lab, run.sessionId);
    await expectGivenBack(lab, run.sessionId);
    const isUndercounted = writesNoOutputTokens(version);
    expect(session).toMatchObject({
      cc_version: version,
      initial_prompt: 'Please count the apples',
      user_messages: 1,
      tool_use_count: 1,
    });
    expectUnderstood(session);
    expect(session.anomalies['undercounted_usage']).toBe(isUndercounted ? 2 : undefined);
    const billed = lab.model.billed();
    expect(tokensOf(session)).toEqual(isUndercounted ? { ...billed, output: 2 } : billed);
    const lines = linesOf(lab.transcript(run.sessionId));
    const own = costStateOf(lab.transcript(run.sessionId));
    if (own !== null) expect(own).toEqual(billed);
    console.log(`${version}: ${lines.length} lines, unknown: ${driftOf(lab).join(', ') || 'nothing'}`);
  });

  it('runs our hooks, and the other settings in the same file still apply', async () => {
    await using lab = await createLab(SCRIPT, { version });
    const path = join(lab.claudeHome, 'settings.json');
    const settings = JSON.parse(readFileSync(path, 'utf8')) as object;
    writeFileSync(path, JSON.stringify({ ...settings, permissions: { deny: ['Bash(cat:*)'] } }));
    const run = await lab.print('Please count the apples');
    expect(run.code).toBe(0);
    expect(lab.model.requests.flatMap(({ toolResults }) => toolResults).join('\n')).toContain('denied');
    await captured(lab, run.sessionId);
    await expectGivenBack(lab, run.sessionId);
  });
});
