import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openApp } from '../../src/app/open-app.ts';
import { loadConfig } from '../../src/config.ts';
import { fixedClock, silentLog } from '../support/fixed-clock.ts';
import {
  type Bench,
  captured,
  createLab,
  expectGivenBack,
  expectUnderstood,
  isBefore,
  tokensOf,
  until,
} from './lab.ts';
import { type Script, say, tool } from './model.ts';
import { rawLines, rawTokens } from './raw.ts';
import type { Terminal } from './terminal.ts';

const SCRIPT: Script = [
  [
    'Build the shop',
    [
      [tool('ToolSearch', { query: 'select:SendMessage' })],
      [member('alice', 'the checkout'), member('bob', 'the shelves')],
      [tool('SendMessage', { to: 'alice', summary: 'Hurry', message: 'You are asked to hurry.' })],
      say('The team is at work.'),
    ],
  ],
  [
    'You build the checkout',
    [
      [tool('SendMessage', { to: 'team-lead', summary: 'Done', message: 'The checkout stands.' })],
      say('The checkout is built.'),
    ],
  ],
  ['You build the shelves', [say('The shelves are built.')]],
  ['asked to hurry', [say('I hurry.')]],
  ['teammate-message', [say('Noted.')]],
  ['<task-notification>', [say('Noted.')]],
];

function member(name: string, part: string) {
  const task = { description: `Build ${part}`, prompt: `You build ${part} of the shop.` };
  return tool('Agent', { name, ...task, subagent_type: 'general-purpose' });
}

/** Everything in the files of a session. */
function said({ claudeHome, filesOf }: Bench, sessionId: string): string {
  return [...filesOf(sessionId).keys()].map((path) => readFileSync(join(claudeHome, path), 'utf8')).join('\n');
}

/** With a team, old clients ignore /exit, so their terminal is closed. */
async function leave(terminal: Terminal): Promise<void> {
  if (isBefore('2.1.325')) return terminal[Symbol.asyncDispose]();
  await terminal.type('/exit');
  expect(await terminal.left()).toBe(0);
}

async function listTeams({ dataHome, claudeHome }: Bench) {
  const { config } = loadConfig({ FUEL_CODE_HOME: dataHome, CLAUDE_CONFIG_DIR: claudeHome });
  await using app = await openApp({ config, clock: fixedClock, log: silentLog });
  return (await app.get('/teams', { query: { limit: 10 } })).teams;
}

// The client creates teams only in a terminal: in print mode, named agents are ordinary sub-agents.
describe('a team in a terminal', () => {
  it('is one team with its members, their work, messages and cost', async (context) => {
    if (isBefore('2.1.200')) context.skip('Teams of named agents were tried with clients from 2.1.200 on only.');
    await using lab = await createLab(SCRIPT, { env: { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' } });
    const sessionId = randomUUID();
    await using terminal = lab.open('--session-id', sessionId, 'Build the shop with a team');
    await until(() => {
      // Alice has written to the lead and read her messages, and Bob is done. Old clients do not report that to the lead.
      expect(lab.transcript(sessionId)).toContain('summary=\\"Done\\"');
      expect(said(lab, sessionId)).toContain('The shelves are built.');
      expect(said(lab, sessionId)).toContain('I hurry.');
      // Nobody waits for an answer, which the client would not write if it exited.
      expect(rawTokens(rawLines(lab, sessionId))).toEqual(lab.model.billed());
    });
    await leave(terminal);
    const session = await captured(lab, sessionId);
    expectUnderstood(session);
    await expectGivenBack(lab, sessionId);
    expect(session).toMatchObject({ subagent_count: 2, user_messages: 1 });
    expect(tokensOf(session)).toEqual(rawTokens(rawLines(lab, sessionId)));

    const teams = await listTeams(lab);
    const team_name = /"team_name":"([^"]+)"/.exec(lab.transcript(sessionId))?.[1];
    expect(team_name).toMatch(/^session-/);
    expect(teams).toMatchObject([{ session_id: sessionId, team_name, teammates: 2 }]);
    const worked = { agent_type: 'general-purpose', session_id: null, cost_estimate_usd: expect.any(Number) as number };
    expect(teams[0]?.members.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject([
      {
        ...worked,
        name: 'alice',
        title: 'Build the checkout',
        messages_sent: 1,
        messages_received: 1,
        agent_ids: [expect.stringMatching(/^aalice-/)],
      },
      {
        ...worked,
        name: 'bob',
        title: 'Build the shelves',
        messages_sent: 0,
        messages_received: 0,
        agent_ids: [expect.stringMatching(/^abob-/)],
      },
    ]);
  });
});
