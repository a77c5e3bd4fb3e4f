import { describe, expect, it } from 'vitest';
import { createClaudeHome, createTalk, toolUse } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

const ID = '11111111-1111-4111-8111-111111111111';

const DENIED = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
const STOPPED = '[Request interrupted by user for tool use]';

/** One turn with a call that failed, one that was denied, one that was interrupted and one that worked. */
function callsOfEveryKind(): readonly object[] {
  const talk = createTalk(ID);
  const outcomes = [
    ['fails', 'Exit code 2\nboom', true],
    ['denied', DENIED, true],
    ['stopped', STOPPED, true],
    ['works', 'fine', false],
  ] as const;
  return [
    talk.user('Run the four commands'),
    ...outcomes.flatMap(([id, text, isError]) => [
      talk.assistant(`m_${id}`, toolUse(id, 'Bash', { command: `make ${id}` }), { input: 1, output: 1 }),
      talk.result(id, text, isError),
    ]),
    talk.assistant('m_end', [{ type: 'text', text: 'One of them failed.' }], { input: 1, output: 1 }),
  ];
}

describe.each(PROGRAMS)('a failed call is one that ran and failed, on $name', ({ create }) => {
  it('in turns, outline, lists, tools, searches and the narrative', async () => {
    using claude = createClaudeHome();
    claude.write(`-home-ada-shop/${ID}.jsonl`, callsOfEveryKind());
    await using program = await create(claude.path);
    await using app = await program.open();
    await app.importNew();
    const params = { id: ID };
    const { turns } = await app.get('/sessions/:id/turns', { params, query: { limit: 10 } });
    const outline = await app.get('/sessions/:id/outline', { params, query: {} });
    const { sessions } = await app.get('/sessions', { query: { limit: 1 } });
    const { tools } = await app.get('/tools', { query: { limit: 1 } });
    expect(turns.map(({ stats }) => stats.tool_errors)).toEqual([1]);
    expect(outline.turns.tool_errors).toEqual([1]);
    expect(sessions.map(({ work }) => work?.failed_calls)).toEqual([1]);
    expect(tools).toMatchObject([{ name: 'Bash', calls: 4, errors: 1, denied: 1 }]);
    expect(sessions[0]?.summary).toContain('Errors: 1 command failed (make fails); 1 tool call refused.');
    const stats = await runCommand(['stats', '--json', '--no-import'], {
      config: program.config,
      openApp: program.open,
    });
    expect(JSON.parse(stats.out).tools).toMatchObject([{ calls: 4, errors: 1 }]);
  });
});
