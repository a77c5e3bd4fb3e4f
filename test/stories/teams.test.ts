import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { PROGRAMS, type Program } from '../support/programs.ts';

const LEAD = 'aaaaaaaa-0000-4000-8000-000000000000';
const ALICE = 'bbbbbbbb-0000-4000-8000-000000000000';
const LATER_LEAD = 'cccccccc-0000-4000-8000-000000000000';
const LATER_ALICE = 'dddddddd-0000-4000-8000-000000000000';
const INSIDE_LEAD = 'eeeeeeee-0000-4000-8000-000000000000';
const usage = { input: 10, output: 5 };

/** A team as written by Claude Code 2.1.39: teammates have separate sessions, and every line names team and agent. */
function writeTeam(claude: ClaudeHome, lead: string, member: string, day: string) {
  const talk = createTalk(lead, { startedAt: `${day}T10:00:00.000Z`, prefix: `${day.slice(-2)}1` });
  const named = (lines: object[], agentName: string) => lines.map((line) => ({ ...line, teamName: 'crew', agentName }));
  const call = (id: string, name: string, input: object) =>
    talk.assistant(`msg_${day}_${id}`, { type: 'tool_use', id: `${day}${id}`, name, input }, usage);
  const result = (id: string, said: string, structured: object) => ({
    ...talk.result(`${day}${id}`, said),
    toolUseResult: structured,
  });
  const spawned = { status: 'teammate_spawned', agent_id: 'alice@crew', agent_type: 'alice', name: 'alice' };
  const lines = [
    talk.user('Build the shop with a team.'),
    call('t1', 'TeamCreate', { team_name: 'crew', description: 'builders' }),
    result('t1', 'ok', { team_name: 'crew', lead_agent_id: 'team-lead@crew' }),
    call('t2', 'Agent', { name: 'alice', team_name: 'crew', subagent_type: 'general-purpose', prompt: 'Build it.' }),
    result('t2', 'Spawned.', { ...spawned, team_name: 'crew', color: 'blue' }),
    call('t3', 'SendMessage', { to: 'alice', message: 'Faster.' }),
    result('t3', 'sent', { success: true, routing: { sender: 'team-lead', target: '@alice' } }),
    talk.user('<teammate-message teammate_id="alice" color="blue" summary="done">\nBuilt.\n</teammate-message>'),
    talk.user(
      '<teammate-message teammate_id="alice">\n{"type":"idle_notification","from":"alice"}\n</teammate-message>',
    ),
  ];
  claude.write(`-shop/${lead}.jsonl`, named(lines, 'team-lead'));
  const own = createTalk(member, { startedAt: `${day}T10:01:00.000Z`, prefix: `${day.slice(-2)}2` });
  const task = 'Write the checkout page and its tests.';
  const work = [
    own.user(`<teammate-message teammate_id="team-lead" summary="task">\n${task}\n</teammate-message>`),
    own.assistant(`msg_${day}_own`, text('Written.'), usage),
  ];
  claude.write(`-shop/${member}.jsonl`, named(work, 'alice'));
}

/** A team as written by Claude Code 2.1.325: teammates are sub-agents of the lead's session, and lines name no team. */
function writeTeamInside(claude: ClaudeHome, lead: string) {
  const talk = createTalk(lead, { startedAt: '2026-10-01T10:00:00.000Z', prefix: 'inside' });
  const agentId = 'abob-5115efbe603bb730';
  const spawned = {
    status: 'teammate_spawned',
    agentId,
    agent_id: agentId,
    agent_type: 'general-purpose',
    teammate_id: 'bob@session-eeeeeeee',
    name: 'bob',
    color: 'green',
    team_name: 'session-eeeeeeee',
  };
  const input = { name: 'bob', description: 'Build the shelves', prompt: 'Build them.' };
  claude.write(`-shop/${lead}.jsonl`, [
    talk.user('Build the shelves with a team.'),
    talk.assistant('msg_inside', { type: 'tool_use', id: 'toolu_inside', name: 'Agent', input }, usage),
    { ...talk.result('toolu_inside', 'Spawned.'), toolUseResult: spawned },
  ]);
  const own = createTalk(lead, { startedAt: '2026-10-01T10:01:00.000Z', prefix: 'bob' });
  const work = [
    own.user('<teammate-message teammate_id="team-lead" summary="Build">\nBuild them.\n</teammate-message>'),
    own.assistant('msg_bob', text('Built.'), usage),
  ];
  const folder = `-shop/${lead}/subagents/agent-${agentId}`;
  claude.write(
    `${folder}.jsonl`,
    work.map((line) => ({ ...line, isSidechain: true, agentId })),
  );
  const meta = { agentType: 'bob', description: 'Build the shelves', name: 'bob', teamName: 'session-eeeeeeee' };
  claude.write(`${folder}.meta.json`, [meta]);
}

// Regression: teams could not be followed.
describe.each(PROGRAMS)('teams ($name)', ({ create }) => {
  let claude: ClaudeHome;
  let program: Program;
  let app: App;

  beforeAll(async () => {
    claude = createClaudeHome();
    writeTeam(claude, LEAD, ALICE, '2026-11-01');
    writeTeam(claude, LATER_LEAD, LATER_ALICE, '2026-11-02');
    writeTeamInside(claude, INSIDE_LEAD);
    program = await create(claude.path);
    app = await program.open();
    await app.importNew();
  });
  afterAll(async () => {
    await app.close();
    await program[Symbol.asyncDispose]();
    claude[Symbol.dispose]();
  });

  it('lists each team once, with its members and their sessions', async () => {
    const { teams } = await app.get('/teams', { query: { limit: 10 } });
    expect(teams.map(({ session_id, teammates }) => [session_id, teammates])).toEqual([
      [LATER_LEAD, 1],
      [LEAD, 1],
      [INSIDE_LEAD, 1],
    ]);
    expect(teams[1]).toMatchObject({ team_name: 'crew', description: 'builders', lead_agent_id: 'team-lead@crew' });
    expect(teams[1]?.members).toEqual([
      expect.objectContaining({
        name: 'alice',
        agent_type: 'general-purpose',
        color: 'blue',
        session_id: ALICE,
        title: 'Write the checkout page and its tests',
        messages_sent: 1,
        messages_received: 1,
        total_messages: 2,
        cost_estimate_usd: expect.any(Number) as number,
      }),
    ]);
  });

  it('a teammate within its lead’s session has a title, messages and a cost', async () => {
    const { teams } = await app.get('/teams', { query: { limit: 10 } });
    expect(teams[2]).toMatchObject({ team_name: 'session-eeeeeeee' });
    expect(teams[2]?.members).toEqual([
      expect.objectContaining({
        name: 'bob',
        session_id: null,
        agent_ids: ['abob-5115efbe603bb730'],
        title: 'Build the shelves',
        total_messages: 2,
        cost_estimate_usd: expect.any(Number) as number,
      }),
    ]);
  });

  it('a teammate’s session is titled after its first task and links to its lead’s session', async () => {
    const own = await app.get('/sessions/:id', { params: { id: LATER_ALICE } });
    expect(own.title).toBe('Write the checkout page and its tests');
    expect(own.team).toEqual({ team_name: 'crew', agent_name: 'alice', lead_session_id: LATER_LEAD });
    const lead = await app.get('/sessions/:id', { params: { id: LEAD } });
    expect(lead.team).toEqual({ team_name: 'crew', agent_name: 'team-lead', lead_session_id: null });
    expect(lead.title).toBe('Build the shop with a team');
  });
});
