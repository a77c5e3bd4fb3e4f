import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openApp } from '../../src/app/open-app.ts';
import { loadConfig } from '../../src/config.ts';
import { fixedClock, silentLog } from '../support/programs.ts';
import { type Bench, captured, createLab, expectGivenBack, expectUnderstood, tokensOf, until } from './lab.ts';
import { say, type Script, tool } from './model.ts';

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

async function listTeams({ dataHome, claudeHome }: Bench) {
  const { config } = loadConfig({ FUEL_CODE_HOME: dataHome, CLAUDE_CONFIG_DIR: claudeHome });
  await using app = await openApp({ config, clock: fixedClock, log: silentLog });
  return (await app.get('/teams', { query: { limit: 10 } })).teams;
}

// Finding 2.6. The client makes teams in a terminal only: in print mode agents with a name are ordinary sub-agents.
describe('a team in a terminal', () => {
  it('is one team with its members, what they did, said and cost', async () => {
    await using lab = await createLab(SCRIPT, { env: { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' } });
    const sessionId = randomUUID();
    await using terminal = lab.open('--session-id', sessionId, 'Build the shop with a team');
    await until(() => {
      // Both have told the lead, and alice has read what she was told.
      expect(lab.transcript(sessionId)).toContain('summary=\\"Done\\"');
      expect(lab.transcript(sessionId)).toContain('\\"result\\":\\"The shelves are built.\\"');
      expect(lab.transcript(sessionId)).toContain('I hurry.');
    });
    await terminal.type('/exit');
    expect(await terminal.left()).toBe(0);
    const session = await captured(lab, sessionId);
    expectUnderstood(session);
    await expectGivenBack(lab, sessionId);
    expect(session).toMatchObject({ subagent_count: 2, user_messages: 1 });
    expect(tokensOf(session)).toEqual(lab.model.billed());

    const teams = await listTeams(lab);
    const team_name = `session-${sessionId.slice(0, 8)}`;
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
