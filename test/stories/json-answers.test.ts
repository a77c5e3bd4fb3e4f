import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importLease, withLease } from '../../src/store/queries/claims/leases.ts';
import { loadCommands } from '../../src/cli/commands.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { PROGRAMS, type Program } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

const ID = 'aaaaaaaa-0000-4000-8000-000000000000';
/** They serve until they are stopped, or print a script for a shell. */
const WITHOUT_JSON = ['start', 'open', 'pick', 'demo', 'worker', 'completion'];

// Finding 6.9: bare arrays beside objects, camelCase beside snake_case, answers without --json.
describe.each(PROGRAMS)('--json ($name)', ({ create }) => {
  let claude: ClaudeHome;
  let program: Program;
  const run = (...words: string[]) => runCommand(words, { config: program.config, openApp: program.open });

  beforeAll(async () => {
    claude = createClaudeHome();
    const talk = createTalk(ID);
    claude.write(`-w/${ID}.jsonl`, [talk.user('Hello.'), talk.assistant('m1', text('Hi.'), { input: 1, output: 1 })]);
    program = await create(claude.path);
    await run('backfill');
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
    claude[Symbol.dispose]();
  });

  it('every command with an answer has it', async () => {
    for (const { name, options } of await loadCommands()) {
      expect([name, Object.hasOwn(options, 'json')]).toEqual([name, !WITHOUT_JSON.includes(name)]);
    }
  });

  it.each([
    'sessions',
    'session ID',
    'session ID --events',
    'session ID --steps',
    'session ID --git',
    'cost',
    'budget',
    'statusline status',
    'search hello',
    'timeline',
    'stats',
    'tools',
    'files',
    'workspaces',
    'devices',
    'devices tokens',
    'shares',
    'delete --list',
    'tag ID',
    'note ID',
    'pin ID',
    'status',
    'doctor',
    'backfill --status',
    'backfill --dry-run',
    'recover --dry-run',
    'archive --dry-run',
    'hooks status',
    'mcp status',
    'queue status',
    'queue dead-letter',
    'config',
    'verify',
    'drift',
  ])('%s prints one object with names in snake_case', async (line) => {
    const { out } = await run(...line.replace('ID', ID).split(' '), '--json');
    const answer = JSON.parse(out) as object;
    expect(Array.isArray(answer)).toBe(false);
    expect(namesIn(answer).filter((name) => /[A-Z]/.test(name))).toEqual([]);
  });

  // Finding 6.3: "There are no transcripts" while another process imports them.
  it('says that an import is running if the answer may be incomplete', async () => {
    await using app = await program.open();
    await withLease(app.store.engine, importLease(app.device.id), async () => {
      claude.write('-w/bbbbbbbb-0000-4000-8000-000000000000.jsonl', [createTalk('b').user('New.')]);
      const listed = await run('sessions');
      expect(listed.out).toContain('aaaaaaaa');
      expect(listed.err).toContain('Another process is importing; showing the 1 session imported so far.');
      expect(JSON.parse((await run('sessions', '--json')).out)).toMatchObject({ import_running: true });
      expect(JSON.parse((await run('stats', '--json')).out)).toMatchObject({ import_running: true });
    });
    expect(JSON.parse((await run('sessions', '--json')).out)).not.toHaveProperty('import_running');
  });
});

/** Keys of objects at any depth, except where keys are data: what a tool was given, what anomalies were counted. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return Object.entries(value).flatMap(([name, inner]) => [name, ...(DATA.has(name) ? [] : namesIn(inner))]);
}

const DATA = new Set(['anomalies', 'tool_input', 'data', 'records']);
