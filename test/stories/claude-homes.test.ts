import { appendFileSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app/open-app.ts';
import { hookPaths } from '../../src/capture/hook/hook-files.ts';
import { installHooks, uninstallHooks } from '../../src/capture/hook/install.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { fixedClock, PROGRAMS, type Program, silentLog } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';

const A = '3f2a91c0-1111-4222-8333-444455556661';
const B = '3f2a91c0-1111-4222-8333-444455556662';
const LAUNCHER = { node: '/nonexistent/node', program: '/nonexistent/fuel-code' };

function talk(id: string): object[] {
  const { user, assistant } = createTalk(id, { prefix: id.slice(-1) });
  const { uuid: _uuid, ...nameless } = user('A line without a uuid.');
  return [nameless, user('Hello.'), assistant(`msg_${id}`, text('Hi.'), { input: 3, output: 5 })];
}

describe.each(PROGRAMS)('several Claude homes: $name', ({ create }) => {
  let first: ClaudeHome;
  let second: ClaudeHome;
  let program: Program;
  beforeEach(async () => {
    first = createClaudeHome();
    second = createClaudeHome();
    first.write(`-home-ada-shop/${A}.jsonl`, talk(A));
    second.write(`-home-ada-shop/${B}.jsonl`, talk(B));
    program = await create(first.path);
  });
  afterEach(async () => {
    await program[Symbol.asyncDispose]();
    first[Symbol.dispose]();
    rmSync(second.path, { recursive: true, force: true });
  });
  const configured = (claudeHome: string) => ({ ...program.config, claudeHome });
  const open = (claudeHome = first.path) =>
    openApp({ config: configured(claudeHome), clock: fixedClock, log: silentLog });
  const run = (words: string[], claudeHome = first.path) =>
    runCommand(words, { config: configured(claudeHome), openApp: () => open(claudeHome) });
  const listed = async () => {
    await using app = await open();
    await app.drainHooks();
    await app.importNew();
    const { sessions } = await app.get('/sessions', { query: { limit: 100 } });
    return sessions.map(({ id }) => id).toSorted();
  };

  it('are all captured when their hooks are installed, in any order', async () => {
    for (const claudeHome of [first.path, second.path])
      installHooks({ home: program.config.home, claudeHome, clock: fixedClock }, LAUNCHER, '2.1.325');
    expect(await listed()).toEqual([A, B]);
    for (const words of [['status'], ['doctor'], ['hooks', 'status']]) {
      const { out } = await run(words);
      for (const { path } of [first, second]) expect(out.replaceAll(/\s/g, ''), words.join(' ')).toContain(path);
    }
    const { out } = await run(['doctor']);
    expect(out).toMatch(/all 2 files are archived/);
  });

  it('are captured when a hook event names a transcript in them', async () => {
    const spool = join(program.config.home, 'spool');
    mkdirSync(spool, { recursive: true, mode: 0o700 });
    const transcript_path = join(second.path, `projects/-home-ada-shop/${B}.jsonl`);
    const event = { session_id: B, hook_event_name: 'Stop', transcript_path };
    writeFileSync(join(spool, '1790000000000-1-1.json'), JSON.stringify(event), { mode: 0o600 });
    expect(await listed()).toEqual([A, B]);
    second.append(`-home-ada-shop/${B}.jsonl`, [createTalk(B, { prefix: 'x' }).user('More.')]);
    await listed();
    await using app = await open();
    expect(await app.get('/status')).toMatchObject({ sessions: 2, messages: 7 });
  });

  it('stay on the list once read, and are shown as missing while they do not exist', async () => {
    await using app = await open(second.path);
    await app.importNew();
    expect(await listed()).toEqual([A, B]);
    const away = `${second.path}-away`;
    renameSync(second.path, away);
    expect(await listed()).toEqual([A, B]);
    expect((await run(['status'])).out.replaceAll(/\s/g, '')).toContain(`${second.path}(notfound)`);
    const { homes } = JSON.parse((await run(['hooks', 'status', '--json'])).out) as { homes: unknown };
    expect(homes).toMatchObject([
      { path: second.path, exists: false },
      { path: first.path, exists: true },
    ]);
    renameSync(away, second.path);
    const { out } = await run(['status']);
    expect(out).not.toContain('not there');
  });

  it.each([
    ['a symbolic link', (from: string, to: string) => symlinkSync(from, to)],
    ['a copy', (from: string, to: string) => cpSync(from, to, { recursive: true })],
    [
      'a link to its projects folder',
      (from: string, to: string) => {
        mkdirSync(to);
        symlinkSync(join(from, 'projects'), join(to, 'projects'));
      },
    ],
  ])('give the same counts when the same home is imported as %s', async (_name, make) => {
    const counts = async (claudeHome: string) => {
      await using app = await open(claudeHome);
      await app.importNew();
      const { sessions } = await app.get('/sessions', { query: { limit: 100 } });
      const { messages } = await app.get('/status');
      return {
        messages,
        sessions: sessions.map(({ id, total_messages, tokens_out }) => [id, total_messages, tokens_out]),
      };
    };
    const before = await counts(first.path);
    rmSync(second.path, { recursive: true });
    make(first.path, second.path);
    expect(await counts(second.path)).toEqual(before);
    expect(before.sessions).toHaveLength(1);
    // Data added to either home is there, once.
    appendFileSync(
      join(second.path, `projects/-home-ada-shop/${A}.jsonl`),
      `${JSON.stringify(createTalk(A, { prefix: 'y' }).user('More.'))}\n`,
    );
    expect((await counts(first.path)).messages).toBe(before.messages + 1);
  });

  it('keep the hook script while another home uses it', async () => {
    const places = [first.path, second.path].map((claudeHome) => ({
      home: program.config.home,
      claudeHome,
      clock: fixedClock,
    }));
    for (const place of places) installHooks(place, LAUNCHER, '2.1.325');
    const { script } = hookPaths(program.config.home);
    for (const [index, place] of places.entries()) {
      uninstallHooks(place);
      expect(existsSync(script)).toBe(index === 0);
    }
  });

  it('can stop within a huge file and continue there', async () => {
    const line = `${JSON.stringify({ ...createTalk(B).user('x'.repeat(1_000_000)) })}\n`;
    first.write(`-home-ada-shop/${B}.jsonl`, line.repeat(30));
    const stop = new AbortController();
    await using app = await open();
    let read = 0;
    const onProgress = ({ bytes_done }: { bytes_done: number }) => {
      read = bytes_done;
      if (bytes_done > 1_000_000) stop.abort();
    };
    const report = await app.importNew({ signal: stop.signal, onProgress, concurrency: 1 });
    expect(report.failed).toEqual([]);
    expect(read).toBeLessThan(line.length * 15);
    expect(await app.importNew()).toMatchObject({ failed: [] });
    expect((await app.get('/status')).sessions).toBe(2);
  });

  it('account for every file found', async () => {
    first.write(`-home-ada-shop/${B}.jsonl`, '');
    symlinkSync('/etc/hostname', join(first.path, 'projects/-home-ada-shop/linked.jsonl'));
    const report = JSON.parse((await run(['backfill', '--json'])).out) as Record<string, unknown>;
    expect(report).toMatchObject({ found: 2, archived: 1, waiting: 0, empty: 1, ignored: 0 });
    expect(report.empty_files).toEqual([join(first.path, `projects/-home-ada-shop/${B}.jsonl`)]);
    expect(report.skipped).toMatchObject([{ path: 'projects/-home-ada-shop/linked.jsonl' }]);
    expect((await run(['doctor'])).out).toMatch(/2 files found: 1 archived, 1 empty; 1 skipped/);
    expect((await run(['backfill'])).out).toContain(`Empty: ${first.path}`);
  });
});
