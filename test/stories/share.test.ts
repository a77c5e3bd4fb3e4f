import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Share } from '../../src/api/shares.ts';
import { PROGRAMS } from '../support/programs.ts';
import { type CommandRun, runCommand } from '../support/run-command.ts';
import { type ServedProgram, serveProgram } from '../support/serve-program.ts';

describe.each(PROGRAMS)('sharing a session ($name)', (kind) => {
  let served: ServedProgram;
  let folder = '';
  let id = '';
  beforeAll(async () => {
    served = await serveProgram(kind);
    folder = mkdtempSync(join(tmpdir(), 'fuel-code-share-'));
    id = (await served.app.get('/sessions', { query: { has: 'subagent', limit: 50 } })).sessions[0]?.id ?? '';
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const here = (...words: string[]): Promise<CommandRun> =>
    runCommand(words, { config: served.program.config, openApp: () => served.program.open() });
  const there = (...words: string[]): Promise<CommandRun> =>
    runCommand([...words, '--remote'], {
      config: served.clientConfig(),
      openApp: () => Promise.reject(new Error('something of this machine was opened')),
    });

  it('writes the same page from this machine and from a server', async () => {
    const [own, foreign] = [join(folder, 'own.html'), join(folder, 'foreign.html')];
    const { out, error } = await here('share', id.slice(0, 8), '--file', own);
    expect([out.startsWith(`Written: ${own} (`), error]).toEqual([true, null]);
    await there('share', id.slice(0, 8), '--file', foreign);
    expect(readFileSync(own, 'utf8')).toMatch(/^<!doctype html>[\s\S]+<\/html>\n$/);
    expect(readFileSync(foreign, 'utf8')).toBe(readFileSync(own, 'utf8'));
    expect(statSync(own).mode & 0o777).toBe(0o600);
  });

  it('writes into a folder under a generated name', async () => {
    const into = mkdtempSync(join(folder, 'into-'));
    const { out } = await here('share', id, '--file', into, '--json');
    const written = JSON.parse(out) as { path: string; size_bytes: number };
    expect(readdirSync(into).map((name) => join(into, name))).toEqual([written.path]);
    expect(written.path).toMatch(/\/[a-z0-9-]+-[a-z0-9]{8}\.html$/);
    expect(statSync(written.path).size).toBe(written.size_bytes);
  });

  it('never overwrites a file or creates a folder', async () => {
    const path = join(folder, 'mine.html');
    writeFileSync(path, 'mine');
    expect((await here('share', id, '--file', path)).error).toMatchObject({ code: 'usage' });
    expect(readFileSync(path, 'utf8')).toBe('mine');
    const { error } = await here('share', id, '--file', join(folder, 'nowhere', 'x.html'));
    expect(error).toMatchObject({
      code: 'file_unavailable',
      message: expect.stringContaining('no such file') as string,
    });
  });

  it('a preview shows what would be shared and writes nothing', async () => {
    const { out } = await here('share', id, '--preview');
    expect(out).toMatch(/Page size: [\d.]+ kB\. \d+ replacements:\nhome-directory: \d+\n/);
    expect(out).toContain('Nothing was written or shared.');
    expect((await there('share', id, '--preview')).out).toBe(out);
    expect((await here('shares')).out).toContain('No links.');
  });

  it('creates a link that works until it is revoked', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { out } = await there('share', id, '--expires', '2d', '--note', 'for Ben');
    const [url = ''] = out.split('\n');
    expect(url).toMatch(new RegExp(`^${served.origin}/s/[\\w-]{22}$`));
    expect(out).toContain('until 2026-11-17 21:00. ');
    expect(await (await fetch(url)).text()).toMatch(/^<!doctype html>/);
    const { shares } = JSON.parse((await there('shares', '--session', id, '--json')).out) as { shares: Share[] };
    expect(shares).toMatchObject([{ session_id: id, note: 'for Ben' }]);
    expect((await here('shares')).out).toBe((await there('shares')).out);
    const [share] = shares;
    expect(out).toContain(`--revoke ${share?.id}`);
    expect((await there('shares', '--revoke', share?.id.slice(0, 20).toLowerCase() ?? '')).error).toBeNull();
    expect((await fetch(url)).status).toBe(404);
    expect((await there('shares', '--revoke', share?.id ?? '')).error?.code).toBe('not_found');
  });

  it('says why a link cannot be created', async () => {
    const { error } = await here('share', id);
    expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining('requires a server') as string });
    expect(error?.hint).toContain('--file');
    expect((await there('share', id, '--expires', 'soon')).error?.code).toBe('usage');
    expect((await there('share', id, '--expires', '2y')).error?.message).toBe(
      '--expires must be between 1 minute and 365 days, not "2y".',
    );
    expect((await there('share', 'zzz')).error?.code).toBe('not_found');
    expect((await here('share', id, '--preview', '--expires', '2d')).error?.code).toBe('usage');
  });
});
