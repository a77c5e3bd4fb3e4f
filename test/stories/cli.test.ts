import { execFile } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionRow } from '../../src/api/sessions.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { LAUNCHER, runProgram, startProgram } from '../support/run-program.ts';

const ID = 'aaaaaaaa-2222-4333-8444-555555555555';
const OTHER = 'aaaabbbb-2222-4333-8444-555555555555';
const EVIL = 'title \u001b]0;owned\u0007 \u001b[2J\u202e end';

let claude: ClaudeHome;
let home = '';
let env: Record<string, string> = {};

beforeAll(async () => {
  claude = createClaudeHome();
  const talk = createTalk(ID);
  claude.write(`-home-ada-shop/${ID}.jsonl`, [
    talk.user(`Repair the basket, 日本語 too. ${EVIL}`),
    talk.assistant('msg_1', toolUse('toolu_1', 'Bash', { command: 'npm test' }), { input: 3, output: 40 }),
    talk.result('toolu_1', `1 test failed ${EVIL}`, true),
    talk.assistant('msg_2', text('It was the rounding.'), { input: 5, output: 60 }),
  ]);
  claude.write(`-home-ada-shop/${OTHER}.jsonl`, [createTalk(OTHER, { prefix: 'o' }).user('Hello.')]);
  home = mkdtempSync(join(tmpdir(), 'fuel-code-cli-'));
  env = { FUEL_CODE_HOME: join(home, 'data'), CLAUDE_CONFIG_DIR: claude.path };
  await runProgram(['backfill'], { env });
});
afterAll(() => {
  claude[Symbol.dispose]();
  rmSync(home, { recursive: true });
});

const fuel = (...args: string[]) => runProgram(args, { env });

describe('fuel-code in the terminal', () => {
  it('backfill --json imports, waits, and prints one object', async () => {
    const fresh = { ...env, FUEL_CODE_HOME: join(home, 'fresh') };
    const { code, stdout } = await runProgram(['backfill', '--json'], { env: fresh });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      files: 2,
      files_changed: 2,
      sessions: 2,
      sessions_indexed: 2,
      failed: [],
    });
  });

  it('backfill --dry-run and --status read nothing and report what there is to do', async () => {
    const fresh = { ...env, FUEL_CODE_HOME: join(home, 'plan') };
    const plan = await runProgram(['backfill', '--dry-run', '--json'], { env: fresh });
    expect(
      JSON.parse(plan.stdout)
        .files.map(({ session_id }: { session_id: string }) => session_id)
        .toSorted(),
    ).toEqual([ID, OTHER]);
    const status = await runProgram(['backfill', '--status', '--json'], { env: fresh });
    expect(JSON.parse(status.stdout)).toMatchObject({ sessions: 0, files: 2, waiting: 2 });
    await runProgram(['backfill', '--concurrency', '2'], { env: fresh });
    expect((await runProgram(['backfill', '--status'], { env: fresh })).stdout).toContain(
      'All 2 files are archived. 2 sessions',
    );
    expect((await runProgram(['backfill', '--dry-run'], { env: fresh })).stdout).toContain('0 files');
  });

  it('doctor --fix changes nothing without consent, and only one line with it', async () => {
    const settings = join(claude.path, 'settings.json');
    writeFileSync(settings, '{\n  "model": "opus"\n}\n');
    expect((await fuel('doctor', '--fix')).stdout).toContain('Nothing was changed');
    expect(readFileSync(settings, 'utf8')).toBe('{\n  "model": "opus"\n}\n');
    await fuel('doctor', '--fix', '--yes');
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({ cleanupPeriodDays: 99_999, model: 'opus' });
    expect((await fuel('doctor', '--fix', '--yes')).stdout).toContain('already keeps its transcripts');
    rmSync(settings);
  });

  it('doctor --fix leaves invalid settings alone', async () => {
    const settings = join(claude.path, 'settings.json');
    writeFileSync(settings, '{"model": oops');
    const { code, stderr } = await fuel('doctor', '--fix', '--yes');
    expect(code).toBe(2);
    expect(stderr).toMatch(/settings\.json is invalid in line 1: a value is missing\. Nothing was changed/);
    expect(readFileSync(settings, 'utf8')).toBe('{"model": oops');
    rmSync(settings);
  });

  it('C8: doctor and status report which files will be deleted and when, what is not archived yet, and what exists only here', async () => {
    using old = createClaudeHome();
    const lost = '{"display":"Hello.","sessionId":"ffffffff-0000-4000-8000-000000000000"}\n';
    old.write('../history.jsonl', lost);
    const path = old.write(`-w/${ID}.jsonl`, [createTalk(ID).user('Find it.')]);
    const then = new Date(Date.now() - 25.5 * 86_400_000);
    utimesSync(path, then, then);
    const fresh = { ...env, FUEL_CODE_HOME: join(home, 'retention'), CLAUDE_CONFIG_DIR: old.path };
    const ask = (...words: string[]) => runProgram(words, { env: fresh });
    const before = await ask('doctor');
    expect(before.code).toBe(2);
    expect(before.stdout).toMatch(
      new RegExp(`BAD +retention .*1 transcript\\s+not\\s+archived yet.*\\n +in 4 days +PENDING +${ID}\n`),
    );
    expect((await ask('status')).stdout).toMatch(/deletes 1 transcript within a week, the next one in 4\s+days; 1 NOT/);
    expect(JSON.parse((await ask('doctor', '--json')).stdout).checks).toContainEqual(
      expect.objectContaining({
        name: 'retention',
        files: [expect.objectContaining({ days_left: 4, is_captured: false })],
      }),
    );
    await ask('backfill');
    expect(await ask('doctor')).toMatchObject({ code: 0, stdout: expect.stringMatching(/in 4 days +archived +\w/) });
    rmSync(path);
    for (const command of ['doctor', 'status'])
      expect((await ask(command)).stdout).toMatch(
        /1 session exists only here[,;] 1 was lost before fuel-code was installed/,
      );
  });

  it('verify, restore and rebuild work on the archive', async () => {
    expect(await fuel('verify')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('All archived data is intact'),
    });
    const to = join(home, 'restored');
    const restored = await fuel('restore', 'aaaaaaaa', '--to', to, '--json');
    expect(JSON.parse(restored.stdout)).toMatchObject({ session_id: ID, files: [{ outcome: 'written' }] });
    const path = `projects/-home-ada-shop/${ID}.jsonl`;
    expect(readFileSync(join(to, path)).equals(readFileSync(join(claude.path, path)))).toBe(true);
    expect(await fuel('rebuild')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 sessions were parsed'),
    });
  });

  it('two concurrent backfills both succeed', async () => {
    const fresh = { ...env, FUEL_CODE_HOME: join(home, 'two') };
    const runs = await Promise.all([1, 2, 3].map(() => runProgram(['backfill', '--json'], { env: fresh })));
    for (const { code, stdout, stderr } of runs) {
      expect(stderr).toMatch(/^(Another fuel-code process is importing; waiting for it to finish.\n)?$/);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ sessions: 2 });
    }
  });

  it('sessions --all --json prints the columns that scripts rely on', async () => {
    const { code, stdout } = await fuel('sessions', '--all', '--json');
    expect(code).toBe(0);
    const { sessions: rows } = JSON.parse(stdout) as { sessions: SessionRow[] };
    expect(rows).toHaveLength(2);
    expect(rows.find(({ id }) => id === ID)).toMatchObject({
      lifecycle: 'summarized',
      total_messages: 4,
      tool_use_count: 1,
      tokens_in: 8,
      tokens_out: 100,
      cache_read_tokens: 200,
      cache_write_tokens: 20,
      tags: [],
    });
  });

  it('session accepts a unique prefix of an id', async () => {
    const { stdout } = await fuel('session', 'aaaaaaaa', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ id: ID, lines: { total: 4, records: 4 } });
    expect(await fuel('session', 'aaaa')).toMatchObject({ code: 3, stderr: expect.stringContaining(OTHER) });
    expect(await fuel('session', 'zzz')).toMatchObject({ code: 3, stderr: expect.stringContaining('"zzz"') });
  });

  it('session --transcript --json prints messages with blocks', async () => {
    const { stdout } = await fuel('session', ID, '--transcript', '--json');
    const { messages } = JSON.parse(stdout);
    expect(messages).toHaveLength(4);
    expect(messages[2].content_blocks[0]).toMatchObject({ block_type: 'tool_result', is_error: true });
  });

  it('I1, I2: shows a session in a file or pipe without a foreign control character', async () => {
    for (const args of [['sessions'], ['session', ID], ['session', ID, '--transcript'], ['search', 'basket']]) {
      const { code, stdout } = await runProgram(args, { env: { ...env, COLUMNS: '40' } });
      expect(code).toBe(0);
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      expect(stdout).toContain('Repair');
    }
  });

  it('search prints its results for people, as JSON and as CSV', async () => {
    const shown = await fuel('search', 'tool:Bash', '"test failed"');
    expect(shown.stdout).toContain('output  1 test failed');
    expect(shown.stdout).toContain('1 match in 1 session.');
    const { stdout } = await fuel('search', '--json', 'npm OR rounding');
    expect(JSON.parse(stdout)).toMatchObject({
      sessions: [{ session_id: ID, places: 2, hits: [{ kind: 'answer' }, { kind: 'input', tool_name: 'Bash' }] }],
      total: { sessions: 1, places: 2 },
      next_cursor: null,
    });
    const csv = (await fuel('search', '--csv', 'rounding')).stdout.split('\r\n');
    expect(csv).toEqual([
      expect.stringMatching(/^session_id,/),
      expect.stringMatching(`^${ID},.*,answer,\\d+,It was the rounding.$`),
      '',
    ]);
    expect(await fuel('search', 'zzzz')).toMatchObject({ code: 1, stdout: '', stderr: 'fuel-code: No matches.\n' });
    const json = await fuel('search', 'zzzz', '--json');
    expect([json.code, JSON.parse(json.stdout).total.sessions]).toEqual([1, 0]);
    const one = await fuel('search', 'npm OR rounding', '--session', ID.slice(0, 6));
    expect(one.stdout).toMatch(/^ {2}\w+ {2}.*\n {2}\w+ {2}.*\n2 matches\.\n$/);
    expect(await fuel('search', 'npm', '--session', ID, '--csv')).toMatchObject({ code: 2, stdout: '' });
  });

  it('M11: search names the position of a syntax error', async () => {
    const { code, stderr } = await fuel('search', 'basket (rounding');
    expect(code).toBe(2);
    expect(stderr).toContain('at character 8: missing closing parenthesis.');
  });

  it.each([
    [['nonsense'], 2],
    [['sessions', '--nonsense'], 2],
    [['sessions', '-n', 'many'], 2],
    [['sessions', '--lifecycle', 'happy'], 2],
    [['session'], 2],
    [['session', 'a', 'b'], 2],
    [['--nonsense'], 2],
  ])('I11: %j is rejected with a message', async (args, exit) => {
    const { code, stderr, stdout } = await fuel(...args);
    expect(code).toBe(exit);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^fuel-code: ["A-Zf-].*\.\n/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    [['session', ID, '--git', '--plans'], '--git and --plans cannot be combined.'],
    [['session', ID, '--export', 'md', '--json'], '--json and --export cannot be combined.'],
    [['session', ID, '--export', 'md', '--no-images'], '--no-images only applies to the format html.'],
    [['export', '--to', 'x', '--no-images'], '--no-images only applies to the format html.'],
    [['backfill', '--status', '--dry-run'], '--dry-run and --status cannot be combined.'],
    [['reparse', '--all', ID], '--all takes no ids.'],
    [['tag', ID, '--remove'], '--remove requires the tags to remove.'],
    [['delete', '--yes', ''], 'The session id is empty.'],
    [['delete', '--undo', ''], 'The session id is empty.'],
    [['note', ID, '--remove', ''], 'Option --remove of fuel-code note requires a value.'],
    [['export', '--to', ''], 'Option --to of fuel-code export requires a value.'],
    [['upload', ''], 'The name of a file or folder is empty.'],
    [['devices', 'rename', '', 'x'], 'The device name is empty.'],
    [['devices', 'revoke-browser', ''], 'The browser id is empty.'],
    [['workspace', ''], 'The workspace name is empty.'],
    [['delete', '--undo'], 'Specify the sessions to restore.'],
    [['delete', '--list', ID], '--list takes no ids.'],
    [['devices', 'revoke'], 'Missing argument for fuel-code devices revoke: NAME.'],
    [['devices', 'add', 'a', 'b'], 'Unexpected argument "b" for fuel-code devices add.'],
    [['devices', '--write-only'], '--write-only only applies to `fuel-code devices add`.'],
    [['queue', 'status', '--all'], '--all only applies to `fuel-code queue retry` and `fuel-code queue drop`.'],
    [
      ['budget', 'set', 'day', '20', '--check'],
      '--check only applies to `fuel-code budget` and `fuel-code budget list`.',
    ],
    [['hooks', 'unistall'], 'Did you mean uninstall? Valid actions: install, uninstall, status, test, prepare.'],
    [['session', ID, '--fields', 'id'], '--fields requires --json or --ndjson.'],
    [['devices', 'add'], 'Missing argument for fuel-code devices add: NAME.'],
    [['config', 'set', 'serverUrl', 'ftp://x'], 'not "ftp://x".\nNothing was changed.'],
  ])('%j would ignore an argument or lacks one', async (args, message) => {
    const { code, stderr, stdout } = await fuel(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('session --export first adds a tag and parses the session again, like every other view', async () => {
    const exported = await fuel('session', ID, '--tag', 'exported', '--reparse', '--export', 'json');
    expect(exported.code).toBe(0);
    expect(JSON.parse((await fuel('tag', ID, '--json')).stdout).tags).toContain('exported');
    await fuel('tag', ID, '--remove', 'exported');
  });

  it('sessions --fields selects fields within the work of each session', async () => {
    const { stdout } = await fuel('sessions', '--ndjson', '--fields', 'id,work.failed_calls');
    expect(stdout.split('\n')).toContain(JSON.stringify({ id: ID, work: { failed_calls: 1 } }));
    expect(await fuel('sessions', '--json', '--fields', 'work.nope')).toMatchObject({ code: 2, stdout: '' });
  });

  it('I11: an invalid configuration is rejected with a message', async () => {
    const { code, stderr } = await runProgram(['status'], { env: { ...env, FUEL_CODE_PORT: 'abc' } });
    expect(code).toBe(2);
    expect(stderr).toContain('FUEL_CODE_PORT must be a port number');
  });

  it('help lists every command in its group, and help and version are commands', async () => {
    const { stdout } = await fuel('help');
    const groups = stdout.split('\n').filter((line) => /^\S.*:$/.test(line));
    expect(groups).toEqual(['Sessions:', 'Search and reports:', 'Sharing:', 'Capture:', 'Maintenance:']);
    for (const [name, [about]] of Object.entries(COMMANDS)) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +${about.slice(0, 12)}`, 'm'));
    }
    expect((await fuel('help', 'sessions')).stdout).toBe((await fuel('sessions', '--help')).stdout);
    expect((await fuel('help', 'sesions')).stderr).toContain('Did you mean `sessions`?');
    for (const name of ['help', 'version']) expect((await fuel('help', name)).stdout).toBe(stdout);
    expect((await fuel('version')).stdout).toBe((await fuel('--version')).stdout);
  });

  it('config set, get and unset change the configuration file, even one that does not load', async () => {
    const settings = { env: { ...env, FUEL_CODE_HOME: join(home, 'settings') } };
    const config = (...args: string[]) => runProgram(['config', ...args], settings);
    expect((await config('set', 'port', '8080')).stdout).toMatch(/^Set port in .*settings\/config\.json\.\n$/);
    expect((await config('get', 'port')).stdout).toBe('port  8080  (file)\n');
    expect(await config('set', 'port', 'many')).toMatchObject({ code: 2, stdout: '' });
    expect(await config('set', 'prot', '1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean `port`?'),
    });
    expect(await config('set', 'port')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('config set: KEY VALUE.'),
    });
    expect((await config('unset', 's3Region')).stdout).toMatch(/^s3Region is not set in .*config\.json\.\n$/);
    await config('set', 'serverToken', 'not-a-real-token');
    expect((await config('get', 'serverToken')).stdout).toContain('(hidden)');
    writeFileSync(join(home, 'settings', 'config.json'), '{"port": "many", "newer": 1}');
    expect(await config()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('`fuel-code config unset newer`'),
    });
    await config('unset', 'newer');
    await config('set', 'port', '8081');
    expect(JSON.parse((await config('get', 'port', '--json')).stdout).options).toMatchObject([{ value: 8081 }]);
  });

  it('says what to do when there is no Claude home', async () => {
    const empty = { FUEL_CODE_HOME: join(home, 'empty'), CLAUDE_CONFIG_DIR: join(home, 'nowhere') };
    const { code, stdout } = await runProgram(['sessions'], { env: empty });
    expect(code).toBe(0);
    expect(stdout).toContain('No Claude home');
    expect(stdout).toContain('fuel-code demo');
    expect(JSON.parse((await runProgram(['sessions', '--json'], { env: empty })).stdout)).toEqual({
      schema_version: 1,
      sessions: [],
      hidden: 0,
      next_cursor: null,
    });
  });

  it('doctor and status print for people and as JSON', async () => {
    expect(await fuel('doctor')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('all 2 files are archived'),
    });
    expect(JSON.parse((await fuel('doctor', '--json')).stdout).checks).toContainEqual(
      expect.objectContaining({ name: 'store', state: 'ok' }),
    );
    expect(JSON.parse((await fuel('status', '--json')).stdout)).toMatchObject({ sessions: 2, mode: 'embedded' });
    expect((await fuel('config')).stdout).toContain('FUEL_CODE_HOME');
  });

  it('doctor fails where the data folder cannot be used', async () => {
    const file = join(home, 'a-file');
    writeFileSync(file, '');
    const { code, stdout } = await runProgram(['doctor'], { env: { ...env, FUEL_CODE_HOME: join(file, 'below') } });
    expect(code).not.toBe(0);
    expect(stdout).toContain('BAD');
  });

  it('I3: a reader that closes the pipe early causes no error', async () => {
    const command = `"${process.execPath}" "${LAUNCHER}" session ${ID} --transcript --json | head -c 1`;
    const { stderr } = await promisify(execFile)('bash', ['-o', 'pipefail', '-c', command], {
      env: { ...process.env, ...env },
    });
    expect(stderr).toBe('');
  });

  it('B15: keeps its files to their owner whatever the umask', async () => {
    const folder = join(home, 'umask');
    const script = `umask 000; exec "${process.execPath}" "${LAUNCHER}" backfill`;
    await promisify(execFile)('sh', ['-c', script], { env: { ...process.env, ...env, FUEL_CODE_HOME: folder } });
    const open = [folder, ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))].filter(
      (path) => (lstatSync(path).mode & 0o077) !== 0,
    );
    expect(open).toEqual([]);
  });

  it('L7: an old Node.js prints one message', async () => {
    const script = `Object.defineProperty(process.versions, 'node', { value: '18.20.0' }); require(${JSON.stringify(LAUNCHER)})`;
    const old = promisify(execFile)(process.execPath, ['-e', script], {
      env: { ...process.env, FUEL_CODE_OWN_NODE: '1' },
    });
    await expect(old).rejects.toMatchObject({
      code: 2,
      stderr: 'fuel-code: Node.js 22.18 or newer is required; this is 18.20.0. Install a newer Node.js.\n',
    });
  });

  it('src/main.ts runs without a build', async () => {
    const launcher = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
    expect(await runProgram(['version'], { env, launcher })).toEqual({ code: 0, stdout: '0.0.0-source\n', stderr: '' });
    expect(await runProgram(['nope'], { env, launcher })).toMatchObject({ code: 2, stdout: '' });
  });

  it('serves the page until it is stopped', async () => {
    const child = startProgram(['start', '--port', '0', '--no-open'], { env });
    const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
    const address = await new Promise<string>((resolve, reject) => {
      let output = '';
      child.stdout.on('data', (chunk) => {
        output += chunk;
        const match = /http:\/\/127\.0\.0\.1:\d+\/#token=[0-9a-f]{64}/.exec(output);
        if (match) resolve(match[0]);
      });
      child.on('exit', () => reject(new Error(`it ended: ${output}`)));
    });
    const url = new URL(address);
    const token = url.hash.slice('#token='.length);
    const sessions = await fetch(new URL('/api/sessions', url), { headers: { authorization: `Bearer ${token}` } });
    expect(((await sessions.json()) as { sessions: SessionRow[] }).sessions).toHaveLength(2);
    expect((await fetch(new URL('/api/sessions', url))).status).toBe(401);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  });
});
