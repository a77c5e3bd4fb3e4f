import { describe, expect, it } from 'vitest';
import { fixture, parseBytes, parseFiles, type TestFile } from '../testing/parse-text.ts';

const sessionId = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';
const AGENT = 'a1b2c3d4e5f60718';

const main: TestFile = { bytes: fixture('subagents/main.jsonl') };
const agent: TestFile = { bytes: fixture(`subagents/agent-${AGENT}.jsonl`), agentId: AGENT };
const nested: TestFile = { bytes: fixture('subagents/agent-adeep77.jsonl'), agentId: 'adeep77' };

describe('sub-agents', () => {
  it('show every folder and branch they worked in if they are all that is left of a session', () => {
    const line = (cwd: string, gitBranch: string, uuid: string) =>
      `${JSON.stringify({ type: 'user', isSidechain: true, sessionId, uuid, cwd, gitBranch, timestamp: '2026-01-01T10:00:00.000Z', message: { role: 'user', content: 'Look' } })}\n`;
    const left: TestFile[] = [
      { bytes: Buffer.from(line('/shop', 'main', 'u1') + line('/shop', 'fix/basket', 'u2')), agentId: 'a1' },
      { bytes: Buffer.from(line('/shop/app', 'main', 'u3')), agentId: 'a2' },
    ];
    const { session } = parseFiles(left, { sessionId });
    expect(session.facts).toMatchObject({ cwds: ['/shop', '/shop/app'], gitBranches: ['main', 'fix/basket'] });
    const whole = parseFiles([main, ...left], { sessionId });
    expect(whole.session.facts.gitBranches).not.toContain('fix/basket');
  });

  it('with their own files are linked, nested and counted with the session; the echo counts nothing', () => {
    const { session } = parseFiles([main, agent, nested], { sessionId });
    const facts = session.subagents.map(
      ({ agentId, parentAgentId, toolUseId, linkedBy, source, agentType, status }) => {
        return [agentId, parentAgentId, toolUseId, linkedBy, source, agentType, status];
      },
    );
    expect(facts).toEqual([
      [AGENT, null, 't_agent', 'result', 'file', 'Explore', 'completed'],
      ['adeep77', AGENT, 't_nest', 'text', 'file', 'Explore', 'completed'],
      ['a99', null, 't_lost', 'result', 'none', 'Plan', 'completed'],
    ]);
    expect(session.subagents[0]).toMatchObject({
      isBackground: true,
      stats: { tokens: { output: 50 }, filesWritten: 1, linesAdded: 2 },
    });
    expect(session.subagents.map((found) => found.rolledUp.tokens.output)).toEqual([57, 7, 0]);
    expect(session.subagents[2]).toMatchObject({
      reportedTokens: 1234,
      reportedDurationMs: 5000,
      stats: { messages: 0 },
    });
    expect(session.stats).toMatchObject({
      subagentCount: 3,
      tokensOut: 10 + 10 + 30 + 20 + 7,
      userMessages: 1,
      toolUseCount: 4,
    });
  });

  it('C26 without a file, the echo in progress lines is the record; a late file replaces it', () => {
    const { session } = parseFiles([main], { sessionId });
    expect(session.subagents[0]).toMatchObject({
      agentId: AGENT,
      source: 'progress',
      stats: { tokens: { output: 1 } },
    });
    const late = parseFiles([main, agent], { sessionId }).session;
    expect(late.subagents[0]).toMatchObject({ source: 'file', stats: { tokens: { output: 50 } } });
    expect(late.subagents.map((found) => found.agentId)).toEqual([AGENT, 'a99']);
  });

  it('C26 in a truncated file, messages that only the echo has are counted once', () => {
    const short = agent.bytes.subarray(0, agent.bytes.indexOf(0x0a) + 1);
    const { session } = parseFiles([main, { ...agent, bytes: short }], { sessionId });
    expect(session.subagents[0]).toMatchObject({
      source: 'file',
      stats: { tokens: { input: 1, output: 1 }, messages: 2 },
    });
    const counted = session.messages.filter((message) => message.usageKey === 'msg_s');
    expect(counted).toMatchObject([{ agentId: AGENT, usage: { output: 1 }, lines: [{ file: 0, line: 4 }] }]);
  });

  it('agent_progress alone yields messages, usage once and the calling tool', () => {
    const { session } = parseBytes(fixture('agent-progress-only.jsonl'), { sessionId });
    expect(session.subagents).toMatchObject([
      {
        agentId: 'a2018e5',
        linkedBy: 'result',
        source: 'progress',
        stats: { tokens: { output: 25, cacheWrite5m: 11_560 } },
      },
    ]);
    expect(session.stats).toMatchObject({ tokensOut: 35, toolUseCount: 2, userMessages: 1 });
    expect(session.toolCalls.find((call) => call.id === 't_ws')).toMatchObject({ agentId: 'a2018e5', status: 'ok' });
  });

  it('inline side chains of old clients are linked by their prompt', () => {
    const { session } = parseBytes(fixture('inline-sidechain.jsonl'), { sessionId });
    expect(session.subagents).toMatchObject([
      { source: 'inline', linkedBy: 'prompt', toolUseId: 't_task', stats: { messages: 4 } },
    ]);
    expect(session.messages.filter((message) => message.agentId === null)).toHaveLength(4);
    expect(session.stats).toMatchObject({ userMessages: 1, subagentCount: 1, assistantMessages: 4 });
    expect(session.turns.map((turn) => [turn.origin, turn.stats.messages])).toEqual([
      ['human', 4],
      ['agent_prompt', 4],
    ]);
  });

  it('the meta file of an agent is the most reliable link', () => {
    const meta = {
      agentType: 'custom',
      toolUseId: 't_lost',
      description: 'd',
      spawnDepth: 1,
      name: 'n',
      worktreePath: '/w',
    };
    const { session } = parseFiles([main, { ...agent, meta }], { sessionId });
    expect(session.subagents[0]).toMatchObject({
      linkedBy: 'meta',
      toolUseId: 't_lost',
      agentType: 'custom',
      worktreePath: '/w',
    });
  });

  it('a side question replays messages of the main thread, which counts them', () => {
    const files = [
      { bytes: fixture('side-question/main.jsonl') },
      { bytes: fixture('side-question/agent-aside_question-12ab.jsonl'), agentId: 'aside_question-12ab' },
    ];
    for (const order of [files, files.toReversed()]) {
      const { session } = parseFiles(order, { sessionId });
      expect(session.stats).toMatchObject({ tokensOut: 59, assistantMessages: 2, subagentCount: 1 });
      const counted = session.messages.filter((message) => message.usage !== null);
      expect(counted.map((message) => message.usageKey).toSorted()).toEqual(['msg_a', 'msg_q']);
      expect(counted.find((message) => message.apiMessageId === 'msg_a')?.agentId).toBeNull();
      expect(session.subagents[0]?.agentType).toBe('side-question');
    }
  });

  it('determine place and time of a session without its own file; otherwise that file takes precedence', () => {
    const line = (at: string, cwd: string) =>
      Buffer.from(
        `${JSON.stringify({
          type: 'user',
          isSidechain: true,
          agentId: 'a1',
          sessionId,
          uuid: at,
          cwd,
          gitBranch: 'topic',
          timestamp: `2026-03-01T10:00:${at}.000Z`,
          message: { role: 'user', content: 'Look.' },
        })}\n`,
      );
    const early: TestFile = { bytes: line('05', '/shop/web'), agentId: 'a1' };
    const late: TestFile = { bytes: Buffer.concat([line('09', '/shop'), line('03', '/shop')]), agentId: 'a2' };
    expect(parseFiles([early, late], { sessionId }).session.facts).toMatchObject({
      startedAt: '2026-03-01T10:00:03.000Z',
      endedAt: '2026-03-01T10:00:09.000Z',
      cwds: ['/shop/web', '/shop'],
      gitBranches: ['topic'],
    });
    const own = parseFiles([main], { sessionId }).session.facts;
    const { startedAt, endedAt, cwds, gitBranches } = own;
    expect(parseFiles([main, early, late], { sessionId }).session.facts).toMatchObject({
      startedAt,
      endedAt,
      cwds,
      gitBranches,
    });
  });

  it('an empty agent file without any reference is not a sub-agent', () => {
    expect(
      parseFiles([main, { bytes: Buffer.alloc(0), agentId: 'warm-up' }], { sessionId }).session.subagents,
    ).toHaveLength(2);
  });
});

it('teams: the lead knows its teammates and their number of messages', () => {
  const { session } = parseBytes(fixture('team.jsonl'), { sessionId });
  expect(session.teams).toMatchObject([
    {
      name: 'crew',
      description: 'builders',
      leadAgentId: 'team-lead@crew',
      createdAt: '2026-03-01T10:00:01.000Z',
      endedAt: '2026-03-01T10:00:21.000Z',
      members: [{ id: 'worker@crew', name: 'worker', color: 'blue', messagesSent: 1, messagesReceived: 0 }],
    },
  ]);
  expect(session.facts.teamName).toBe('crew');
  expect(session.stats.userMessages).toBe(1);
});

it('teams: a message delivered twice by the client was sent once', () => {
  const lead = fixture('team.jsonl');
  const delivered = linesOf(lead).find((line) => line.includes('<teammate-message'));
  const again = { ...(JSON.parse(delivered ?? '') as object), uuid: 'delivered-again' };
  const twice = Buffer.concat([lead, Buffer.from(`${JSON.stringify(again)}\n`)]);
  const sentOf = (files: readonly TestFile[]) =>
    parseFiles(files, { sessionId }).session.teams[0]?.members.map(({ name, messagesSent }) => [name, messagesSent]);
  expect(sentOf([{ bytes: twice }])).toEqual([['worker', 2]]);
  const own: TestFile = { bytes: sending('team-lead', true), agentId: 'aworker-1' };
  expect(sentOf([{ bytes: twice }, own])).toEqual([['worker', 1]]);
  // A message to another teammate, or one that was never sent, does not count for the lead.
  const other: TestFile = { bytes: sending('tester', true), agentId: 'aworker-2' };
  const failed: TestFile = { bytes: sending('team-lead', false), agentId: 'aworker-3' };
  expect(sentOf([{ bytes: twice }, own, other, failed])).toEqual([['worker', 1]]);
});

/** A message in a teammate's own file. */
function sending(target: string, success: boolean): Buffer {
  const id = `send-${target}-${String(success)}`;
  const common = { isSidechain: true, agentId: 'aworker', sessionId, timestamp: '2026-03-01T10:00:05.000Z' };
  const call = { type: 'tool_use', id, name: 'SendMessage', input: { to: target, message: 'Done.' } };
  const result = { type: 'tool_result', tool_use_id: id, content: 'Sent.' };
  const lines = [
    { ...common, type: 'assistant', uuid: `${id}-call`, message: { id, role: 'assistant', content: [call] } },
    {
      ...common,
      type: 'user',
      uuid: `${id}-result`,
      message: { role: 'user', content: [result] },
      toolUseResult: { success, routing: { sender: 'worker', target: `@${target}` } },
    },
  ];
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const linesOf = (bytes: Buffer) => bytes.toString().trim().split('\n');

describe('C22 C23 copies and lines of other sessions', () => {
  it('C22 the same session in two folders counts once', () => {
    const bytes = fixture('streamed-message.jsonl');
    const once = parseFiles([{ bytes }], { sessionId }).session;
    const twice = parseFiles([{ bytes }, { bytes }], { sessionId }).session;
    expect(twice.stats).toEqual(once.stats);
    expect(twice.messages).toEqual(once.messages);
    expect(twice.lines.total).toBe(2 * once.lines.total);
    expect(twice.anomalies.get('duplicate_uuid')).toBe(once.lines.total);
  });

  it('C22 a second, longer copy adds only what is new', () => {
    const bytes = fixture('streamed-message.jsonl');
    const short = bytes.subarray(0, bytes.indexOf('\n') + 1);
    expect(parseFiles([{ bytes: short }, { bytes }], { sessionId }).session.stats).toEqual(
      parseFiles([{ bytes }], { sessionId }).session.stats,
    );
  });

  it('C23 lines of another session are marked and linked', () => {
    const { session } = parseBytes(fixture('several-sessions.jsonl'), { sessionId });
    expect(session.messages.map((message) => message.isInherited)).toEqual([true, true, false, false]);
    expect(session.links).toEqual([{ kind: 'copied', sessionId: other, uuid: null, lines: 2 }]);
    expect(session.facts.foreignSessionIds).toEqual([other]);
    expect(session.anomalies.get('foreign_session')).toBe(2);
  });

  it('forks keep uuids and API messages: the same usage keys in both sessions', () => {
    const fork = parseBytes(fixture('fork.jsonl'), { sessionId: other }).session;
    expect(fork.messages.map((message) => message.usageKey)).toEqual([null, 'msg_a', null, 'msg_f']);
    expect(fork.messages.every((message) => !message.isInherited)).toBe(true);
    const branch = parseBytes(fixture('branch.jsonl'), { sessionId: other }).session;
    expect(branch.messages.map((message) => message.isInherited)).toEqual([true, true, false]);
    expect(branch.links).toMatchObject([{ kind: 'branched', sessionId, lines: 2 }]);
  });
});

describe('plans', () => {
  it('are proposed, rejected or approved', () => {
    const { session } = parseBytes(fixture('plan.jsonl'), { sessionId });
    expect(session.plans).toMatchObject([
      { status: 'rejected', toolUseId: 't_plan', filePath: '/home/dev/.claude/plans/quiet-otter.md', characters: 6 },
      { status: 'approved', toolUseId: 't_plan2', filePath: '/home/dev/.claude/plans/quiet-otter.md' },
    ]);
    expect(session.facts.permissionModes).toEqual(['plan']);
  });

  it('are not rejected if their call failed by itself', () => {
    const lines = linesOf(fixture('plan.jsonl')).map((line) => JSON.parse(line) as Record<string, unknown>);
    const bytes = lines.map((line) =>
      JSON.stringify(line).includes('"tool_use_id":"t_plan"') ? failedBy(line) : line,
    );
    const text = bytes.map((line) => `${JSON.stringify(line)}\n`).join('');
    expect(parseBytes(Buffer.from(text), { sessionId }).session.plans).toMatchObject([
      { status: 'proposed', toolUseId: 't_plan' },
      { status: 'approved', toolUseId: 't_plan2' },
    ]);
  });

  it('of a teammate wait for the lead', () => {
    const text = fixture('plan.jsonl')
      .toString()
      .replaceAll('"isAgent":false', '"isAgent":true,"awaitingLeaderApproval":true');
    const { plans } = parseBytes(Buffer.from(text), { sessionId }).session;
    expect(plans.map(({ status }) => status)).toEqual(['rejected', 'proposed']);
  });

  it('name the planning session in the session that executes them', () => {
    const { session } = parseBytes(fixture('plan-carried-out.jsonl'), { sessionId });
    expect(session.plans).toMatchObject([{ status: 'implemented', planningSessionId: other, characters: 6 }]);
    expect(session.links).toMatchObject([{ kind: 'planned', sessionId: other }]);
  });
});

function failedBy(line: Record<string, unknown>): object {
  const content = '<tool_use_error>Error: No such tool available: ExitPlanMode</tool_use_error>';
  const result = { type: 'tool_result', tool_use_id: 't_plan', is_error: true, content };
  return { ...line, message: { role: 'user', content: [result] }, toolUseResult: 'Error: No such tool available' };
}
