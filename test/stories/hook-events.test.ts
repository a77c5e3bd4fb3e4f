import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inferLiveness } from '../../src/domain/session.ts';
import { createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { dumpStore } from '../support/dump-store.ts';
import { NOW, PROGRAMS } from '../support/programs.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const MAIN = `-home-ada-shop/${ID}.jsonl`;
const SECOND_MS = 1_000;
const JUST_NOW = { startedAt: new Date(NOW.getTime() - 10 * SECOND_MS).toISOString() };

let entries = 0;

/** Writes a payload to the spool, as the hook does. */
function spool(home: string, atMs: number, payload: object): void {
  mkdirSync(join(home, 'spool'), { recursive: true, mode: 0o700 });
  const name = `${atMs}-${1_000 + entries}-${String(entries++).padStart(8, '0')}.json`;
  writeFileSync(join(home, 'spool', name), JSON.stringify({ session_id: ID, cwd: '/home/ada/shop', ...payload }), {
    mode: 0o600,
  });
}

describe.each(PROGRAMS)('hook events, on $name', ({ create }) => {
  it('end a session immediately, with its reason', async () => {
    using home = createClaudeHome();
    const path = home.write(MAIN, [createTalk(ID, JUST_NOW).user('Hello.')]);
    utimesSync(path, NOW, NOW);
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({ lifecycle: 'capturing' });
    spool(program.config.home, NOW.getTime() + SECOND_MS, {
      hook_event_name: 'SessionEnd',
      reason: 'prompt_input_exit',
    });
    await app.drainHooks();
    await app.importNew();
    expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({
      lifecycle: 'summarized',
      end_reason: 'exit',
    });
  });

  // Regression: sessions were never `detected`, and the source was always `backfill`.
  it('create a session at its start and follow it to its summary', async () => {
    using home = createClaudeHome();
    mkdirSync(join(home.path, 'projects'), { recursive: true });
    await using program = await create(home.path);
    await using app = await program.open();
    const startMs = NOW.getTime() - 60 * SECOND_MS;
    spool(program.config.home, startMs, { hook_event_name: 'SessionStart', source: 'clear', model: 'claude-opus-5-5' });
    await app.drainHooks();
    await app.importNew();
    expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({
      lifecycle: 'detected',
      parse_status: 'pending',
      source: 'clear',
      cwd: '/home/ada/shop',
      workspace_name: 'shop',
      model: 'claude-opus-5-5',
      started_at: new Date(startMs).toISOString(),
    });
    utimesSync(home.write(MAIN, [createTalk(ID, JUST_NOW).user('Hello.')]), NOW, NOW);
    await app.importNew();
    expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({
      lifecycle: 'capturing',
      source: 'clear',
    });
    spool(program.config.home, NOW.getTime() + SECOND_MS, { hook_event_name: 'SessionEnd', reason: 'logout' });
    await app.drainHooks();
    await app.importNew();
    expect(await app.get('/sessions/:id', { params: { id: ID } })).toMatchObject({
      lifecycle: 'summarized',
      end_reason: 'logout',
    });
    const [event] = (await app.get('/sessions/:id/events', { params: { id: ID }, query: { limit: 1 } })).events;
    expect(event?.workspace_id).toBe((await app.get('/sessions/:id', { params: { id: ID } })).workspace_id);
  });

  // Regression: the time after the last line was not counted.
  it.each([['before'], ['after']])(
    'count an hour during which a session stayed open, reported %s its bytes are parsed',
    async (when) => {
      using home = createClaudeHome();
      const talk = createTalk(ID);
      const path = home.write(MAIN, [
        talk.user('Hello.'),
        talk.assistant('msg_1', text('Hi.'), { input: 1, output: 2 }),
      ]);
      utimesSync(path, new Date('2026-11-01'), new Date('2026-11-01'));
      await using program = await create(home.path);
      await using app = await program.open();
      if (when === 'after') await app.importNew();
      const parsed = when === 'after' ? await app.get('/sessions/:id', { params: { id: ID } }) : null;
      const lastLine = talk.user('The time of the next line.');
      const endMs = Date.parse(lastLine.timestamp) + 3_600 * SECOND_MS;
      spool(program.config.home, endMs, { hook_event_name: 'SessionEnd', reason: 'bypass_permissions_disabled' });
      await app.drainHooks();
      await app.importNew();
      const session = await app.get('/sessions/:id', { params: { id: ID } });
      expect(session).toMatchObject({
        ended_at: new Date(endMs).toISOString(),
        end_reason: 'bypass_permissions_disabled',
        duration_ms: endMs - Date.parse(session.started_at),
      });
      if (parsed !== null) expect(session.duration_ms).toBeGreaterThan(parsed.duration_ms ?? 0);
    },
  );

  it('A17: give the same rows in any order of events and bytes', async () => {
    const startMs = NOW.getTime() - 600 * SECOND_MS;
    const events: [number, object][] = [
      [startMs, { hook_event_name: 'SessionStart', source: 'startup' }],
      [startMs + 10 * SECOND_MS, { hook_event_name: 'PreCompact', trigger: 'auto' }],
      [startMs + 20 * SECOND_MS, { hook_event_name: 'SubagentStop', agent_id: 'a1' }],
      [startMs + 30 * SECOND_MS, { hook_event_name: 'SessionEnd', reason: 'clear' }],
      [startMs + 40 * SECOND_MS, { hook_event_name: 'SessionStart', source: 'resume' }],
      [startMs + 50 * SECOND_MS, { hook_event_name: 'SessionEnd', reason: 'other' }],
      [startMs + 60 * SECOND_MS, { hook_event_name: 'SomethingNew' }],
    ];
    const talk = createTalk(ID);
    const lines = [talk.user('One.'), talk.assistant('msg_1', text('Two.'), { input: 1, output: 2 })];
    const dumps = new Set<string>();
    const steps = ['bytes', ...events.map((_, at) => at)] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...steps], { minLength: steps.length }),
        fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
        async (order, looks) => {
          using home = createClaudeHome();
          mkdirSync(join(home.path, 'projects'), { recursive: true });
          await using program = await create(home.path);
          writeFileSync(join(program.config.home, 'device.json'), '{"id":"01TEST","name":"test"}');
          await using app = await program.open();
          for (const [at, step] of order.entries()) {
            if (step === 'bytes') home.write(MAIN, lines);
            else spool(program.config.home, ...(events[step] ?? [0, {}]));
            if (looks[at]) await app.drainHooks();
            if (looks[at]) await app.importNew();
          }
          await app.drainHooks();
          await app.importNew();
          const dump = await dumpStore(app.store.engine, ['sessions', 'transcript_messages']);
          dumps.add(dump.replaceAll(home.path, 'HOME').replaceAll(/file_[0-9a-f]+/g, 'FILE'));
          expect(dumps.size).toBe(1);
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe('whether a session is live', () => {
  const quiet = { quietSinceMs: 1_000_000, isOpen: false, lastReport: null, lastLineMs: null };

  it.each([
    ['its files still grow', { ...quiet, lastWriteMs: 1_000_001 }, { isLive: true, endReason: null }],
    ['its files are quiet', { ...quiet, lastWriteMs: 999_999 }, { isLive: false, endReason: 'inferred' }],
    ['a line is as new', { ...quiet, lastWriteMs: 1_000_001, lastLineMs: 999_000 }, { isLive: true, endReason: null }],
    ['its files were copied', { ...quiet, lastWriteMs: 9_000_000, lastLineMs: 999_999 }, { isLive: false }],
    ['its client has it open', { ...quiet, lastWriteMs: 1, isOpen: true }, { isLive: true, endReason: null }],
  ])('when %s', (_, signs, life) => {
    expect(inferLiveness(signs)).toMatchObject(life);
  });

  it('a reported end counts unless bytes arrived well after it', () => {
    const end = { kind: 'end' as const, atMs: 2_000_000, endReason: 'exit' };
    expect(inferLiveness({ ...quiet, lastReport: end, lastWriteMs: 2_000_500 })).toMatchObject({
      isLive: false,
      endReason: 'exit',
    });
    expect(inferLiveness({ ...quiet, lastReport: end, lastWriteMs: 2_060_000 })).toMatchObject({
      isLive: true,
      endReason: null,
    });
    const start = { kind: 'start' as const, atMs: 3_000_000, endReason: null };
    expect(inferLiveness({ ...quiet, lastReport: start, lastWriteMs: 2_060_000 })).toMatchObject({
      isLive: true,
      endReason: null,
    });
  });
});
