/** Sessions of any length with everything a narrative can mention; deterministic for a seed. */
export interface MadeSession {
  readonly sessionId: string;
  readonly main: readonly object[];
  readonly agents: readonly { readonly name: string; readonly lines: readonly object[] }[];
}

export type Random = (below: number) => number;

/** mulberry32: small, and the same on every machine. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

const pick = <T>(random: Random, items: readonly T[]): T => items[random(items.length)] as T;

export function makeSession(seed: number, prompts: number): MadeSession {
  const random = randomFrom(seed);
  const sessionId = `${seed.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
  const writer = new Writer(sessionId, random);
  const ofCommand = open(writer, random);
  for (let n = ofCommand ? 1 : 0; n < prompts; n++) {
    writer.prompt(n === 0 ? firstPrompt(random) : promptText(random, n));
    turn(writer, random, n);
  }
  end(writer, random);
  return { sessionId, main: writer.lines, agents: writer.agents };
}

/** Optional lines before the first prompt; true if a slash command is the first request. */
function open(writer: Writer, random: Random): boolean {
  const how = random(6);
  if (how === 0) writer.command('/clear', '');
  if (how === 1) writer.command('/model', 'opus');
  if (how === 2) writer.prompt('Hey');
  if (how < 4) return false;
  const name = pick(random, ['/review', '/dataviz', '/my:plan-it']);
  if (how === 5) writer.command('/clear', '');
  writer.command(name, pick(random, ['123', 'Create a simple dashboard for the trending data.', '--fix the basket']));
  writer.say(pick(random, ['I will do that.', 'Ok.']));
  return true;
}

function firstPrompt(random: Random): string {
  return pick(random, [
    'The basket forgets its discount. Please fix it, then run the tests.',
    'Implement the following plan:\n\n# Move the basket to SQLite\n\n## Context\n\nIt is slow.',
    '<ide_opened_file>The user opened /x/y.ts in the IDE.</ide_opened_file>\nExplain how rounding works in this file.',
    'Add a **dark mode** to `theme.ts`:\n\n```ts\nexport const dark = 1;\n```\nand keep the light one.',
    '{"kind":"machine","id":7}',
    'Wie rundet der Warenkorb? Bitte erkläre es kurz.',
  ]);
}

function promptText(random: Random, n: number): string {
  return pick(random, [
    `Now do step number ${n} of the list. Then stop and wait for me.`,
    `No, that is wrong in ${n} places; try the other way round.`,
    `ok ${n}`,
    '```\nonly code here\n```',
    `Look at file_${n}.ts: it has a bug, e.g. in line ${n}. Can you see it?`,
    `\`\`\`\nError: boom ${n}\n\`\`\`\nWhy does it fail with error ${n}?`,
  ]);
}

const ACTS: readonly ((writer: Writer, random: Random, n: number) => void)[] = [
  (writer, random) => runTests(writer, random),
  (writer, random) => runTests(writer, random),
  (writer, random, n) => commit(writer, random, n),
  (writer, random, n) => writer.edit(`/home/ada/shop/src/file_${random(40)}.ts`, 1 + random(9), random(5), n),
  (writer, random) => writer.read(`/home/ada/shop/src/file_${random(40)}.ts`),
  (writer, random) =>
    writer.run(
      pick(random, [
        'npm run build',
        'docker compose up -d',
        'ls -la | head',
        'make all && npm run lint',
        'env -u A -u B X="$(id -u)" make all',
        'sudo -u www docker compose up -d',
      ]),
      'done',
      random(5) === 0,
    ),
  (writer) => writer.call('WebSearch', { query: 'monads' }, 'Found.'),
  (writer, _, n) => writer.ask(`Which store should step ${n} use?`, 'SQLite'),
  (writer, random) => writer.plan(random(2) === 0),
  (writer) => writer.refuse('npm publish'),
  (writer) => writer.call('Edit', { file_path: '/x' }, 'String to replace not found in file.', true),
  (writer) => writer.compact(),
  (writer) => writer.agent(),
  (writer) => writer.apiError(),
  (writer, random) => writer.pullRequest(1 + random(30)),
  (writer, random, n) => writer.todos(n, random(5), random(3)),
  (writer, random, n) => writer.task(n, random(3)),
  (writer, random) => writer.teammate(pick(random, ['checkout', 'stock']), pick(random, ['ada', 'bob', 'cleo'])),
  (writer, random) => createPullRequest(writer, random),
  (writer) => writer.interrupt(),
];

function turn(writer: Writer, random: Random, n: number): void {
  const acts = random(4);
  for (let at = 0; at < acts; at++) {
    if (random(3) === 0) writer.think(n);
    pick(random, ACTS)(writer, random, n);
  }
  if (random(8) > 0) {
    writer.say(
      pick(random, [
        'Ok.',
        'lol',
        'Done!',
        `Step ${n} is done now. It took ${n} attempts.`,
        `## Summary\n\n- fixed **${n}** things\n- removed one`,
        '```\ncode\n```',
        `Shall I push step ${n}?`,
      ]),
    );
  }
}

function runTests(writer: Writer, random: Random): void {
  const passed = 1 + random(90);
  const failed = random(3);
  const good = ` Test Files  4 passed (4)\n      Tests  ${passed} passed (${passed})`;
  const bad = `      Tests  ${failed + 1} failed | ${passed} passed (${passed + failed + 1})`;
  const cases: readonly (() => void)[] = [
    () => writer.run('npm test', good),
    () => writer.run('npm test', bad, true),
    () => writer.run('npm test 2>&1 | tail -5', bad),
    () => writer.run('npm test 2>&1 | tail -5', good),
    () => writer.run('npm test | tail -1', ''),
    () => writer.run('cd app && npm test', '', true),
    () => writer.run('npm run build && npm test', 'error TS2304', true),
    () => writer.run('npm test; git status', 'clean'),
    () => writer.run('uv run pytest -q', `${passed} passed in 0.3s`),
    () => writer.run('pytest -q', `${failed + 1} failed, ${passed} passed in 0.3s`, true),
    () => writer.run('cargo test', 'sh: cargo: command not found', true),
    () => writer.run('echo "npm test"', 'npm test'),
    () => writer.refuse('npm test'),
  ];
  pick(random, cases)();
}

function commit(writer: Writer, random: Random, n: number): void {
  const sha = (0x1000000 + writer.nextId()).toString(16).padStart(7, '0');
  const line = `[main ${sha}] fix: step ${n}\n 1 file changed`;
  const cases: readonly (() => void)[] = [
    () => writer.run(`git commit -m "fix: step ${n}"`, line),
    () =>
      writer.run(
        `git add -A && git commit -m "$(cat <<'EOF'\nfix: step ${n}\n\nSay "no" (npm test); it's fine\nEOF\n)"`,
        line,
      ),
    () => writer.run(`git commit -q -m "fix: step ${n}"`, ''),
    () => writer.run(`git add -A && git commit -qm 'fix: step ${n}' && git push -q`, ''),
    () => writer.run(`git commit -q -m "fix: step ${n}"; git log -1`, 'commit abc'),
    () => writer.run('git commit -m x', 'nothing to commit, working tree clean', true),
    () => writer.run('git commit --amend --no-edit', line),
    () => writer.run('git log --oneline -3', line),
    () => writer.refuse('git commit -m x'),
  ];
  pick(random, cases)();
}

function createPullRequest(writer: Writer, random: Random): void {
  const url = `https://github.com/ada/shop/pull/${40 + random(9)}`;
  const cases: readonly (() => void)[] = [
    () => writer.run('gh pr create --fill', `\nCreating pull request for x into main in ada/shop\n\n${url}`),
    () => writer.run('git push -u origin x && gh pr create --title "Fix; it" --body "See pull/1"', url),
    () => writer.run('gh pr create --fill', 'pull request create failed: No commits between main and x', true),
    () => writer.run('gh pr view --json url', url),
    () => writer.refuse('gh pr create --fill'),
  ];
  pick(random, cases)();
}

function end(writer: Writer, random: Random): void {
  const how = random(7);
  if (how === 0) writer.prompt('And now the very last thing: write the changelog.');
  if (how === 1) writer.interrupt();
  if (how === 2) writer.apiError();
  if (how === 3) writer.say('All is done. Which approach would you prefer?');
  if (how === 4) writer.command('/exit', '');
  if (how === 5) writer.planWithoutVerdict();
}

/** Newer clients offer to continue planning. */
const PLAN_REFUSALS = [
  "The user doesn't want to proceed with this tool use.",
  'User chose to stay in plan mode and continue planning',
];

class Writer {
  readonly lines: object[] = [];
  readonly agents: { name: string; lines: object[] }[] = [];
  readonly sessionId: string;
  readonly random: Random;
  count = 0;
  tasks = 0;
  parent: string | null = null;

  constructor(sessionId: string, random: Random) {
    this.sessionId = sessionId;
    this.random = random;
  }

  nextId(): number {
    return ++this.count;
  }

  line(type: string, message: object | null, extra: object = {}): object {
    const n = this.nextId();
    const uuid = `${this.sessionId.slice(0, 8)}-${String(n % 10_000).padStart(4, '0')}-4000-8000-${String(n).padStart(12, '0')}`;
    const common = { parentUuid: this.parent, isSidechain: false, userType: 'external', cwd: '/home/ada/shop' };
    this.parent = uuid;
    const timestamp = new Date(Date.parse('2026-10-01T10:00:00.000Z') + n * 1_000).toISOString();
    const body = message === null ? {} : { message };
    return {
      ...common,
      sessionId: this.sessionId,
      version: '2.1.219',
      gitBranch: 'main',
      type,
      ...body,
      uuid,
      timestamp,
      ...extra,
    };
  }

  add(type: string, message: object | null, extra: object = {}): void {
    this.lines.push(this.line(type, message, extra));
  }

  prompt(text: string): void {
    this.add('user', { role: 'user', content: this.random(20) === 0 ? [{ type: 'text', text }] : text });
  }

  command(name: string, args: string): void {
    const tags = `<command-name>${name}</command-name>\n<command-message>${name.slice(1)}</command-message>\n<command-args>${args}</command-args>`;
    this.add('user', { role: 'user', content: tags });
  }

  model(block: object): object {
    const id = `msg_${this.sessionId.slice(0, 8)}_${this.count}`;
    const usage = { input_tokens: 3, output_tokens: 5 };
    return {
      id,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-4-6',
      content: [block],
      stop_reason: 'end_turn',
      usage,
    };
  }

  say(text: string): void {
    this.add('assistant', this.model({ type: 'text', text }));
  }

  think(n: number): void {
    const thinking = pick(this.random, [
      `Let me see.\nThe root cause is a missing \`await\` in step_${n}(). I fix it.`,
      'Hm.',
    ]);
    this.add('assistant', this.model({ type: 'thinking', thinking, signature: 's' }));
  }

  use(name: string, input: object): string {
    const id = `toolu_${this.sessionId.slice(0, 8)}_${this.nextId()}`;
    this.add('assistant', this.model({ type: 'tool_use', id, name, input }));
    return id;
  }

  result(id: string, text: string, isError: boolean, toolUseResult: unknown): void {
    const content = [{ type: 'tool_result', tool_use_id: id, content: text, is_error: isError }];
    this.add('user', { role: 'user', content }, { toolUseResult });
  }

  call(name: string, input: object, text: string, isError = false, details: object = {}): void {
    this.result(this.use(name, input), text, isError, isError ? `Error: ${text}` : details);
  }

  run(command: string, output: string, isError = false): void {
    const text = isError ? `Exit code 1\n${output}` : output;
    this.call('Bash', { command }, text, isError, { stdout: output, stderr: '', interrupted: false });
  }

  refuse(command: string): void {
    this.call(
      'Bash',
      { command },
      "The user doesn't want to proceed with this tool use. The tool use was rejected.",
      true,
    );
  }

  read(path: string): void {
    const file = { filePath: path, content: 'a', numLines: 1, startLine: 1, totalLines: 1 };
    this.call('Read', { file_path: path }, '1→a', false, { type: 'text', file });
  }

  edit(path: string, added: number, removed: number, n: number): void {
    const lines = [...Array(removed).fill('-old'), ...Array(added).fill(`+new ${n}`)];
    const structuredPatch = [{ oldStart: 1, oldLines: removed, newStart: 1, newLines: added, lines }];
    const strings = { old_string: 'old\n'.repeat(removed), new_string: `new ${n}\n`.repeat(added) };
    this.call('Edit', { file_path: path, ...strings }, 'The file has been updated.', false, {
      filePath: path,
      ...strings,
      structuredPatch,
    });
  }

  ask(question: string, answer: string): void {
    const questions = [
      { question, header: 'Store', multiSelect: false, options: [{ label: answer, description: 'x' }] },
    ];
    const text = `User has answered your questions: "${question}"="${answer}". You can now continue with the user's answers in mind.`;
    this.call('AskUserQuestion', { questions }, text, false, { questions, answers: { [question]: answer } });
  }

  plan(isApproved: boolean): void {
    const plan = '# Plan\n\nDo it.';
    if (isApproved)
      this.call('ExitPlanMode', { plan }, 'User has approved your plan.', false, { plan, isAgent: false });
    else this.call('ExitPlanMode', { plan }, pick(this.random, PLAN_REFUSALS), true);
  }

  planWithoutVerdict(): void {
    this.use('ExitPlanMode', { plan: '# Plan\n\nDo it.' });
  }

  interrupt(): void {
    this.add('user', { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] });
  }

  apiError(): void {
    const message = { ...this.model({ type: 'text', text: 'API Error: 529 Overloaded' }), model: '<synthetic>' };
    this.add('assistant', message, { isApiErrorMessage: true, error: 'overloaded_error' });
  }

  pullRequest(prNumber: number): void {
    const prUrl = `https://github.com/ada/shop/pull/${prNumber}`;
    const timestamp = new Date(Date.parse('2026-10-01T10:00:00.000Z') + this.nextId() * 1_000).toISOString();
    this.lines.push({
      type: 'pr-link',
      sessionId: this.sessionId,
      prNumber,
      prUrl,
      prRepository: 'ada/shop',
      timestamp,
    });
  }

  todos(n: number, open: number, done: number): void {
    const todo = (status: string) => (_: unknown, at: number) => ({
      content: `Do part ${at} of step ${n}`,
      status,
      activeForm: `Doing part ${at} of step ${n}`,
    });
    const todos = [
      ...Array.from({ length: done }, todo('completed')),
      ...Array.from({ length: open }, todo(this.random(3) === 0 ? 'in_progress' : 'pending')),
    ];
    this.call('TodoWrite', { todos }, 'Todos have been modified successfully.', false, {
      oldTodos: [],
      newTodos: todos,
    });
  }

  /** A task that was created and possibly started, finished or deleted. */
  task(n: number, changes: number): void {
    const taskId = String(++this.tasks);
    const subject = `Check part ${taskId} of step ${n}`;
    const task = { id: taskId, subject };
    this.call('TaskCreate', { subject, description: 'x' }, `Task #${taskId} created successfully: ${subject}`, false, {
      task,
    });
    for (let at = 0; at < changes; at++) {
      const status = pick(this.random, ['in_progress', 'completed', 'deleted']);
      const details = { success: true, taskId, updatedFields: ['status'] };
      this.call('TaskUpdate', { taskId, status }, `Updated task #${taskId} status`, false, details);
    }
  }

  teammate(team: string, name: string): void {
    const agent_id = `${name}@${team}`;
    const input = { name, team_name: team, subagent_type: 'general-purpose', description: 'Help', prompt: 'Help.' };
    const text = `Spawned successfully.\nagent_id: ${agent_id}\nname: ${name}\nteam_name: ${team}`;
    const details = { status: 'teammate_spawned', prompt: 'Help.', teammate_id: agent_id, agent_id, name };
    this.call('Agent', input, text, false, {
      ...details,
      agent_type: 'general-purpose',
      team_name: team,
      color: 'blue',
    });
  }

  compact(): void {
    const logicalParentUuid = this.parent;
    this.parent = null;
    const compactMetadata = { trigger: 'auto', preTokens: 150_000 };
    this.add('system', null, {
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      logicalParentUuid,
      compactMetadata,
    });
    const content =
      'This session is being continued from a previous conversation that ran out of context. Fix everything.';
    this.add('user', { role: 'user', content }, { isCompactSummary: true, isVisibleInTranscriptOnly: true });
  }

  agent(): void {
    const agentId = `a${this.sessionId.slice(0, 8)}${this.nextId()}`;
    const id = this.use('Task', {
      description: 'Look around',
      prompt: 'Find every place that rounds money.',
      subagent_type: 'Explore',
    });
    const inside = new Writer(this.sessionId, this.random);
    inside.count = this.count;
    inside.prompt('Find every place that rounds money.');
    inside.run('npm test', 'Tests  3 passed (3)');
    inside.say('Found three places.');
    this.count = inside.count;
    this.agents.push({
      name: `agent-${agentId}`,
      lines: inside.lines.map((line) => ({ ...line, isSidechain: true, agentId })),
    });
    this.result(id, 'Found three places.', false, {
      status: 'completed',
      agentId,
      content: [{ type: 'text', text: 'Found three places.' }],
      totalTokens: 10,
      totalDurationMs: 5,
      totalToolUseCount: 1,
    });
  }
}
