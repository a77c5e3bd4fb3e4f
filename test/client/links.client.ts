import { describe, expect, it } from 'vitest';
import type { SessionDetail, SessionRow } from '../../src/api/sessions.ts';
import { captured, createLab, isBefore, type Lab, tokensOf, VERSIONS } from './lab.ts';
import { type Script, say } from './model.ts';
import { rawLines, warmUpsIn } from './raw.ts';

const SCRIPT: Script = [
  ['apples', [say('Some apples.')]],
  ['pears', [say('Some pears.')]],
  ['plums', [say('Some plums.')]],
];

async function beganFrom(lab: Lab, sessionId: string): Promise<unknown> {
  await captured(lab, sessionId);
  expect((await lab.fuelCode('backfill')).code).toBe(0);
  const { metadata } = await lab.ask<SessionDetail>('session', sessionId);
  return (metadata as { readonly began_from?: unknown }).began_from;
}

describe.each(VERSIONS)('Claude Code %s', (version) => {
  it.each([{ hooks: true }, { hooks: false }])(
    'forks a session, which keeps its messages when it is resumed (hooks: $hooks)',
    async ({ hooks }) => {
      await using lab = await createLab(SCRIPT, { version, hooks });
      const parent = (await lab.print('Count the apples')).sessionId;
      const before = lab.model.billed();
      const fork = (await lab.print('And the pears', { words: ['--resume', parent, '--fork-session'] })).sessionId;
      expect((await lab.print('And the plums', { words: ['--resume', parent] })).sessionId).toBe(parent);
      expect((await lab.fuelCode('backfill')).code).toBe(0);
      expect(await beganFrom(lab, fork)).toEqual([{ kind: 'forked', session_id: parent }]);
      expect(await beganFrom(lab, parent)).toEqual([]);
      const own = await lab.ask<SessionDetail>('session', fork);
      const assistant_messages = 1 + warmUpsIn(rawLines(lab, fork));
      expect(own).toMatchObject({ user_messages: 1, assistant_messages });
      const rows = await lab.ask<SessionDetail>('session', parent);
      expect(tokensOf(rows as SessionRow).input).toBeGreaterThan(before.input);
    },
  );
});

describe('Claude Code in print mode', () => {
  it.for([{ hooks: true }, { hooks: false }])(
    'clears a session for another one (hooks: $hooks)',
    async ({ hooks }, context) => {
      await using lab = await createLab(SCRIPT, { hooks });
      const first = (await lab.print('Count the apples')).sessionId;
      const second = (await lab.print('/clear', { words: ['--resume', first] })).sessionId;
      if (second === first && isBefore('2.1.200')) context.skip('This client knows no /clear in print mode.');
      expect(second).not.toBe(first);
      expect((await lab.fuelCode('backfill')).code).toBe(0);
      expect(await beganFrom(lab, second)).toEqual([{ kind: 'cleared', session_id: first }]);
    },
  );
});
