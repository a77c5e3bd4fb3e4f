import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findInShared, findSecrets } from '../../src/app/forgetting/find-secrets.ts';
import { forgetSecrets, rememberSecrets } from '../../src/app/forgetting/forget-secrets.ts';
import { recover, reparse } from '../../src/app/maintain.ts';
import type { App } from '../../src/app/open-app.ts';
import { openQueue } from '../../src/app/queue.ts';
import { rebuild } from '../../src/app/rebuild.ts';
import type { Clock } from '../../src/domain/ports.ts';
import { type ClaudeHome, createClaudeHome, createTalk } from '../support/claude-home.ts';
import { movableClock, openAt, sendIn } from '../support/deletable-home.ts';
import { findTexts } from '../support/find-text.ts';
import { createGitSandbox } from '../support/git-sandbox.ts';
import { PROGRAMS, silentLog } from '../support/programs.ts';
import { CLEAN, fillWithSecrets, LEAKY, OUTPUTS, PLACES, PLANTED, tokenFor } from '../support/secret-home.ts';

const RUN = { signal: new AbortController().signal, onProgress: () => {} };
const SESSION = { params: { id: LEAKY } };

/** Imports the home and adds annotations, events and commits to the session, each with a secret. */
async function importWithSecrets(app: App, home: ClaudeHome, clock: Clock): Promise<void> {
  callSkill(app.config.home, home, tokenFor('event'));
  await app.drainHooks();
  await app.importNew();
  const send = sendIn(app, clock);
  await send('PATCH /sessions/:id', { ...SESSION, body: { title: tokenFor('title'), summary: tokenFor('summary') } });
  await send('POST /sessions/:id/notes', { ...SESSION, body: { text: `Remember ${tokenFor('note')}` } });
  await send('POST /views', { body: { name: 'Mine', q: `branch:${tokenFor('view')}` } });
  await send('POST /sessions/:id/shares', { ...SESSION, body: { expires_in: 3600 } });
  await app.importNew();
}

let calls = 0;

function callSkill(dataHome: string, home: ClaudeHome, args: string): void {
  mkdirSync(join(dataHome, 'spool'), { mode: 0o700, recursive: true });
  const payload = {
    session_id: LEAKY,
    hook_event_name: 'PostToolUse',
    tool_name: 'Skill',
    tool_use_id: 'toolu_6',
    cwd: '/home/ada/shop',
    transcript_path: join(home.path, `projects/-home-ada-shop/${LEAKY}.jsonl`),
    tool_input: { skill: 'deploy', args },
  };
  writeFileSync(join(dataHome, `spool/${1_790_000_000_000 + calls++}-1-1.json`), JSON.stringify(payload), {
    mode: 0o600,
  });
}

/** Archived bytes keep their secrets. */
function isRaw(place: string): boolean {
  return /^(?:file|object) (?:.*\/)?blobs\//.test(place);
}

async function findLeaks(app: App, texts: readonly string[] = PLANTED) {
  return (await findTexts(app, texts)).filter(([place]) => !isRaw(place));
}

const secretsIn = (app: App, ids: readonly string[]) =>
  Array.fromAsync(findSecrets({ engine: app.store.engine, masking: app.masking }, ids, RUN.signal));

const forget = (app: App, clock: Clock, ids = [LEAKY]) => forgetSecrets(app, ids, clock.now().toISOString(), RUN);

describe.each(PROGRAMS)('J12: forgotten secrets on $name', ({ create }) => {
  it('are no longer in any table, index, journal or database file, and do not come back', async () => {
    using home = createClaudeHome();
    using git = createGitSandbox();
    const repository = git.init('shop');
    git.at('2026-11-01T10:00:05Z');
    git.commit(repository, 'a.txt', `Deploy with ${tokenFor('commit')}`);
    fillWithSecrets(home, repository, OUTPUTS);
    const clock = movableClock();
    await using program = await create(home.path);
    await using app = await openAt(program, clock);
    await importWithSecrets(app, home, clock);
    // Every text has a secret, and the search for secrets finds it.
    const before = new Set((await findLeaks(app)).flatMap(([, texts]) => texts));
    expect(PLACES.filter((place) => !before.has(tokenFor(place).toLowerCase()))).toEqual([]);
    const found = await secretsIn(app, [LEAKY, CLEAN]);
    expect(found.map(({ session_id }) => session_id)).toEqual([LEAKY]);
    expect(found[0]?.kinds).toMatchObject({ 'private-key': expect.any(Number), password: expect.any(Number) });
    expect(JSON.stringify(found)).not.toContain(tokenFor('title'));
    const { total } = await app.get('/cost', { query: { by: 'session', zone: 'UTC' } });

    expect(await forget(app, clock)).toEqual({ failed: [], is_settled: true, shares_removed: 0 });
    expect(await findLeaks(app)).toEqual([]);
    expect(await secretsIn(app, [LEAKY, CLEAN])).toEqual([]);
    expect(await findInShared({ engine: app.store.engine, masking: app.masking })).toBeNull();
    expect(await app.get('/cost', { query: { by: 'session', zone: 'UTC' } })).toMatchObject({ total });
    expect(await app.get('/sessions/:id', SESSION)).toMatchObject({ title: '[secret:github-token]' });
    for (const place of PLACES) {
      const { sessions } = await app.get('/search', { query: { q: tokenFor(place).slice(4), limit: 5 } });
      expect([place, sessions.length]).toEqual([place, 0]);
    }

    // The session is reparsed, grows, is reported by a hook, and its repository is read again.
    await reparse(app, 'all', clock.now().toISOString(), RUN);
    home.append(`-home-ada-shop/${LEAKY}.jsonl`, [
      createTalk(LEAKY, { prefix: 'g' }).user(`Again ${tokenFor('prompt')}`),
    ]);
    home.append('../history.jsonl', [{ display: `Again ${tokenFor('history')}`, sessionId: LEAKY, timestamp: 3 }]);
    git.at('2026-11-01T10:00:06Z');
    git.commit(repository, 'b.txt', `Again ${tokenFor('commit')}`);
    callSkill(program.config.home, home, tokenFor('event'));
    clock.setMinutes(5);
    await app.drainHooks();
    await app.importNew();
    callSkill(program.config.home, home, tokenFor('event'));
    const queue = openQueue({ config: program.config, clock, openApp: () => openAt(program, clock) });
    expect(await queue.drain()).toMatchObject({ accepted: 1 });
    expect(await findLeaks(app)).toEqual([]);
    expect((await app.get('/search', { query: { q: 'again', limit: 5 } })).sessions).toHaveLength(1);
  });

  it('stay forgotten in a rebuilt database', async () => {
    using home = createClaudeHome();
    fillWithSecrets(home, '/home/ada/shop');
    const clock = movableClock();
    await using program = await create(home.path);
    {
      await using app = await openAt(program, clock);
      await importWithSecrets(app, home, clock);
      await forget(app, clock);
    }
    if (program.config.databaseUrl === null) {
      for (const tail of ['', '-wal', '-shm']) rmSync(join(program.config.home, `fuel.db${tail}`), { force: true });
    }
    await rebuild({ config: program.config, clock, log: silentLog }, {});
    await using app = await openAt(program, clock);
    await app.importNew();
    expect(await findLeaks(app)).toEqual([]);
    expect(await app.get('/sessions/:id', SESSION)).toMatchObject({
      notes: [{ text: 'Remember [secret:github-token]' }],
    });
  });

  it('are masked wherever archived bytes are shown, and shown again after an undo', async () => {
    using home = createClaudeHome();
    fillWithSecrets(home, '/home/ada/shop');
    const clock = movableClock();
    await using program = await create(home.path);
    await using app = await openAt(program, clock);
    await app.importNew();
    const read = async () => {
      const file = await app.openFile(LEAKY, undefined);
      const raw = Buffer.concat(await Array.fromAsync(file.read({ from: 0, to: file.sizeBytes })));
      const part = Buffer.concat(await Array.fromAsync(file.read({ from: 10, to: 500 })));
      expect([raw.length, part]).toEqual([file.sizeBytes, raw.subarray(10, 500)]);
      const { messages } = await app.get('/sessions/:id/transcript', { ...SESSION, query: { limit: 1 } });
      const lines = await app.readRawMessage(LEAKY, messages[0]?.id ?? '');
      const texts = await Promise.all(
        (['parsed', 'json', 'md', 'csv'] as const).map(async (format) =>
          (await Array.fromAsync((await app.exportSession(LEAKY, { format, raw: true })).texts)).join(''),
        ),
      );
      return [raw, ...lines, ...texts].map(String).join('\n').toLowerCase();
    };
    const original = await read();
    expect(original).toContain(tokenFor('prompt').toLowerCase());
    await forget(app, clock);
    const masked = await read();
    expect(PLANTED.filter((secret) => masked.includes(secret))).toEqual([]);
    await rememberSecrets(app, [LEAKY], clock.now().toISOString(), RUN);
    expect(await read()).toBe(original);
  });

  it('are completely forgotten by the next run if one was stopped after the marks', async () => {
    using home = createClaudeHome();
    fillWithSecrets(home, '/home/ada/shop');
    const clock = movableClock();
    await using program = await create(home.path);
    await using app = await openAt(program, clock);
    await importWithSecrets(app, home, clock);
    const now = clock.now().toISOString();
    // The marks of a run that was stopped right after writing them.
    const marking = { ...RUN, signal: stopAfterFirstLook() };
    expect(await forgetSecrets(app, [LEAKY], now, marking)).toMatchObject({ is_settled: false });
    expect((await findLeaks(app)).length).toBeGreaterThan(0);
    await recover(app, RUN);
    expect(await forget(app, clock, [])).toMatchObject({ is_settled: true });
    expect(await findLeaks(app)).toEqual([]);
  });
});

/** Aborts after it was checked once. */
function stopAfterFirstLook(): AbortSignal {
  const { signal } = new AbortController();
  let looks = 0;
  return new Proxy(signal, {
    get: (target, name) => (name === 'aborted' ? looks++ > 0 : Reflect.get(target, name)),
  });
}
