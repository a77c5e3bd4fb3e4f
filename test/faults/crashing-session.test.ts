import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reparse } from '../../src/app/maintain.ts';
import type { App } from '../../src/app/open-app.ts';
import { MAX_ATTEMPTS } from '../../src/domain/pipeline.ts';
import { listSteps } from '../../src/store/queries/sessions/session-steps.ts';
import { bundleScript } from '../support/bundle-script.ts';
import { type ClaudeHome, createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { childEnv } from '../support/processes.ts';
import { NOW, PROGRAMS, type Program } from '../support/programs.ts';

const IMPORT_UNTIL = await bundleScript('import-until');
const CRASH_IN_SESSION = await bundleScript('crash-in-session');
const CRASHING = '22222222-2222-4333-8444-555555555555';
const OTHER = '11111111-2222-4333-8444-555555555555';

function linesOf(id: string, startedAt: string) {
  const talk = createTalk(id, { prefix: id.slice(0, 4), startedAt });
  return [talk.user('Mend the till.'), talk.assistant(`msg_${id}`, text('Mended.'), { input: 3, output: 2 })];
}

function writeBoth(home: ClaudeHome): void {
  for (const [id, startedAt] of [
    [OTHER, '2026-10-01T00:00:00.000Z'],
    [CRASHING, '2026-10-02T00:00:00.000Z'],
  ] as const) {
    utimesSync(home.write(`-w/${id}.jsonl`, linesOf(id, startedAt)), new Date(startedAt), new Date(startedAt));
  }
}

/** An import that is killed when it has claimed its nth session to parse. */
async function crashAtClaim({ env }: Program, nth: number): Promise<void> {
  const child = spawn(process.execPath, [IMPORT_UNTIL.path, 'after a session was claimed', String(nth), 'SIGKILL'], {
    env: childEnv({ ...IMPORT_UNTIL.env, ...env }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

/** An import that receives a signal during a step of the crashing session and never finishes that step. */
async function endAtStep({ env }: Program, step: string, signal: 'SIGKILL' | 'SIGTERM') {
  const child = spawn(process.execPath, [CRASH_IN_SESSION.path, step, CRASHING, signal], {
    env: childEnv({ ...CRASH_IN_SESSION.env, ...env }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return once(child, 'exit');
}

async function crashAtStep(program: Program, step: string): Promise<void> {
  expect(await endAtStep(program, step, 'SIGKILL')).toEqual([null, 'SIGKILL']);
}

/** Simulates crashes without processes, after one real crash. */
async function simulateCrashes(program: Program, step: string, deaths: number): Promise<void> {
  await using app = await program.open();
  expect(await stateOf(app, CRASHING)).toMatchObject({ deaths: 1 });
  const { kysely } = app.store.engine;
  await kysely.updateTable('sessions').set({ deaths }).where('id', '=', CRASHING).execute();
  const stepOf = kysely.updateTable('session_steps').where('session_id', '=', CRASHING).where('step', '=', step);
  await stepOf.set({ attempts: deaths }).execute();
}

const stateOf = ({ store }: App, id: string) =>
  store.engine.kysely.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Attempts to parse the other session and the crashing one, after crashed processes were noticed. */
async function attemptsIn(program: Program): Promise<readonly number[]> {
  await using app = await program.open();
  await app.openPipeline();
  return [(await stateOf(app, OTHER)).attempts, (await stateOf(app, CRASHING)).attempts];
}

describe.each(PROGRAMS)('a session that crashes every process that parses it, on $name', ({ create }) => {
  it('F9: is set aside with a reason, keeps its bytes, does not delay others, and can be reparsed', async () => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    writeBoth(home);
    // Both are new and claimed together, so the first crash counts for both.
    await crashAtClaim(program, 1);
    expect(await attemptsIn(program)).toEqual([1, 1]);
    // From now on each is parsed alone, the newest first.
    await crashAtClaim(program, 1);
    // Now the other one goes first.
    await crashAtClaim(program, 2);
    for (let crash = 4; crash <= MAX_ATTEMPTS; crash++) await crashAtClaim(program, 1);

    await using app = await program.open();
    const { failed } = await app.importNew();
    expect(failed).toEqual([{ path: CRASHING, error: expect.stringContaining(`started ${MAX_ATTEMPTS} times`) }]);
    expect(await stateOf(app, OTHER)).toMatchObject({ lifecycle: 'summarized', attempts: 0 });
    expect(await stateOf(app, CRASHING)).toMatchObject({
      lifecycle: 'failed',
      parse_status: 'failed',
      parse_error: expect.stringContaining('ran out of memory'),
      attempts: MAX_ATTEMPTS,
      claim_holder: null,
    });
    expect(await listSteps(app.store.engine.kysely, CRASHING)).toMatchObject([{ step: 'fetch', outcome: 'failed' }]);
    expect(await app.importNew(), 'is not tried again').toMatchObject({ sessions_parsed: 0, failed: [] });

    await reparse(app, [CRASHING], NOW.toISOString(), { signal: new AbortController().signal, onProgress: () => {} });
    expect(await stateOf(app, CRASHING)).toMatchObject({ lifecycle: 'summarized', attempts: 0, total_messages: 2 });
  });

  // A clean shutdown takes too long here, so the process exits in the middle of the step.
  it.each(['parse', 'index'])('F16: counts no attempt at %s when the process was asked to stop', async (step) => {
    using home = createClaudeHome();
    await using program = await create(home.path);
    writeBoth(home);
    expect(await endAtStep(program, step, 'SIGTERM')).toEqual([143, null]);

    await using app = await program.open();
    expect(await stateOf(app, CRASHING)).toMatchObject({ attempts: 0, claim_holder: expect.any(String) });
    await app.openPipeline();
    expect(await stateOf(app, CRASHING)).toMatchObject({ attempts: 0, deaths: 0, claim_holder: null });
    expect(readdirSync(join(app.config.home, 'interrupted'))).toEqual([]);
    expect(await app.importNew()).toMatchObject({ failed: [] });
    const steps = await listSteps(app.store.engine.kysely, CRASHING);
    expect(steps.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  });

  it.each(['correlate', 'summarize', 'index'])(
    'F9: is set aside at %s only, does not delay others, and can be reparsed',
    async (step) => {
      using home = createClaudeHome();
      await using program = await create(home.path);
      writeBoth(home);
      await crashAtStep(program, step);
      await crashAtStep(program, step);
      await simulateCrashes(program, step, MAX_ATTEMPTS - 2);
      await crashAtStep(program, step);

      await using app = await program.open();
      const stepsOf = (id: string) => listSteps(app.store.engine.kysely, id);
      expect(await app.importNew()).toMatchObject({ failed: [] });
      expect(await stepsOf(CRASHING)).toContainEqual(
        expect.objectContaining({
          step,
          outcome: 'failed',
          attempts: MAX_ATTEMPTS,
          error: 'This step started but never finished: the process was killed or ran out of memory.',
        }),
      );
      const others = await stepsOf(OTHER);
      expect(others.map(({ outcome }) => outcome)).toEqual(others.map(() => 'done'));
      expect(others.map((one) => one.step)).toEqual(expect.arrayContaining(['correlate', 'summarize', 'index']));
      expect(await stateOf(app, CRASHING)).toMatchObject({ parse_status: 'completed', claim_holder: null });

      await reparse(app, [CRASHING], NOW.toISOString(), { signal: new AbortController().signal, onProgress: () => {} });
      const again = await stepsOf(CRASHING);
      expect(again.map(({ outcome }) => outcome)).toEqual(again.map(() => 'done'));
    },
  );
});
