import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driftOf } from './drift.ts';
import { captured, createLab, expectUnderstood, type Lab } from './lab.ts';
import { type ModelRequest, type Script, say, text, thinking, tool } from './model.ts';

/** A one-pixel image. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const ALL_TOOLS =
  'Agent,Bash,Edit,Glob,Grep,NotebookEdit,Read,Skill,TaskCreate,TaskGet,TaskList,TaskUpdate,TodoWrite,ToolSearch,WebFetch,Write';

const FINDING = { file: 'README.md', line: 1, summary: 'No prices', failure_scenario: 'Nobody pays.' };

/** Everything a session can do in print mode, and everything that can go wrong. */
const SCRIPT: Script = [
  [
    'work with files',
    [
      [thinking('First a look around.'), text('I look around.'), tool('Bash', bash('ls && echo aside >&2'))],
      [tool('Read', { file_path: 'README.md' }), tool('Read', { file_path: 'pixel.png' })],
      [tool('Write', { file_path: 'new.txt', content: 'one\ntwo\n' })],
      [tool('Edit', { file_path: 'new.txt', old_string: 'two', new_string: 'three' })],
      [tool('Edit', { file_path: 'new.txt', old_string: 'not there', new_string: 'x' })],
      [tool('Read', { file_path: 'missing.txt' }), tool('Bash', bash('exit 3'))],
      [tool('Glob', { pattern: '**/*.txt' }), tool('Grep', { pattern: 'one', output_mode: 'content' })],
      [tool('Grep', { pattern: 'one' }), tool('Grep', { pattern: 'one', output_mode: 'count' })],
      [tool('NotebookEdit', { notebook_path: 'book.ipynb', new_source: '1', cell_type: 'code', edit_mode: 'insert' })],
      [
        tool('Bash', bash('seq 1 40000')),
        tool('Grep', { pattern: '', path: 'long.txt', output_mode: 'content', head_limit: 0 }),
      ],
      say('The files are done.'),
    ],
  ],
  [
    'keep a list',
    [
      [tool('TodoWrite', { todos: [{ content: 'Sweep', status: 'in_progress', activeForm: 'Sweeping' }] })],
      [tool('TaskCreate', { subject: 'Sweep', description: 'Sweep the shop', activeForm: 'Sweeping' })],
      [tool('TaskUpdate', { taskId: '1', status: 'in_progress' }), tool('TaskGet', { taskId: '1' })],
      [tool('TaskUpdate', { taskId: '1', status: 'completed' }), tool('TaskList', {})],
      say('The list is kept.'),
    ],
  ],
  [
    'use other tools',
    [
      [tool('NoSuchTool', { x: 1 })],
      [tool('Bash', { ...bash('sleep 0.2; echo late'), run_in_background: true })],
      [tool('Skill', { skill: 'greet', args: 'Ada' })],
      [tool('ToolSearch', { query: 'select:WebFetch,CronCreate,CronList,CronDelete,TaskStop,Monitor,SendMessage' })],
      [tool('WebFetch', { url: 'http://127.0.0.1:9/none', prompt: 'What is it?' })],
      [tool('CronCreate', { cron: '0 5 * * *', prompt: 'sweep' }), tool('CronList', {})],
      [tool('ListAgents', {}), tool('ReportFindings', { findings: [FINDING] })],
      [tool('Monitor', { description: 'Wait', command: 'echo ready', timeout_ms: 2_000 })],
      [tool('TaskStop', { task_id: 'none' })],
      say('The other tools were used.'),
    ],
  ],
  [
    'go into a worktree',
    [
      [tool('ToolSearch', { query: 'select:EnterWorktree,ExitWorktree' })],
      [tool('EnterWorktree', { name: 'side' })],
      [tool('Bash', bash('pwd'))],
      [tool('ExitWorktree', { action: 'remove', discard_changes: true })],
      say('I am back.'),
    ],
  ],
  [
    'ask helpers',
    [
      [tool('Agent', helper('first', { subagent_type: 'Explore', run_in_background: false }))],
      [tool('Agent', helper('nesting', { run_in_background: false })), tool('Agent', helper('first', {}))],
      [tool('ToolSearch', { query: 'select:SendMessage' })],
      (request) => [tool('SendMessage', { to: agentIn(request), summary: 'More', message: 'You are asked for more.' })],
      [tool('Agent', { ...helper('first', {}), subagent_type: 'no-such-agent' })],
      say('The helpers were asked.'),
    ],
  ],
  ['You are the first helper', [[thinking('Me.'), tool('Bash', bash('wc README.md'))], say('Three lines.')]],
  ['You are the nesting helper', [[tool('Agent', helper('first', {}))], say('Asked another.')]],
  ['You are asked for more', [say('There is no more.')]],
  ['run a workflow', [[tool('Workflow', { script: workflow() })], say('The workflow runs.')]],
  ['You are a step', [say('The step is done.')]],
  [
    'stumble',
    [
      { status: 529, error: 'Overloaded.', times: 1, after: [tool('Bash', bash('true'))] },
      { status: 400, error: 'That is too much.', times: 9, after: [] },
    ],
  ],
  ['make a plan', [[tool('ExitPlanMode', { plan: '1. Sweep.' })], say('That is the plan.')]],
  ['and the pears', [say('Some, too.')]],
  ['<task-notification>', [say('Noted.')]],
];

function bash(command: string) {
  return { command, description: 'Do something' };
}

function helper(name: string, rest: object) {
  return {
    description: `The ${name}`,
    prompt: `You are the ${name} helper.`,
    subagent_type: 'general-purpose',
    ...rest,
  };
}

function agentIn({ toolResults }: ModelRequest): string {
  return /agentId: (\w+)/.exec(toolResults.join('\n'))?.[1] ?? 'nobody';
}

function workflow(): string {
  return `export const meta = { name: 'sweep', description: 'Sweeps the shop', phases: [{ title: 'Sweep' }] };
phase('Sweep');
const said = await agent('You are a step of the workflow.', { label: 'step' });
return { said };
`;
}

function furnish({ project }: Lab): void {
  writeFileSync(join(project, 'pixel.png'), Buffer.from(PIXEL, 'base64'));
  writeFileSync(join(project, 'long.txt'), 'a line of a long file\n'.repeat(20_000));
  writeFileSync(
    join(project, 'book.ipynb'),
    JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }),
  );
  writeFileSync(join(project, 'CLAUDE.md'), '# Rules\n\nBe brief.\n');
  mkdirSync(join(project, '.claude/skills/greet'), { recursive: true });
  const skill = '---\nname: greet\ndescription: Greets a person.\n---\nGreet $ARGUMENTS.\n';
  writeFileSync(join(project, '.claude/skills/greet/SKILL.md'), skill);
}

describe('the records of the client', () => {
  it.each([
    { prompt: 'Please work with files', words: ['--tools', ALL_TOOLS] },
    { prompt: 'Please keep a list', words: ['--tools', ALL_TOOLS] },
    { prompt: 'Please use other tools', words: [] },
    { prompt: 'Please go into a worktree', words: [] },
    { prompt: 'Please ask helpers', words: [] },
    { prompt: 'Please run a workflow', words: [] },
    { prompt: 'Please stumble', words: [] },
    { prompt: 'Please make a plan', words: ['--permission-mode', 'plan'] },
  ])('are known to the schemas and parsed: $prompt', async ({ prompt, words }) => {
    await using lab = await createLab(SCRIPT);
    furnish(lab);
    const { sessionId } = await lab.print(prompt, { words });
    expectUnderstood(await captured(lab, sessionId));
    await lab.print('Good, and the pears?', { words: ['--resume', sessionId, '--fork-session'] });
    await lab.print('/compact', { words: ['--resume', sessionId] });
    expect(driftOf(lab)).toEqual([]);
  });
});
