import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGeneration } from '../../src/archive/archive-bytes.ts';
import { loadSessionFiles } from '../../src/store/queries/archive/archive.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { PROGRAMS, type Program } from '../support/programs.ts';
import { runCommand } from '../support/run-command.ts';
import { createPair, fetchFrom, shipTo } from '../support/ship-pair.ts';

const ID = 'aaaaaaaa-0000-4000-8000-000000000000';
const HOME_ID = 'bbbbbbbb-0000-4000-8000-000000000000';
const OTHER = 'cccccccc-0000-4000-8000-000000000000';

function linesOf(id: string, prompts = 1): string {
  const talk = createTalk(id);
  const turns = Array.from({ length: prompts }, (_, at) => [
    talk.user(`Boil water ${at}`),
    talk.assistant(`m-${id}-${at}`, text('Done.'), { input: 10, output: 5 }),
  ]);
  return turns
    .flat()
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

describe.each(PROGRAMS)('upload ($name)', ({ create }) => {
  let claude: ClaudeHome;
  let program: Program;
  let folder = '';
  const run = (...words: string[]) => runCommand(words, { config: program.config, openApp: program.open });
  const put = (name: string, content: string | Uint8Array) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  };
  const upload = async (...words: string[]) => {
    const { out, error } = await run('upload', ...words, '--json');
    if (error !== null) throw error;
    return JSON.parse(out) as { session_id: string; files: { status: string; path: string }[] };
  };
  const sessionOf = async (id: string) =>
    JSON.parse((await run('session', id, '--json')).out) as Record<string, unknown>;
  const archived = async (id: string) => {
    await using app = await program.open();
    const { engine } = app.store;
    const files = await loadSessionFiles(engine.kysely, id);
    const contents = files.map(async (file): Promise<[string, Buffer]> => {
      return [file.path, Buffer.concat(await Array.fromAsync(readGeneration({ engine, blobs: app.blobs }, file)))];
    });
    return Object.fromEntries(await Promise.all(contents));
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fuel-code-elsewhere-'));
    claude = createClaudeHome();
    claude.write(`-home-ada-shop/${HOME_ID}.jsonl`, linesOf(HOME_ID, 2));
    program = await create(claude.path);
    await run('backfill');
  });
  afterAll(async () => {
    await program[Symbol.asyncDispose]();
    claude[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });

  it('archives the exact bytes, parses them, and survives verify, rebuild and scans', async () => {
    // An invalid line and a missing line break at the end stay as they are.
    const bytes = Buffer.concat([Buffer.from(linesOf(ID)), Buffer.from([0xff, 0x00, 0x7b])]);
    const path = put(`${ID}.jsonl`, bytes);
    expect(await upload(path)).toMatchObject({ session_id: ID, files: [{ path, status: 'uploaded' }] });
    const stored = `projects/-home-ada-shop/${ID}.jsonl`;
    expect(await archived(ID)).toEqual({ [stored]: bytes });
    const before = await sessionOf(ID);
    expect(before).toMatchObject({ title: 'Boil water 0', total_messages: 2, parse_status: 'completed' });
    expect((await run('search', 'boil')).out).toContain(ID.slice(0, 8));
    expect((await run('verify')).error).toBeNull();
    expect((await run('rebuild')).error).toBeNull();
    await run('backfill');
    expect(await archived(ID)).toEqual({ [stored]: bytes });
    const { title, total_messages, cost_estimate_usd } = await sessionOf(ID);
    expect({ title, total_messages, cost_estimate_usd }).toEqual({
      title: before.title,
      total_messages: before.total_messages,
      cost_estimate_usd: before.cost_estimate_usd,
    });
    const target = mkdtempSync(join(folder, 'restored-'));
    await run('restore', ID, '--to', target);
    expect(readFileSync(join(target, stored))).toEqual(bytes);
  });

  it('takes several files and folders, and continues after one that is rejected', async () => {
    const id = (n: number) => `dddddddd-0000-4000-8000-00000000000${n}`;
    const agent = `${JSON.stringify({ ...createTalk(id(1), { prefix: 'a' }).user('Look'), agentId: 'a1', isSidechain: true })}\n`;
    put(`backup/-home-ada-shop/${id(1)}.jsonl`, linesOf(id(1)));
    put(`backup/-home-ada-shop/${id(1)}/subagents/agent-a1.jsonl`, agent);
    put(`backup/-home-ada-other/${id(2)}.jsonl`, linesOf(id(2)));
    put('backup/history.jsonl', '{"display":"Hello"}\n');
    symlinkSync('/etc/passwd', join(folder, 'backup/link.jsonl'));
    const single = put(`single/${id(3)}.jsonl`, linesOf(id(3)));
    const wrong = put('single/wrong.jsonl', '{"a":1}\n');
    const { out, error } = await run('upload', join(folder, 'backup'), single, wrong, '--json');
    const { uploads, skipped } = JSON.parse(out) as { uploads: { session_id: string | null }[]; skipped: string[] };
    expect(uploads).toMatchObject([
      { session_id: id(2), files: [{}], error: null },
      { session_id: id(1), files: [{}, {}], error: null },
      { session_id: id(3), error: null },
      { session_id: null, path: wrong, error: { code: 'usage' } },
    ]);
    expect(skipped).toEqual([join(folder, 'backup/history.jsonl')]);
    expect(error).toMatchObject({ code: 'incomplete', message: '1 of 4 transcripts not stored.' });
    for (const n of [1, 2, 3]) expect(await sessionOf(id(n))).toMatchObject({ title: 'Boil water 0' });
    const again = await run('upload', join(folder, 'backup'));
    expect([again.error, again.out.split('\n').at(-2)]).toEqual([
      null,
      '2 sessions from 2 transcripts; 1 other file without prompts or answers skipped.',
    ]);
    expect((await run('upload', join(folder, 'backup'), '--session', id(1))).error).toMatchObject({ code: 'usage' });
    mkdirSync(join(folder, 'nothing'));
    expect((await run('upload', join(folder, 'nothing'))).error?.message).toContain('No transcripts in');
  });

  it('adds only what continues the stored bytes', async () => {
    const path = put(`${OTHER}.jsonl`, linesOf(OTHER));
    await upload(path);
    expect((await upload(path)).files).toMatchObject([{ status: 'already_uploaded' }]);
    appendFileSync(path, linesOf(OTHER, 2).slice(linesOf(OTHER).length));
    expect((await upload(path)).files).toMatchObject([{ status: 'appended' }]);
    expect((await archived(OTHER))[`projects/-home-ada-shop/${OTHER}.jsonl`]).toEqual(readFileSync(path));
    expect(await sessionOf(OTHER)).toMatchObject({ total_messages: 4 });
    const shorter = put('older/x.jsonl', linesOf(OTHER));
    expect((await upload(shorter)).files).toMatchObject([{ status: 'already_uploaded' }]);
    const changed = put('changed/x.jsonl', linesOf(OTHER).replace('Boil', 'Cool'));
    const { error } = await run('upload', changed);
    expect(error).toMatchObject({ code: 'conflict', exitCode: 7 });
    expect(error?.message).toContain('is already stored with different bytes');
    expect(await sessionOf(OTHER)).toMatchObject({ total_messages: 4 });
  });

  it('takes sub-agents and stored outputs from the folder beside it, and nothing else', async () => {
    const id = 'dddddddd-0000-4000-8000-000000000000';
    const path = put(`${id}.jsonl`, linesOf(id));
    const agent = createTalk(id, { prefix: 'a' });
    put(
      `${id}/subagents/agent-a1.jsonl`,
      `${JSON.stringify({ ...agent.user('Look.'), isSidechain: true, agentId: 'a1' })}\n`,
    );
    put(`${id}/tool-results/t1.txt`, 'a long output');
    put(`${id}/secret.txt`, 'not ours');
    expect((await upload(path)).files.map((file) => file.path.slice(folder.length + 1))).toEqual([
      `${id}.jsonl`,
      `${id}/subagents/agent-a1.jsonl`,
      `${id}/tool-results/t1.txt`,
    ]);
    expect(await sessionOf(id)).toMatchObject({ subagent_count: 1 });
  });

  it('a session of a Claude home stays with its file', async () => {
    const same = put('copy.jsonl', linesOf(HOME_ID, 2));
    expect((await upload(same, '--session', HOME_ID)).files).toMatchObject([{ status: 'already_uploaded' }]);
    const { error } = await run('upload', put('grown.jsonl', linesOf(HOME_ID, 3)));
    expect(error?.message).toContain(`is imported from ${claude.path}/projects/`);
  });

  it('rejects a file that is not a transcript, and a different session', async () => {
    const lines = linesOf('eeeeeeee-0000-4000-8000-000000000000');
    for (const [content, words, message] of [
      ['', [], 'is empty'],
      ['hello\nworld\n', [], 'is not a transcript'],
      ['{"type":"metric","value":1}\n', [], 'is not a transcript'],
      [Buffer.from([0, 1, 2, 255]), [], 'is not a transcript'],
      [lines, ['--session', ID], 'belongs to session eeeeeeee-0000-4000-8000-000000000000, not to'],
      [lines.replaceAll(/"sessionId":"[^"]*",/g, ''), [], 'does not name its session'],
      [`${lines}${linesOf(ID)}`, [], 'names 2 sessions'],
      [lines, ['--workspace', 'nowhere'], 'No workspace named'],
    ] as const) {
      const { error, out } = await run('upload', put('odd.jsonl', content), ...words);
      expect([error?.message ?? '', out]).toEqual([expect.stringContaining(message), '']);
      expect([2, 3]).toContain(error?.exitCode);
    }
    await expect(run('upload', join(folder, 'missing.jsonl'))).rejects.toThrow('ENOENT');
    expect((await run('session', 'eeeeeeee')).error?.exitCode).toBe(3);
  });

  it('a deleted session stays deleted, and can be restored first', async () => {
    const path = put(`${ID}.jsonl`, linesOf(ID));
    {
      await using app = await program.open();
      // It has no Claude home, so nothing would be removed from one.
      expect(await app.get('/sessions/:id/deletion', { params: { id: ID } })).toMatchObject({ claude_files: [] });
    }
    await run('delete', ID, '--yes');
    const { error } = await run('upload', path);
    expect(error).toMatchObject({ code: 'gone', hint: expect.stringContaining(`fuel-code delete --undo ${ID}`) });
    expect((await run('session', ID)).error?.code).toBe('gone');
  });
});

describe.each(PROGRAMS)('upload with a server ($name)', ({ create }) => {
  it('arrives there', async () => {
    await using pair = await createPair(create);
    const { device, server } = pair;
    const folder = mkdtempSync(join(device.home, 'elsewhere-'));
    const path = join(folder, `${ID}.jsonl`);
    writeFileSync(path, linesOf(ID));
    const openApp = async () => ({ ...device.app, [Symbol.asyncDispose]: async () => {} });
    const { error, err } = await runCommand(['upload', path], { config: device.app.config, openApp });
    expect([error, err]).toEqual([null, expect.stringContaining('the worker sends it later')]);
    await device.app.store.engine.kysely.deleteFrom('shipping').execute();
    await shipTo(device, { fetch: fetchFrom(server) });
    await server.importNew();
    expect(await server.get('/sessions/:id', { params: { id: ID } })).toMatchObject({ total_messages: 2 });
  });
});
