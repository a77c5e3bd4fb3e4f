import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventsQuery } from '../../src/api/activity.ts';
import type { Rejection, SpoolEntry, SpoolReader } from '../../src/domain/event.ts';
import { drainSpool } from '../../src/ingest/events/drain-spool.ts';
import { systemClock } from '../../src/lib/timing.ts';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { linkEvents, listAllEvents, pageEvents } from '../../src/store/queries/events/events.ts';
import { createSearchIndex } from '../../src/store/queries/search/search.ts';
import { listSessions } from '../../src/store/queries/sessions/session-rows.ts';
import type { Store } from '../../src/store/store.ts';
import { seedSession } from '../support/seed-session.ts';
import { silentJournal } from '../support/silent-journal.ts';
import { STORES } from '../support/stores.ts';

const DEVICE = { id: 'device-1', name: 'laptop', hostname: 'laptop', os: 'linux', arch: 'x64' };
const AT_MS = Date.parse('2026-11-15T12:00:00.000Z');
const AT = new Date(AT_MS).toISOString();

interface MemorySpool extends SpoolReader {
  readonly waiting: Map<string, Uint8Array>;
  readonly rejected: Map<string, Rejection>;
}

/** An in-memory spool; items put later do not have a later time. */
function createSpool(payloads: Readonly<Record<string, unknown>>): MemorySpool {
  const bytes = (payload: unknown) =>
    payload instanceof Uint8Array
      ? payload
      : Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const waiting = new Map(Object.entries(payloads).map(([id, payload]) => [id, bytes(payload)]));
  const rejected = new Map<string, Rejection>();
  const atOf = (id: string) => AT_MS + Number(id.replaceAll(/\D/g, ''));
  return {
    waiting,
    rejected,
    entries: () =>
      [...waiting]
        .map(([id, { length }]): SpoolEntry => ({ id, atMs: atOf(id), sizeBytes: length }))
        .sort((a, b) => a.atMs - b.atMs),
    read: ({ id }) => waiting.get(id) ?? null,
    done: ({ id }) => void waiting.delete(id),
    reject: ({ id }, rejection) => {
      rejected.set(id, rejection);
      waiting.delete(id);
    },
  };
}

const drain = ({ engine }: Store, spool: SpoolReader, options = {}) =>
  drainSpool({ spool, engine, journal: silentJournal, device: DEVICE, clock: systemClock, ...options });

const hook = (hook_event_name: string, fields: object = {}) => ({
  session_id: 's',
  transcript_path: '/c/projects/-w/s.jsonl',
  cwd: '/w',
  hook_event_name,
  ...fields,
});

async function eventsOf({ engine }: Store, sessionId: string) {
  return (await pageEvents(engine.kysely, sessionId, { limit: 1_000 })).events;
}

function sessionOf({ engine }: Store, id: string) {
  return engine.kysely.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

async function eventOf(store: Store, payload: unknown) {
  await seedSession(store, 's');
  expect(await drain(store, createSpool({ e1: payload }))).toMatchObject({ accepted: 1, rejected: 0 });
  const [event] = await eventsOf(store, 's');
  return event;
}

describe.each(STORES)('events on $name', ({ open }) => {
  it.each([
    [hook('SessionStart', { source: 'fork', model: 'm' }), 'session.start', { source: 'fork', model: 'm', cwd: '/w' }],
    [hook('SessionStart'), 'session.start', { cc_session_id: 's' }],
    [
      hook('SessionEnd', { reason: 'prompt_input_exit' }),
      'session.end',
      { end_reason: 'exit', reason: 'prompt_input_exit' },
    ],
    [hook('SessionEnd', { reason: 'resume' }), 'session.end', { end_reason: 'resume', reason: 'resume' }],
    [hook('SessionEnd', { reason: 'of the future' }), 'session.end', { end_reason: 'other', reason: 'of the future' }],
    [hook('SessionEnd', { reason: 'toString' }), 'session.end', { end_reason: 'other', reason: 'toString' }],
    [hook('SessionEnd'), 'session.end', { end_reason: 'other' }],
    [hook('PreCompact', { trigger: 'auto' }), 'session.compact', { phase: 'before', trigger: 'auto' }],
    [hook('PostCompact', { trigger: 'manual' }), 'session.compact', { phase: 'after', trigger: 'manual' }],
    [hook('SubagentStart', { agent_id: 'a1', agent_type: 'x' }), 'subagent.start', { agent_id: 'a1', agent_type: 'x' }],
    // Clients before 2.0.76 send no agent_id.
    [hook('SubagentStop'), 'subagent.stop', {}],
    [hook('SubagentStop', { agent_id: 7 }), 'subagent.stop', {}],
    [
      hook('SubagentStop', { agent_id: 'a1', agent_transcript_path: '/p' }),
      'subagent.stop',
      { agent_transcript_path: '/p' },
    ],
    [
      hook('PostToolUse', { tool_name: 'Skill', tool_input: { skill: 'pdf', args: 'x' } }),
      'skill.invoke',
      { skill_name: 'pdf', args: 'x' },
    ],
    [
      hook('PostToolUse', { tool_name: 'TeamCreate', tool_input: { team_name: 't' } }),
      'team.create',
      { team_name: 't' },
    ],
    [
      hook('PostToolUse', { tool_name: 'SendMessage', tool_input: { type: 'message', recipient: 'bob' } }),
      'team.message',
      { message_type: 'message', to: 'bob' },
    ],
    [
      hook('PostToolUse', { tool_name: 'EnterWorktree', tool_input: { name: 'w1' } }),
      'worktree.create',
      { worktree_name: 'w1' },
    ],
    [
      hook('PostToolUse', { tool_name: 'ExitWorktree', tool_input: {} }),
      'worktree.remove',
      { tool_name: 'ExitWorktree' },
    ],
    [hook('PostToolUse', { tool_name: 'Bash', tool_input: {} }), 'hook.PostToolUse', { tool_name: 'Bash' }],
    [hook('WorktreeRemove', { worktree_path: '/w/.trees/w1' }), 'worktree.remove', { worktree_name: 'w1' }],
    [hook('Stop', { stop_hook_active: false }), 'hook.Stop', { stop_hook_active: false }],
    [hook('constructor'), 'hook.constructor', { cwd: '/w' }],
  ])('%j is a %s', async (payload, type, data) => {
    await using store = await open();
    expect(await eventOf(store, payload)).toMatchObject({
      type,
      session_id: 's',
      device_id: DEVICE.id,
      timestamp: new Date(AT_MS + 1).toISOString(),
      data: { hook_event_name: payload.hook_event_name, transcript_path: payload.transcript_path, ...data },
    });
  });

  it('A16: keeps hooks, fields and types of a newer client', async () => {
    await using store = await open();
    const future = { session_id: 's', hook_event_name: 'QuantumLeap', brain: { depth: [1, null, 'x'] }, cwd: 7 };
    expect(await eventOf(store, future)).toMatchObject({ type: 'hook.QuantumLeap', data: future });
    const changed = hook('SessionStart', { model: { id: 'm' }, source: 9 });
    expect(await drain(store, createSpool({ e2: changed }))).toMatchObject({ accepted: 1 });
    const events = await eventsOf(store, 's');
    expect(events[1]?.data).toMatchObject({ model: { id: 'm' }, source: 9 });
  });

  it('keeps no text of the conversation, only its length', async () => {
    await using store = await open();
    const words = { last_assistant_message: 'secret words', custom_instructions: null };
    const input = {
      tool_name: 'SendMessage',
      tool_input: { type: 'm', content: 'secret words' },
      tool_response: ['secret'],
    };
    const event = await eventOf(store, hook('PostToolUse', { ...words, ...input }));
    expect(JSON.stringify(event)).not.toContain('secret');
    expect(event?.data).toMatchObject({ last_assistant_message_chars: 12, tool_response_chars: 10 });
  });

  it('accepts any payload', async () => {
    await using store = await open();
    const hostile = `{"session_id":"s","hook_event_name":"Stop","a":"\\u0000\\ud800","__proto__":{"x":1},"n":1e999,"deep":${'['.repeat(3_000)}${']'.repeat(3_000)}}`;
    const event = await eventOf(store, hostile);
    expect(event?.data.a).toBe('\u2400\ufffd');
    expect(event?.data.n).toBeNull();
    expect(Object.keys(event?.data ?? {})).toContain('__proto__');
  });

  it('A8: reads the beginning of a truncated payload', async () => {
    await using store = await open();
    const whole = JSON.stringify(hook('Stop', { note: 'a, "b" {', last_assistant_message: 'x'.repeat(70_000) }));
    const event = await eventOf(store, whole.slice(0, 65_536));
    expect(event).toMatchObject({ type: 'hook.Stop', data: { _cut: true, cwd: '/w', note: 'a, "b" {' } });
  });

  it('B6: unreadable entries become dead letters with a reason and delay nothing', async () => {
    await using store = await open();
    await seedSession(store, 's');
    const spool = createSpool({
      e1: ' \n',
      e2: 'nonsense',
      e3: Buffer.from([0xff, 0x00, 0x7b]),
      e4: '[1]',
      e5: 'null',
      e6: { session_id: 's' },
      e7: { session_id: 's', hook_event_name: 7 },
      e8: { hook_event_name: 'Stop' },
      e9: { session_id: '../../etc', hook_event_name: 'Stop' },
      e10: { session_id: 'x'.repeat(500), hook_event_name: 'Stop' },
      e11: hook('PostToolUse', { tool_name: 'TeamCreate', tool_input: {} }),
      e12: hook('PostToolUse', { tool_name: 'Skill', tool_input: 'none' }),
      e13: hook('Stop'),
      e14: '{"session_id":"s"',
      e15: { session_id: 's', hook_event_name: 'Stop\u001b[2J' },
    });
    expect(await drain(store, spool)).toEqual({ accepted: 1, duplicates: 0, rejected: 14, ignored: 0, left: 0 });
    expect(Object.fromEntries([...spool.rejected].map(([id, { reason }]) => [id, reason]))).toEqual({
      e1: 'empty',
      e2: 'not_json',
      e3: 'not_json',
      e4: 'not_an_object',
      e5: 'not_an_object',
      e6: 'no_event_name',
      e7: 'no_event_name',
      e8: 'bad_payload',
      e9: 'bad_payload',
      e10: 'bad_payload',
      e11: 'bad_payload',
      e12: 'bad_payload',
      e14: 'not_json',
      e15: 'no_event_name',
    });
    const details = ['e8', 'e9', 'e11', 'e12'].map((id) => spool.rejected.get(id)?.detail);
    expect(details).toEqual([
      'Stop: session_id is missing.',
      'Stop: session_id is invalid.',
      'PostToolUse: tool_input.team_name is missing.',
      'PostToolUse: tool_input is invalid.',
    ]);
    expect(spool.waiting.size).toBe(0);
  });

  it('B4: are stored once, however often they are reported', async () => {
    await using store = await open();
    await seedSession(store, 's');
    const payloads = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`e${n}`, hook('Stop', { n })]));
    expect(await drain(store, createSpool(payloads))).toMatchObject({ accepted: 250, duplicates: 0 });
    const again = createSpool(payloads);
    const [a, b] = await Promise.all([drain(store, again), drain(store, createSpool(payloads))]);
    expect(a.accepted + b.accepted).toBe(0);
    expect(again.waiting.size).toBe(0);
    expect(await eventsOf(store, 's')).toHaveLength(250);
  });

  it('have ids that are ULIDs in the order of time', async () => {
    await using store = await open();
    await seedSession(store, 's');
    await drain(store, createSpool({ e2: hook('Stop'), e1: hook('SessionStart'), e3: hook('SessionEnd') }));
    const events = await eventsOf(store, 's');
    expect(events.map(({ type }) => type)).toEqual(['session.start', 'hook.Stop', 'session.end']);
    for (const { id } of events) expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(events.map(({ id }) => id)).toEqual(events.map(({ id }) => id).toSorted());
  });

  it('stay in the spool when the store fails', async () => {
    await using store = await open();
    const spool = createSpool({ e1: hook('Stop') });
    const engine = { ...store.engine, transaction: () => Promise.reject(new Error('the store is gone')) };
    await expect(
      drainSpool({ spool, engine, journal: silentJournal, device: DEVICE, clock: systemClock }),
    ).rejects.toThrow('gone');
    expect([...spool.waiting.keys()]).toEqual(['e1']);
    expect(await drain(store, spool)).toMatchObject({ accepted: 1 });
  });

  it('are drained even if one entry is currently unreadable', async () => {
    await using store = await open();
    const spool = createSpool({ e1: hook('Stop'), e2: hook('Stop') });
    const read = (entry: SpoolEntry) => {
      if (entry.id === 'e1') throw Object.assign(new Error('no'), { code: 'EIO' });
      return spool.read(entry);
    };
    expect(await drain(store, { ...spool, read })).toMatchObject({ accepted: 1, left: 1 });
    expect([...spool.waiting.keys()]).toEqual(['e1']);
  });

  it('J14: of ignored projects are not stored', async () => {
    await using store = await open();
    await seedSession(store, 's');
    const spool = createSpool({
      e1: hook('Stop'),
      e2: hook('Stop', { transcript_path: '/c/projects/-private/s.jsonl' }),
    });
    const ignoresProject = (folder: string) => folder === '-private';
    expect(await drain(store, spool, { ignoresProject })).toMatchObject({ accepted: 1, ignored: 1 });
    expect(spool.waiting.size).toBe(0);
    expect(await eventsOf(store, 's')).toHaveLength(1);
  });

  it('of `fuel-code hooks test` wait for the test and are never stored as events', async () => {
    await using store = await open();
    const spool = createSpool({ e1: { session_id: 'test-1', hook_event_name: 'FuelCodeTest' } });
    const at = (ms: number) => ({ clock: { ...systemClock, now: () => new Date(AT_MS + ms) } });
    expect(await drain(store, spool, at(1_000))).toMatchObject({ accepted: 0, left: 1 });
    expect(await drain(store, spool, at(120_000))).toEqual({
      accepted: 0,
      duplicates: 0,
      rejected: 0,
      ignored: 0,
      left: 0,
    });
    expect(spool.waiting.size).toBe(0);
  });

  it.each(['startup', 'resume', 'clear', 'compact', 'fork'])(
    'a start of source %s creates its session',
    async (source) => {
      await using store = await open();
      await drain(store, createSpool({ e1: hook('SessionStart', { source, model: 'm' }) }));
      expect(await sessionOf(store, 's')).toMatchObject({
        lifecycle: 'detected',
        parse_status: 'pending',
        source,
        model: 'm',
        cwd: '/w',
        device_id: DEVICE.id,
        started_at: new Date(AT_MS + 1).toISOString(),
      });
      const [event] = await eventsOf(store, 's');
      expect(event?.workspace_id).toBe((await sessionOf(store, 's')).workspace_id);
    },
  );

  it('the earliest start event decides how a session began, in any order of arrival', async () => {
    await using store = await open();
    await seedSession(store, 's');
    expect(await sessionOf(store, 's')).toMatchObject({ source: 'backfill', lifecycle: 'capturing' });
    await drain(store, createSpool({ e5: hook('SessionStart', { source: 'compact' }) }));
    expect(await sessionOf(store, 's')).toMatchObject({ source: 'compact', lifecycle: 'capturing' });
    await drain(store, createSpool({ e2: hook('SessionStart', { source: 'startup' }) }));
    await drain(store, createSpool({ e7: hook('SessionStart', { source: 'resume' }) }));
    expect(await sessionOf(store, 's')).toMatchObject({ source: 'startup' });
  });

  it('a start event without a source changes nothing; an unknown session becomes a backfill', async () => {
    await using store = await open();
    await drain(store, createSpool({ e3: hook('SessionStart', { source: undefined }) }));
    expect(await sessionOf(store, 's')).toMatchObject({ source: 'backfill', lifecycle: 'detected' });
    await drain(store, createSpool({ e5: hook('SessionStart', { source: 'startup' }) }));
    await drain(store, createSpool({ e1: hook('SessionStart', { source: 9 }) }));
    expect(await sessionOf(store, 's')).toMatchObject({ source: 'startup' });
    await seedSession(store, 't');
    await drain(store, createSpool({ e7: hook('SessionStart', { source: undefined, session_id: 't' }) }));
    expect(await sessionOf(store, 't')).toMatchObject({ source: 'backfill', lifecycle: 'capturing' });
  });

  it('a session is listed, counted and found while it is open, and hidden when it ended without a request', async () => {
    await using store = await open();
    await drain(store, createSpool({ e1: hook('SessionStart', { source: 'startup' }) }));
    const look = async () => {
      const { sessions, hidden } = await listSessions(store.engine, { limit: 10 });
      const all = await listSessions(store.engine, { limit: 10, all: true });
      const found = await searchSessions(
        createSearchIndex(store.engine),
        { q: 'is:live OR is:ended', limit: 10 },
        systemClock,
      );
      return {
        listed: sessions.map(({ id }) => id),
        hidden,
        all: all.sessions.map(({ id }) => id),
        found: found.sessions.map(({ session_id }) => session_id),
      };
    };
    expect(await look()).toEqual({ listed: ['s'], hidden: 0, all: ['s'], found: ['s'] });
    await drain(store, createSpool({ e900: hook('SessionEnd', { reason: 'prompt_input_exit' }) }));
    expect(await look()).toEqual({ listed: [], hidden: 1, all: ['s'], found: [] });
  });

  it.each([
    ['start, then end', ['e1', 'e900']],
    ['end, then start', ['e900', 'e1']],
  ])('a session without a prompt ends with its end event: %s', async (_, order) => {
    await using store = await open();
    const payloads: Record<string, object> = {
      e1: hook('SessionStart', { source: 'startup' }),
      e900: hook('SessionEnd', { reason: 'prompt_input_exit' }),
    };
    for (const id of order) await drain(store, createSpool({ [id]: payloads[id] }));
    expect(await sessionOf(store, 's')).toMatchObject({
      lifecycle: 'ended',
      end_reason: 'exit',
      ended_at: new Date(AT_MS + 900).toISOString(),
      duration_ms: 899,
    });
  });

  it('E16: of another device never change a session', async () => {
    await using store = await open();
    await seedSession(store, 's');
    const stranger = { ...DEVICE, id: 'device-2' };
    const spool = createSpool({ e1: hook('SessionStart', { source: 'fork' }), e2: hook('SessionEnd') });
    await drain(store, spool, { device: stranger });
    await linkEvents(store.engine.kysely);
    expect(await eventsOf(store, 's')).toEqual([]);
    expect(await sessionOf(store, 's')).toMatchObject({ source: 'backfill', lifecycle: 'capturing', end_reason: null });
  });

  it('of all sessions are listed newest first, by type, workspace and time', async () => {
    await using store = await open();
    const payloads = { e1: hook('SessionStart'), e2: hook('Stop'), e3: hook('SessionStart', { session_id: 't' }) };
    await drain(store, createSpool(payloads));
    const list = async (query: Partial<EventsQuery>) =>
      (await listAllEvents(store.engine.kysely, { limit: 1_000, ...query })).events.map(({ type }) => type);
    expect(await list({})).toEqual(['session.start', 'hook.Stop', 'session.start']);
    expect(await list({ type: 'session.start', device_id: DEVICE.id })).toEqual(['session.start', 'session.start']);
    expect(await list({ before: new Date(AT_MS + 2).toISOString() })).toEqual(['session.start']);
    expect(await list({ after: new Date(AT_MS + 3).toISOString(), workspace_id: 'none' })).toEqual([]);
    const first = await listAllEvents(store.engine.kysely, { limit: 1 });
    const cursor = first.next_cursor ?? '';
    expect(await list({ cursor })).toEqual(['hook.Stop', 'session.start']);
  });

  it('that arrive before their session are linked to it later', async () => {
    await using store = await open();
    await drain(store, createSpool({ e1: hook('PreCompact'), e2: hook('Stop', { session_id: 'other' }) }));
    expect(await eventsOf(store, 's')).toEqual([]);
    await seedSession(store, 's');
    await seedSession(store, 'other');
    expect(await store.engine.transaction((tx) => linkEvents(tx, ['s']))).toBe(1);
    expect(await eventsOf(store, 's')).toHaveLength(1);
    expect(await eventsOf(store, 'other')).toEqual([]);
    expect(await linkEvents(store.engine.kysely)).toBe(1);
    expect(await linkEvents(store.engine.kysely)).toBe(0);
  });
});

describe.each(STORES)('A17: events out of order or missing, on $name', ({ open }) => {
  const told = [
    hook('SessionStart', { source: 'startup' }),
    hook('SubagentStart', { agent_id: 'a' }),
    hook('PreCompact', { trigger: 'auto' }),
    hook('SessionStart', { source: 'compact' }),
    hook('SubagentStop', { agent_id: 'a' }),
    hook('SessionEnd', { reason: 'clear' }),
    hook('SessionStart', { source: 'resume', session_id: 't' }),
    hook('SessionEnd', { reason: 'other', session_id: 't' }),
  ].map((payload, n): [string, unknown] => [`e${n + 1}`, payload]);

  async function contents(store: Store) {
    return store.engine.kysely
      .selectFrom('events')
      .select(['id', 'type', 'timestamp', 'device_id', 'session_id', 'data'])
      .orderBy('id')
      .execute();
  }

  it('produce the same rows in any order and whenever the sessions arrive', async () => {
    await using first = await open();
    for (const id of ['s', 't']) await seedSession(first, id, AT);
    await drain(first, createSpool(Object.fromEntries(told)));
    const wanted = await contents(first);
    expect(wanted).toHaveLength(told.length);
    await using store = await open();
    const order = fc.shuffledSubarray([...told.keys(), -1, -2], {
      minLength: told.length + 2,
      maxLength: told.length + 2,
    });
    await fc.assert(
      fc.asyncProperty(order, async (steps) => {
        await store.engine.kysely.deleteFrom('events').execute();
        await store.engine.kysely.deleteFrom('sessions').execute();
        for (const step of steps) {
          const entry = told[step];
          if (entry !== undefined) await drain(store, createSpool(Object.fromEntries([entry])));
          else {
            await seedSession(store, step === -1 ? 's' : 't', AT);
            await linkEvents(store.engine.kysely);
          }
        }
        expect(await contents(store)).toEqual(wanted);
      }),
      { numRuns: 25 },
    );
  });
});
