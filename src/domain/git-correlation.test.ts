import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GitCall } from './git.ts';
import {
  type ActivityPoint,
  correlate,
  findMaker,
  GRACE_MS,
  type ReportedCommit,
  type SessionSpan,
} from './git-correlation.ts';

const MINUTE = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();

const session = (id: string, more: Partial<SessionSpan> = {}): SessionSpan => ({
  id,
  deviceId: 'd',
  workspaceIds: ['w'],
  startedAt: 0,
  endedAt: 60 * MINUTE,
  folders: ['/r'],
  branches: ['main'],
  calls: [],
  ...more,
});
const commit = (id: string, more: Partial<ActivityPoint> = {}): ActivityPoint => ({
  id,
  deviceId: 'd',
  workspaceId: 'w',
  kind: 'commit',
  at: 30 * MINUTE,
  sha: `${id}0000000`,
  branch: 'main',
  folder: '/r',
  ...more,
});
const call = (more: Partial<GitCall> = {}): GitCall => ({
  toolUseId: 't',
  kind: 'commit',
  sha: null,
  branch: null,
  message: null,
  startedAt: iso(29 * MINUTE),
  endedAt: iso(31 * MINUTE),
  isReported: true,
  data: {},
  ...more,
});
const winner = (sessions: readonly SessionSpan[], activity = commit('a')) =>
  correlate(sessions, [activity]).links.get(activity.id);

describe('an activity belongs to', () => {
  it('the session of its workspace, device and time, or to none', () => {
    expect(winner([session('s')])).toMatchObject({ sessionId: 's', toolUseId: null, by: 'folder' });
    expect(winner([session('s', { workspaceIds: ['other'] })])).toBeUndefined();
    expect(winner([session('s', { deviceId: 'other' })])).toBeUndefined();
    expect(winner([session('s', { startedAt: 31 * MINUTE })])).toBeUndefined();
    expect(winner([])).toBeUndefined();
  });

  it('a session that ended just before, unless another one was running', () => {
    const ended = session('ended', { endedAt: 25 * MINUTE });
    expect(winner([ended])?.sessionId).toBe('ended');
    expect(winner([session('long ago', { endedAt: 30 * MINUTE - GRACE_MS - 1 })])).toBeUndefined();
    expect(winner([ended, session('running', { folders: [], branches: [] })])?.sessionId).toBe('running');
    expect(winner([session('live', { endedAt: null })])?.sessionId).toBe('live');
  });

  it('the one of several concurrent sessions in its working tree, on its branch, or newest', () => {
    const main = session('main', { folders: ['/r'] });
    const tree = session('tree', { folders: ['/trees/x'], startedAt: 5 * MINUTE });
    expect(winner([main, tree], commit('a', { folder: '/trees/x' }))?.sessionId).toBe('tree');
    expect(winner([main, tree])?.sessionId).toBe('main');
    expect(winner([main], commit('a', { folder: '/trees/x' })), 'nobody was there').toBeUndefined();
    expect(winner([main], commit('a', { folder: '/r/.claude/worktrees/agent-1' }))?.by).toBe('branch');
    const unknown = commit('a', { folder: null, branch: 'fix' });
    expect(winner([session('x'), session('y', { branches: ['fix'] })], unknown)).toMatchObject({
      sessionId: 'y',
      by: 'branch',
    });
    expect(winner([session('x'), session('y', { startedAt: 1 })])?.sessionId).toBe('y');
  });

  it('the tool call that printed it, wherever that was', () => {
    const maker = session('maker', { workspaceIds: [], folders: ['/elsewhere'], calls: [call({ sha: 'a000' })] });
    expect(winner([session('s', { startedAt: MINUTE }), maker])).toMatchObject({
      sessionId: 'maker',
      toolUseId: 't',
      by: 'sha',
    });
    expect(winner([{ ...maker, endedAt: 10 * MINUTE }]), 'made at another time').toBeUndefined();
  });

  it('the tool call that ran at the time and requested it', () => {
    const asked = session('asked', { calls: [call({ isReported: false })] });
    const other = session('other', { startedAt: MINUTE });
    expect(winner([asked, other])).toMatchObject({ sessionId: 'asked', toolUseId: 't', by: 'call' });
    expect(winner([session('push', { calls: [call({ kind: 'push' })] }), other])?.sessionId).toBe('other');
    const named = session('named', { calls: [call({ sha: 'beef' })] });
    expect(winner([named, other])?.sessionId, 'it made another commit').toBe('other');
  });

  it('the first session, when a fork repeats its calls', () => {
    const calls = [call({ sha: 'a000' })];
    const first = session('z-first', { calls, endedAt: 40 * MINUTE });
    const fork = session('a-fork', { calls, endedAt: 90 * MINUTE });
    expect(winner([fork, first])?.sessionId).toBe('z-first');
    expect(winner([{ ...fork, startedAt: MINUTE, endedAt: 31 * MINUTE }, first])?.sessionId).toBe('z-first');
  });
});

describe('a call that requests one commit', () => {
  const at = 30 * MINUTE;
  const quiet = (more: Partial<GitCall> = {}) =>
    call({ startedAt: iso(at + 200), endedAt: iso(at + 400), isReported: false, data: { commits: 1 }, ...more });
  const relations = (spans: readonly SessionSpan[], commits: readonly ActivityPoint[]) => {
    const { links } = correlate(spans, commits);
    return Object.fromEntries([...links].map(([id, { relation, sessionId }]) => [id, `${relation} ${sessionId}`]));
  };

  it('made one, even if someone else commits a second later', () => {
    const both = [commit('own', { at }), commit('hand', { at: at + 1_000 })];
    expect(relations([session('s', { calls: [quiet()] })], both)).toEqual({ own: 'own s', hand: 'meanwhile s' });
    expect(relations([session('s', { calls: [quiet()] })], both.toReversed())).toEqual({
      own: 'own s',
      hand: 'meanwhile s',
    });
  });

  it('made the one with its subject', () => {
    const calls = [quiet({ data: { commits: 1, subjects: ['Fix it'] } })];
    const commits = [commit('a', { at, subject: 'By hand' }), commit('b', { at: at + 1_000, subject: 'Fix it' })];
    expect(relations([session('s', { calls })], commits)).toEqual({ a: 'meanwhile s', b: 'own s' });
  });

  it('made as many as it requests, or any number if that is unknown', () => {
    const commits = [commit('a', { at }), commit('b', { at }), commit('c', { at: at + 1_000 })];
    const calls = (data: GitCall['data']) => [session('s', { calls: [quiet({ data })] })];
    expect(relations(calls({ commits: 2 }), commits)).toEqual({ a: 'own s', b: 'own s', c: 'meanwhile s' });
    expect(relations(calls({}), commits)).toEqual({ a: 'own s', b: 'own s', c: 'own s' });
  });

  it('made one each in two sessions that commit at once', () => {
    const one = session('one', { calls: [quiet({ toolUseId: 't1' })] });
    const two = session('two', { calls: [quiet({ toolUseId: 't2' })] });
    const owners = Object.values(relations([one, two], [commit('a', { at }), commit('b', { at })]));
    expect(owners.toSorted()).toEqual(['own one', 'own two']);
  });

  it('does not claim what another call printed', () => {
    const calls = [quiet(), call({ toolUseId: 'printed', sha: 'own0' })];
    const commits = [commit('own', { at }), commit('b', { at: at + 1_000 })];
    expect(relations([session('s', { calls })], commits)).toEqual({ own: 'own s', b: 'own s' });
  });
});

describe('activities known only from the transcript', () => {
  it('are those that no log confirms, each once', () => {
    const calls = [
      call({ sha: 'a000' }),
      call({ sha: 'beef' }),
      call({ kind: 'pr' }),
      call({ isReported: false, kind: 'reset' }),
    ];
    const sessions = [session('s', { calls }), session('fork', { calls, endedAt: 99 * MINUTE })];
    const { unconfirmed } = correlate(sessions, [commit('a')]);
    expect(unconfirmed.map(({ sessionId, call }) => [sessionId, call.kind, call.sha])).toEqual([
      ['s', 'commit', 'beef'],
      ['s', 'pr', null],
    ]);
  });
});

const small = (...values: string[]) => fc.constantFrom(...values);
const anyCall = fc
  .record({
    toolUseId: small('t1', 't2'),
    kind: small('commit', 'push', 'merge') as fc.Arbitrary<GitCall['kind']>,
    sha: fc.option(small('aa', 'bb', 'cc')),
    branch: fc.option(small('main', 'fix')),
    minute: fc.integer({ min: 0, max: 50 }),
    isReported: fc.boolean(),
  })
  .map(({ minute, ...more }) =>
    call({ ...more, startedAt: iso(minute * MINUTE), endedAt: iso((minute + 3) * MINUTE) }),
  );
const anySession = (id: string) =>
  fc
    .record({
      deviceId: small('d', 'e'),
      workspaceIds: fc.subarray(['w', 'v']),
      startedAt: fc.integer({ min: 0, max: 40 }),
      minutes: fc.option(fc.integer({ min: 0, max: 30 })),
      folders: fc.subarray(['/r', '/trees/x', '/r/.claude/worktrees/y']),
      branches: fc.subarray(['main', 'fix']),
      calls: fc.array(anyCall, { maxLength: 3 }),
    })
    .map(({ startedAt, minutes, ...more }) =>
      session(id, {
        ...more,
        startedAt: startedAt * MINUTE,
        endedAt: minutes === null ? null : (startedAt + minutes) * MINUTE,
      }),
    );
const anyCommit = (id: string) =>
  fc
    .record({
      deviceId: small('d', 'e'),
      workspaceId: small('w', 'v'),
      kind: small('commit', 'push', 'merge') as fc.Arbitrary<ActivityPoint['kind']>,
      at: fc.integer({ min: 0, max: 80 }),
      sha: fc.option(small('aa00', 'bb11', 'cc22')),
      branch: fc.option(small('main', 'fix')),
      folder: fc.option(small('/r', '/trees/x', '/r/.claude/worktrees/y')),
    })
    .map(({ at, ...more }) => commit(id, { ...more, at: at * MINUTE }));
const world = fc.record({
  sessions: fc.tuple(anySession('a'), anySession('b'), anySession('c'), anySession('d')),
  activities: fc.tuple(anyCommit('1'), anyCommit('2'), anyCommit('3'), anyCommit('4'), anyCommit('5')),
});

describe('correlation', () => {
  const order = (text: Iterable<[string, unknown]>) => [...text].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const unconfirmedOf = ({ unconfirmed }: ReturnType<typeof correlate>) =>
    unconfirmed.map((one) => JSON.stringify(one)).toSorted();

  it('does not depend on the order of arrival', () => {
    const shuffled = world.chain(({ sessions, activities }) =>
      fc.record({
        sessions: fc.constant(sessions),
        activities: fc.constant(activities),
        otherSessions: fc.shuffledSubarray([...sessions], { minLength: 4 }),
        otherActivities: fc.shuffledSubarray([...activities], { minLength: 5 }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ sessions, activities, otherSessions, otherActivities }) => {
        const one = correlate(sessions, activities);
        const other = correlate(otherSessions, otherActivities);
        expect(order(other.links)).toEqual(order(one.links));
        expect(unconfirmedOf(other)).toEqual(unconfirmedOf(one));
      }),
      { numRuns: 1_000 },
    );
  });

  it('judges each activity by its own candidates', () => {
    fc.assert(
      fc.property(world, ({ sessions, activities }) => {
        const { links } = correlate(sessions, activities);
        const winners = new Set([...links.values()].map(({ sessionId }) => sessionId));
        const again = correlate(
          sessions.filter(({ id }) => winners.has(id)),
          activities,
        );
        expect(order(again.links)).toEqual(order(links));
      }),
      { numRuns: 500 },
    );
  });

  it('links only sessions of the same device that were there or named the activity', () => {
    fc.assert(
      fc.property(world, ({ sessions, activities }) => {
        for (const [id, link] of correlate(sessions, activities).links) {
          const activity = activities.find((one) => one.id === id);
          const owner = sessions.find((one) => one.id === link.sessionId);
          expect(owner?.deviceId).toBe(activity?.deviceId);
          if (link.by === 'sha') continue;
          expect(owner?.workspaceIds).toContain(activity?.workspaceId);
          expect(activity?.at).toBeLessThanOrEqual((owner?.endedAt ?? Infinity) + GRACE_MS);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the device that made a commit reported by several', () => {
  const reported = (id: string, linkedBy: ReportedCommit['linkedBy'], isLogged = true) => ({ id, linkedBy, isLogged });

  it.each([
    ['whose session printed it', reported('z', 'sha', false), reported('a', 'call')],
    ['whose session asked for it', reported('z', 'call', false), reported('a', 'folder')],
    ['whose log has it', reported('z', null), reported('a', 'time', false)],
    ['that has a session for it', reported('z', 'time'), reported('a', null)],
    ['whose session is nearer', reported('z', 'folder'), reported('a', 'branch')],
    ['that comes first by name, so that it is always the same', reported('a', 'time'), reported('z', 'time')],
  ])('%s', (_, maker, other) => {
    expect(findMaker([maker, other])).toBe(maker);
    expect(findMaker([other, maker])).toBe(maker);
  });
});
