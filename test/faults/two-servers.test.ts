import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { acceptCaptures, sourceFileId } from '../../src/archive/captures.ts';
import { UNASSOCIATED } from '../../src/domain/workspace.ts';
import type { Capture } from '../../src/store/queries/archive/archive.ts';
import { saveDevice } from '../../src/store/queries/devices/devices.ts';
import { saveWorkspace } from '../../src/store/queries/workspaces/workspaces.ts';
import { createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { NOW, PROGRAMS, type Program } from '../support/programs.ts';
import { runProgram } from '../support/run-program.ts';
import { silentJournal } from '../support/silent-journal.ts';
import { size } from '../support/sizes.ts';

const SESSIONS = size('TWO_SERVERS_SESSIONS', 60);
const MAX_ROUNDS = 50;
const AT = NOW.toISOString();

const idOf = (n: number) => `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`;

/**
 * Captures sessions as if a device had sent them, without parsing them. Every `familySize` sessions share the lines of the
 * first one; with 1, no lines are shared.
 */
async function captureMany({ store, blobs, device, config }: App, sessions: number, familySize: number): Promise<void> {
  const { engine } = store;
  mkdirSync(join(config.claudeHome, 'projects'));
  await saveDevice(engine.kysely, device, AT);
  const workspaceId = await saveWorkspace(engine.kysely, UNASSOCIATED, AT);
  const journal = silentJournal;
  const firsts = Array.from({ length: sessions / familySize }, (_, family) => family * familySize);
  const stored = await Promise.all(firsts.map((n) => blobs.put(Buffer.from(textOf(n)))));
  for (let n = 0; n < sessions; n++) {
    const id = idOf(n);
    const path = `projects/-w/${id}.jsonl`;
    const blob = stored[Math.floor(n / familySize)] as (typeof stored)[number];
    const file = { deviceId: device.id, root: '/home/ada/.claude', path };
    const capture = {
      ...file,
      id: sourceFileId(file),
      kind: 'main',
      state: 'captured',
      sessionId: id,
      agentId: null,
      generation: 1,
      sizeBytes: blob.sizeBytes,
      mtimeMs: 1,
      inode: n + 1,
      headSha256: '',
      tailSha256: '',
      sha256: blob.sha256,
      segments: [{ startOffset: 0, sizeBytes: blob.sizeBytes, sha256: blob.sha256, blobOffset: 0 }],
      blobs: [blob],
    } as unknown as Capture;
    const makes = { id, workspaceId, deviceId: device.id, startedAt: AT, source: 'backfill' };
    await acceptCaptures(engine, journal, [{ capture, part: { makes } }], AT);
  }
}

function textOf(n: number): string {
  const talk = createTalk(idOf(n));
  const lines = [talk.user('Hello.'), talk.assistant(`msg_${n}`, text('Hello.'), { input: 10, output: 1 })];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Two programs with separate homes run `backfill` on one database at the same time. */
async function workThrough({ config, env }: Program) {
  const other = mkdtempSync(join(tmpdir(), 'fuel-code-other-'));
  const backfill = (home: string) => runProgram(['backfill', '--json'], { env: { ...env, FUEL_CODE_HOME: home } });
  const runs = await Promise.all([config.home, other].map(backfill));
  rmSync(other, { recursive: true });
  expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ]);
  const [a, b] = runs.map(({ stdout }) => JSON.parse(stdout));
  expect([a.failed, b.failed]).toEqual([[], []]);
  return {
    parsed: a.sessions_parsed + b.sessions_parsed,
    indexed: a.sessions_indexed + b.sessions_indexed,
    fewestParsed: Math.min(a.sessions_parsed, b.sessions_parsed),
  };
}

async function sumsOf({ store }: App) {
  return store.engine.kysely
    .selectFrom('sessions')
    .select(({ fn }) => [fn.sum<number>('tokens_in').as('in'), fn.sum<number>('total_messages').as('messages')])
    .executeTakeFirstOrThrow();
}

const { create } = PROGRAMS.find(({ name }) => name === 'PostgreSQL and S3') as (typeof PROGRAMS)[number];

it('F3: two servers on one database work through many sessions, each exactly once', async () => {
  // One of them may finish before the other one has started; then nothing was shared.
  for (let round = 1; !(await shareOnce(SESSIONS)); round++) expect(round).toBeLessThan(MAX_ROUNDS);
});

/** Returns whether both servers did part of the work. */
async function shareOnce(sessions: number): Promise<boolean> {
  using claude = createClaudeHome();
  await using program = await create(claude.path);
  await using app = await program.open();
  await captureMany(app, sessions, 1);
  const { parsed, indexed, fewestParsed } = await workThrough(program);
  expect({ parsed, indexed }).toEqual({ parsed: sessions, indexed: sessions });
  const states = await app.store.engine.kysely
    .selectFrom('sessions')
    .select(['lifecycle', 'revision', 'attempts', 'claim_holder'])
    .distinct()
    .execute();
  expect(states).toEqual([{ lifecycle: 'summarized', revision: 1, attempts: 0, claim_holder: null }]);
  expect(await sumsOf(app)).toEqual({ in: sessions * 10, messages: sessions * 2 });
  return fewestParsed > 0;
}

// A copy is parsed again once its family has been compared, because it only counts its own part. Which server does that,
// and in which pass, depends on timing.
it('F3: two servers count the answers of copied sessions once, in the original', async () => {
  const [sessions, familySize] = [SESSIONS, 2];
  using claude = createClaudeHome();
  await using program = await create(claude.path);
  await using app = await program.open();
  await captureMany(app, sessions, familySize);
  await workThrough(program);
  const states = await app.store.engine.kysely
    .selectFrom('sessions')
    .innerJoin('session_lineage as l', 'l.session_id', 'sessions.id')
    .select(({ fn }) => ['lifecycle', 'revision', 'attempts', 'claim_holder', fn.countAll<number>().as('sessions')])
    .select(({ eb }) => eb('l.parent_session_id', 'is not', null).as('is_copy'))
    .where('l.needs_settling', '=', false)
    .groupBy(['lifecycle', 'revision', 'attempts', 'claim_holder', 'is_copy'])
    .orderBy('revision')
    .execute();
  const state = { lifecycle: 'summarized', attempts: 0, claim_holder: null, sessions: sessions / familySize };
  expect(states).toEqual([
    { ...state, revision: 1, is_copy: false },
    { ...state, revision: 2, is_copy: true },
  ]);
  const answers = sessions / familySize;
  expect(await sumsOf(app)).toEqual({ in: answers * 10, messages: answers * 2 });
});
