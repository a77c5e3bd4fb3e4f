import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { UNASSOCIATED } from '../../src/domain/workspace.ts';
import { acceptCapture, sourceFileId } from '../../src/archive/accept-capture.ts';
import { saveDevice } from '../../src/store/queries/devices/devices.ts';
import { saveWorkspace } from '../../src/store/queries/workspaces/workspaces.ts';
import { createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { NOW, PROGRAMS } from '../support/programs.ts';
import { runProgram } from '../support/run-program.ts';
import { silentJournal } from '../support/silent-journal.ts';

const RUN_MAIN = fileURLToPath(new URL('../support/run-main.ts', import.meta.url));
const SESSIONS = 1_000;
const AT = NOW.toISOString();
/** Every so many sessions are a family that shares an answer. */
const FAMILY = 2;

/** Captured, as a device would have sent them: nothing of them is parsed yet. */
async function captureMany({ store, blobs, device }: App): Promise<void> {
  const { engine } = store;
  await saveDevice(engine.kysely, device, AT);
  const workspaceId = await saveWorkspace(engine.kysely, UNASSOCIATED, AT);
  const journal = silentJournal;
  const families = await Promise.all(
    Array.from({ length: SESSIONS / FAMILY }, (_, n) => blobs.put(Buffer.from(familyText(n)))),
  );
  for (let n = 0; n < SESSIONS; n++) {
    const id = `${String(n).padStart(8, '0')}-2222-4333-8444-555555555555`;
    const path = `projects/-w/${id}.jsonl`;
    const blob = families[Math.floor(n / FAMILY)] as (typeof families)[number];
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
    } as unknown as Parameters<typeof acceptCapture>[2];
    const makes = { id, workspaceId, deviceId: device.id, startedAt: AT, source: 'backfill' };
    await acceptCapture(engine, journal, capture, { makes }, AT);
  }
}

function familyText(n: number): string {
  const talk = createTalk('00000000-0000-4000-8000-000000000000', { prefix: `f${n}-` });
  const lines = [talk.user('Hello.'), talk.assistant(`msg_${n}`, text('Hello.'), { input: 10, output: 1 })];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

const SETTINGS = { timeout: 240_000 };

it(
  `F3: two servers on one database work through ${SESSIONS} sessions, each once, and count every answer once`,
  SETTINGS,
  async () => {
    using claude = createClaudeHome();
    const other = mkdtempSync(join(tmpdir(), 'fuel-code-other-'));
    const { create } = PROGRAMS.find(({ name }) => name === 'PostgreSQL and S3') as (typeof PROGRAMS)[number];
    await using program = await create(claude.path);
    await using app = await program.open();
    await captureMany(app);
    const backfill = (home: string) =>
      runProgram(['backfill', '--json'], { launcher: RUN_MAIN, env: { ...program.env, FUEL_CODE_HOME: home } });
    const runs = await Promise.all([program.config.home, other].map(backfill));
    rmSync(other, { recursive: true });
    expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ]);
    const [a, b] = runs.map(({ stdout }) => JSON.parse(stdout));
    expect([a.failed, b.failed]).toEqual([[], []]);
    // A session that turns out to be a copy of a later one is parsed and indexed once more.
    expect(a.sessions_parsed + b.sessions_parsed).toBeGreaterThanOrEqual(SESSIONS);
    expect(a.sessions_indexed + b.sessions_indexed).toBeGreaterThanOrEqual(SESSIONS);
    expect(Math.min(a.sessions_parsed, b.sessions_parsed)).toBeGreaterThan(0);
    const { kysely } = app.store.engine;
    const states = await kysely
      .selectFrom('sessions')
      .select(['lifecycle', 'attempts', 'claim_holder'])
      .distinct()
      .execute();
    expect(states).toEqual([{ lifecycle: 'summarized', attempts: 0, claim_holder: null }]);
    const sums = await kysely
      .selectFrom('sessions')
      .select(({ fn }) => fn.sum<number>('tokens_in').as('in'))
      .executeTakeFirstOrThrow();
    expect(sums).toEqual({ in: (SESSIONS / FAMILY) * 10 });
  },
);
