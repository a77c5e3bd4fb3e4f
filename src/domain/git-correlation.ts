import { callKey, type GitCall, type GitKind } from './git.ts';

/** The facts about a session that correlation needs: when, where, and what its tool calls did. Times in milliseconds since 1970. */
export interface SessionSpan {
  readonly id: string;
  readonly deviceId: string;
  /** Workspaces of every repository it worked in. */
  readonly workspaceIds: readonly string[];
  readonly startedAt: number;
  /** Null while it is running. */
  readonly endedAt: number | null;
  /** Tops of the working trees it worked in. */
  readonly folders: readonly string[];
  readonly branches: readonly string[];
  readonly calls: readonly GitCall[];
}

export interface ActivityPoint {
  readonly id: string;
  readonly deviceId: string;
  readonly workspaceId: string;
  readonly kind: GitKind;
  readonly at: number;
  readonly sha: string | null;
  readonly branch: string | null;
  readonly folder: string | null;
  /** First line of the commit's message. */
  readonly subject?: string | null;
}

/** `sha`: a tool call printed the commit; `call`: it happened while a call that asked for it ran. */
export const LINKED_BY = ['sha', 'call', 'folder', 'branch', 'time'] as const;
export type LinkedBy = (typeof LINKED_BY)[number];

/** `own`: a call of the session did it; `meanwhile`: someone else did it while the session ran; `after`: just after its end. */
export const RELATIONS = ['own', 'meanwhile', 'after'] as const;
export type Relation = (typeof RELATIONS)[number];

export interface GitLink {
  readonly sessionId: string;
  readonly toolUseId: string | null;
  readonly by: LinkedBy;
  readonly relation: Relation;
}

/** A commit as one device reported it. */
export interface ReportedCommit {
  readonly id: string;
  readonly linkedBy: LinkedBy | null;
  /** True when the reflog says when and where it was made; the history alone only shows that it exists. */
  readonly isLogged: boolean;
}

export interface Correlation {
  /** By activity id; activities without a session are absent. */
  readonly links: ReadonlyMap<string, GitLink>;
  /** Only the transcript reports them: git keeps no log of them, or the repository or its log is gone. */
  readonly unconfirmed: readonly { readonly sessionId: string; readonly call: GitCall }[];
}

/** People commit the work of a session by hand shortly after it. */
export const GRACE_MS = 10 * 60_000;
/** Git truncates times to seconds, and the client writes a result slightly later. */
const SLACK_MS = 1_000;

/**
 * Determines which session each activity belongs to. The result depends only on the two sets, not on the order in which
 * sessions and activities arrived.
 */
export function correlate(sessions: readonly SessionSpan[], activities: readonly ActivityPoint[]): Correlation {
  const links = new Map<string, GitLink>();
  const made = assignCommits(sessions, activities);
  for (const activity of activities) {
    const best = sessions.flatMap((session) => judge(session, activity, made) ?? []).toSorted(byMerit)[0];
    if (best !== undefined) links.set(activity.id, toLink(best));
  }
  return { links, unconfirmed: findUnconfirmed(sessions, activities) };
}

interface Candidate {
  readonly session: SessionSpan;
  readonly call: GitCall | null;
  /** 2: a call printed the commit; 1: a call ran at that time; 0: neither. */
  readonly proof: number;
  readonly isInside: boolean;
  readonly place: number;
  readonly isOnBranch: boolean;
}

function judge(session: SessionSpan, activity: ActivityPoint, made: MadeCommits): Candidate | null {
  if (!isInReach(session, activity)) return null;
  const place = placeOf(session, activity);
  const facts = {
    session,
    place,
    isInside: activity.at <= (session.endedAt ?? Infinity),
    isOnBranch: activity.branch !== null && session.branches.includes(activity.branch),
  };
  const named = session.calls.find((call) => isNamedBy(call, activity));
  if (named) return { ...facts, call: named, proof: 2 };
  if (!session.workspaceIds.includes(activity.workspaceId)) return null;
  const during = session.calls.find(
    (call) =>
      isDoneBy(call, activity, place) && (commitsOf(call) === null || made.has(madeKey(session, call, activity))),
  );
  if (place === 0 && during === undefined) return null;
  return { ...facts, call: during ?? null, proof: during ? 1 : 0 };
}

/** In a working tree that the session never used, only a call that names the tree can have done it. */
function isDoneBy(call: GitCall, activity: ActivityPoint, place: number): boolean {
  return isDuring(call, activity) && (place > 0 || namesFolder(call, activity.folder));
}

/** Pairs of a call and a commit it made, for calls with a known number of commits. */
type MadeCommits = ReadonlySet<string>;

/** A commit has one identity however often it is reported; so does a call, in every fork that repeats it. */
function madeKey({ deviceId }: SessionSpan, { toolUseId }: GitCall, activity: ActivityPoint): string {
  return JSON.stringify([deviceId, toolUseId, commitKey(activity)]);
}

function commitKey({ id, sha }: ActivityPoint): string {
  return sha ?? id;
}

/** Maximum number of commits a call makes; null when unknown. */
function commitsOf({ kind, data: { commits } }: GitCall): number | null {
  return kind === 'commit' && typeof commits === 'number' ? commits : null;
}

interface Pairing {
  readonly key: string;
  readonly call: string;
  readonly commit: string;
  /** Maximum number of commits of the call. */
  readonly maxCommits: number;
  readonly hasSubject: boolean;
  /** Milliseconds between the commit and the call, and between the commit and the end of the call. */
  readonly awayMs: number;
  readonly fromEndMs: number;
}

/**
 * A person may commit in the same second as a call of a session. A call that makes one commit gets one: the commit with
 * its subject, or the nearest in time.
 */
function assignCommits(sessions: readonly SessionSpan[], activities: readonly ActivityPoint[]): MadeCommits {
  const open = activities.filter(
    (activity) => !sessions.some(({ calls }) => calls.some((c) => isNamedBy(c, activity))),
  );
  const pairings = sessions.flatMap((session) =>
    session.calls.filter((call) => commitsOf(call) !== null).flatMap((call) => pairingsOf(session, call, open)),
  );
  const made = new Set<string>();
  const taken = new Set<string>();
  const used = new Map<string, number>();
  for (const { key, call, commit, maxCommits } of pairings.toSorted(byFit)) {
    const count = used.get(call) ?? 0;
    if (made.has(key) || taken.has(commit) || count >= maxCommits) continue;
    made.add(key);
    taken.add(commit);
    used.set(call, count + 1);
  }
  return made;
}

function pairingsOf(session: SessionSpan, call: GitCall, activities: readonly ActivityPoint[]): readonly Pairing[] {
  const [startMs, endMs] = [Date.parse(call.startedAt ?? ''), Date.parse(call.endedAt ?? '')];
  const { subjects } = call.data;
  return activities
    .filter((activity) => isInReach(session, activity) && session.workspaceIds.includes(activity.workspaceId))
    .filter((activity) => isDoneBy(call, activity, placeOf(session, activity)))
    .map((activity) => ({
      key: madeKey(session, call, activity),
      call: JSON.stringify([session.deviceId, call.toolUseId]),
      commit: JSON.stringify([session.deviceId, commitKey(activity)]),
      maxCommits: commitsOf(call) ?? 0,
      hasSubject: Array.isArray(subjects) && subjects.includes(activity.subject ?? null),
      // Git truncates times to seconds.
      awayMs: Math.max(0, Math.floor(startMs / 1_000) * 1_000 - activity.at, activity.at - endMs),
      fromEndMs: Math.abs(endMs - activity.at),
    }));
}

function byFit(a: Pairing, b: Pairing): number {
  return (
    Number(b.hasSubject) - Number(a.hasSubject) ||
    a.awayMs - b.awayMs ||
    a.fromEndMs - b.fromEndMs ||
    (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
  );
}

/** On the same machine, between the start of the session and a while after its end. */
function isInReach({ deviceId, startedAt, endedAt }: SessionSpan, activity: ActivityPoint): boolean {
  const { at } = activity;
  return deviceId === activity.deviceId && at + SLACK_MS > startedAt && at <= (endedAt ?? Infinity) + GRACE_MS;
}

/** 2: the same working tree; 1: one inside it, as created by the client, or unknown; 0: another one. */
function placeOf({ folders }: SessionSpan, { folder }: ActivityPoint): number {
  if (folder === null || folders.length === 0) return 1;
  if (folders.includes(folder)) return 2;
  return folders.some((own) => folder.startsWith(own.endsWith('/') ? own : `${own}/`)) ? 1 : 0;
}

function byMerit(a: Candidate, b: Candidate): number {
  return (
    b.proof - a.proof ||
    Number(b.isInside) - Number(a.isInside) ||
    b.place - a.place ||
    Number(b.isOnBranch) - Number(a.isOnBranch) ||
    byStart(a, b)
  );
}

/** A fork repeats the calls of the original session, which keeps a commit that they printed; otherwise the newest session wins. */
function byStart(a: Candidate, b: Candidate): number {
  const later = b.session.startedAt - a.session.startedAt;
  return (a.proof === 2 ? -later : later) || byEnd(a.session, b.session);
}

function byEnd(a: SessionSpan, b: SessionSpan): number {
  const [one, other] = [a.endedAt ?? Number.MAX_SAFE_INTEGER, b.endedAt ?? Number.MAX_SAFE_INTEGER];
  return one - other || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function toLink({ session, call, proof, place, isOnBranch, isInside }: Candidate): GitLink {
  const weak = place === 2 ? 'folder' : isOnBranch ? 'branch' : 'time';
  return {
    sessionId: session.id,
    toolUseId: call?.toolUseId ?? null,
    by: proof === 2 ? 'sha' : proof === 1 ? 'call' : weak,
    relation: proof > 0 ? 'own' : isInside ? 'meanwhile' : 'after',
  };
}

function isNamedBy(call: GitCall, { kind, sha }: ActivityPoint): boolean {
  return call.sha !== null && sha !== null && isSameKind(call.kind, kind) && sha.startsWith(call.sha);
}

/** A commit that completes a merge is a merge in git's log but a commit in the command. */
function isSameKind(reported: GitKind, kind: GitKind): boolean {
  return (
    reported === kind || (reported === 'commit' && kind === 'merge') || (reported === 'merge' && kind === 'commit')
  );
}

function isDuring(call: GitCall, activity: ActivityPoint): boolean {
  if (call.sha !== null || !isSameKind(call.kind, activity.kind)) return false;
  if (call.startedAt === null || call.endedAt === null) return false;
  if (call.branch !== null && activity.branch !== null && !isSameBranch(call.branch, activity.branch)) return false;
  return activity.at + SLACK_MS > Date.parse(call.startedAt) && activity.at <= Date.parse(call.endedAt) + SLACK_MS;
}

/** Whether a command enters or creates a folder: `../fix` matches `/home/ada/fix`, wherever it was run. */
function namesFolder({ data: { folders } }: GitCall, folder: string | null): boolean {
  if (folder === null || !Array.isArray(folders)) return false;
  return folders.some((path) => {
    if (typeof path !== 'string') return false;
    const tail = path.replace(/^(?:\.{1,2}\/|~\/|\$\{?\w+\}?\/)+/, '').replace(/\/+$/, '');
    return tail !== '' && !/^\.*$/.test(tail) && (folder === tail || folder.endsWith(`/${tail.replace(/^\//, '')}`));
  });
}

function isSameBranch(reported: string, branch: string): boolean {
  return reported === branch || reported.endsWith(`/${branch}`);
}

function findUnconfirmed(
  sessions: readonly SessionSpan[],
  activities: readonly ActivityPoint[],
): Correlation['unconfirmed'] {
  const unconfirmed = new Map<string, { session: SessionSpan; call: GitCall }>();
  for (const session of sessions) {
    const own = activities.filter((activity) => isInReach(session, activity));
    for (const call of session.calls) {
      if (!call.isReported || own.some((activity) => isNamedBy(call, activity) || isDuring(call, activity))) continue;
      const key = callKey(session.deviceId, call);
      const known = unconfirmed.get(key);
      if (known === undefined || bySeniority(session, known.session) < 0) unconfirmed.set(key, { session, call });
    }
  }
  return [...unconfirmed.values()].map(({ session, call }) => ({ sessionId: session.id, call }));
}

function bySeniority(a: SessionSpan, b: SessionSpan): number {
  return a.startedAt - b.startedAt || byEnd(a, b);
}

/** Finds the device that made a commit which several devices reported: its row counts, the others are duplicates. */
export function findMaker(reports: readonly [ReportedCommit, ...ReportedCommit[]]): ReportedCommit {
  return reports.reduce((best, next) => (byEvidence(next, best) < 0 ? next : best));
}

function byEvidence(a: ReportedCommit, b: ReportedCommit): number {
  return (
    proofOf(b) - proofOf(a) ||
    Number(b.isLogged) - Number(a.isLogged) ||
    weaknessOf(a) - weaknessOf(b) ||
    (a.id < b.id ? -1 : 1)
  );
}

function proofOf({ linkedBy }: ReportedCommit): number {
  return linkedBy === 'sha' ? 2 : linkedBy === 'call' ? 1 : 0;
}

function weaknessOf({ linkedBy }: ReportedCommit): number {
  return linkedBy === null ? LINKED_BY.length : LINKED_BY.indexOf(linkedBy);
}
