import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCommands } from '../../src/cli/commands.ts';
import { importLease, withLease } from '../../src/store/queries/claims/leases.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { PROGRAMS, type Program } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

const ID = 'aaaaaaaa-0000-4000-8000-000000000000';
const OTHER = 'cccccccc-0000-4000-8000-000000000000';
/** These serve until they are stopped, or print a shell script. */
const WITHOUT_JSON = ['start', 'open', 'pick', 'demo', 'worker', 'completion'];
/** These print one object per line until they are stopped. */
const STREAMS = ['tail', 'logs', 'watch'];

/** At least one line for every other command; FOLDER is a new one each time. */
const LINES = [
  'sessions',
  'sessions --fields id',
  'session ID',
  'session ID --transcript',
  'session ID --events',
  'session ID --steps',
  'session ID --git',
  'session ID --documents',
  'session ID --todos',
  'session ID --fields title',
  'workspace shop',
  'cost',
  'cost --by model --breakdown',
  'budget',
  'statusline status',
  'search hello',
  'search hello --session ID',
  'timeline',
  'events',
  'emit deploy env=test',
  'upload TRANSCRIPT',
  'stats',
  'tools',
  'files',
  'workspaces',
  'devices',
  'devices tokens',
  'share ID --preview',
  'shares',
  'export --to FOLDER',
  'delete --list',
  'forget --list',
  'forget --secrets --dry-run',
  'tag ID',
  'note ID',
  'pin ID',
  'status',
  'doctor',
  'backfill --status',
  'backfill --dry-run',
  'reparse ID',
  'recover --dry-run',
  'archive --dry-run',
  'hooks status',
  'git-hooks status REPOSITORY',
  'mcp status',
  'queue status',
  'queue dead-letter',
  'config',
  'verify',
  'drift',
  'restore ID --to FOLDER',
  'rebuild',
];

// Regression: bare arrays beside objects, camelCase beside snake_case, answers without --json.
describe.each(PROGRAMS)('--json ($name)', ({ create }) => {
  let claude: ClaudeHome;
  let program: Program;
  const run = (...words: string[]) => runCommand(words, { config: program.config, openApp: program.open });

  const newFolder = () => mkdtempSync(join(program.config.home, 'new-'));
  const ARGUMENTS: Readonly<Record<string, () => string>> = {
    ID: () => ID,
    FOLDER: newFolder,
    TRANSCRIPT: () => {
      const path = join(newFolder(), `${OTHER}.jsonl`);
      writeFileSync(path, `${JSON.stringify(createTalk(OTHER).user('Hello.'))}\n`);
      return path;
    },
    REPOSITORY: () => {
      const folder = newFolder();
      execFileSync('git', ['init', '-q', folder]);
      return folder;
    },
  };

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

  it('every command with one answer is tested here', async () => {
    const tried = new Set([...LINES.map((line) => line.split(' ')[0]), ...STREAMS, ...WITHOUT_JSON]);
    expect((await loadCommands()).map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
  });

  it.each(LINES)('%s prints one object with a version and names in snake_case', async (line) => {
    const words = line.split(' ').map((word) => (Object.hasOwn(ARGUMENTS, word) ? ARGUMENTS[word]?.() : word) ?? '');
    const { out, error } = await run(...words, '--json');
    expect(error?.message ?? '').toBe('');
    const answer = JSON.parse(out) as object;
    expect(Object.entries(answer)[0]).toEqual(['schema_version', 1]);
    expect(Array.isArray(answer)).toBe(false);
    expect(namesIn(answer).filter((name) => /[A-Z]/.test(name))).toEqual([]);
  });

  // Regression: "There are no transcripts" while another process was importing them.
  it('says that an import is running if the answer may be incomplete', async () => {
    await using app = await program.open();
    await withLease(app.store.engine, importLease(app.device.id), async () => {
      claude.write('-w/bbbbbbbb-0000-4000-8000-000000000000.jsonl', [createTalk('b').user('New.')]);
      const listed = await run('sessions');
      expect(listed.out).toContain('aaaaaaaa');
      expect(listed.err).toContain('Another process is importing; showing the 2 sessions imported so far.');
      expect(JSON.parse((await run('sessions', '--json')).out)).toMatchObject({ import_running: true });
      expect(JSON.parse((await run('stats', '--json')).out)).toMatchObject({ import_running: true });
    });
    expect(JSON.parse((await run('sessions', '--json')).out)).not.toHaveProperty('import_running');
  });
});

/** Keys of objects at any depth, except where keys are data: tool inputs and counts of anomalies. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return Object.entries(value).flatMap(([name, inner]) => [name, ...(DATA.has(name) ? [] : namesIn(inner))]);
}

const DATA = new Set(['anomalies', 'tool_input', 'data', 'records']);
