import { commitsIn, commitsOfRun, gitCallsIn, isSameCommit } from './commits.ts';
import { createdPullRequests } from './pull-request.ts';
import { type Invocation, readInvocations } from './shell-command.ts';
import type { JsonObject } from './transcript.ts';
import type { GitOperation, ToolStatus } from './transcript-structure.ts';
import type { WorkspaceIdentity } from './workspace.ts';

export const GIT_KINDS = ['commit', 'checkout', 'merge', 'rebase', 'reset', 'push', 'pr'] as const;
export type GitKind = (typeof GIT_KINDS)[number];

/** Maximum length of a stored commit message. */
export const MAX_MESSAGE_CHARS = 8 * 1024;

/** An activity recorded by git itself. */
export interface GitActivity {
  /** Stays the same when it is read again, even after the repository was moved. */
  readonly key: string;
  readonly kind: GitKind;
  /** ISO-8601, in whole seconds, as git stores it. */
  readonly at: string;
  readonly sha: string | null;
  readonly branch: string | null;
  readonly message: string | null;
  readonly filesChanged: number | null;
  readonly insertions: number | null;
  readonly deletions: number | null;
  /** Top of the working tree it happened in; null when that is not known. */
  readonly folder: string | null;
  readonly worktreeName: string | null;
  /** Its position among the entries of the same log in the same second. */
  readonly sequence: number;
  /** `how` says how a commit came about; `replaced_by` names the commit that took its place, by an amend or a rebase. */
  readonly data: JsonObject;
}

const LAST_KINDS: readonly GitKind[] = ['push', 'pr'];
const SEQUENCE_DIGITS = 6;

/**
 * Sorts activity of the same second by cause: a push after the commits it pushes, a pull request after the push, and
 * entries of one log in the order of that log.
 */
export function orderKey(kind: GitKind, sequence: number): string {
  const last = 10 ** SEQUENCE_DIGITS - 1;
  return `${LAST_KINDS.indexOf(kind) + 1}${String(Math.min(sequence, last)).padStart(SEQUENCE_DIGITS, '0')}`;
}

export function sequenceOf(key: string): number {
  return Number(key.slice(1)) || 0;
}

export interface RepositoryActivity {
  readonly workspace: WorkspaceIdentity;
  readonly activities: readonly GitActivity[];
}

/** All git activity around one session. */
export interface SessionGit {
  readonly sessionId: string;
  /** The machine whose repositories were read. */
  readonly deviceId: string;
  /** Tops of the working trees that the session worked in. */
  readonly folders: readonly { readonly folder: string; readonly workspace: WorkspaceIdentity }[];
  readonly repositories: readonly RepositoryActivity[];
  readonly calls: readonly GitCall[];
}

/** A shell call of a transcript. */
export interface ShellCall {
  readonly toolUseId: string;
  readonly command: string;
  readonly status: ToolStatus;
  readonly exitCode: number | null;
  /** The beginning and the end of a long output. */
  readonly output: string;
}

/** An activity in a repository that a tool call reports or requests. */
export interface GitCall {
  readonly toolUseId: string;
  readonly kind: GitKind;
  /** As far as git printed it. */
  readonly sha: string | null;
  readonly branch: string | null;
  readonly message: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** The result confirms it; otherwise only the command is known. */
  readonly isReported: boolean;
  /**
   * `folders` lists paths that the command names as places to work in, as it names them; `commits` is how many commits it
   * makes at most, where that can be counted, and `subjects` what it calls them. `how` is as in git's log: `amend`,
   * `rebase`. `nth` numbers the commits of a command that printed none.
   */
  readonly data: JsonObject;
}

interface CallTimes {
  readonly id: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** The data of a session needed to find its activity in repositories. */
export interface GitSession {
  readonly sessionId: string;
  readonly isLive: boolean;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** Every folder that it was in. */
  readonly folders: readonly string[];
  readonly gitOperations: readonly GitOperation[];
  /** Shell calls that involve git. */
  readonly shell: readonly ShellCall[];
  /** Times of its calls; may be empty if none of them involves git. */
  readonly callTimes: readonly CallTimes[];
}

const MAX_COMMAND_CHARS = 16 * 1024;
const VERB =
  /\bgit(?:\s+(?:-[cC]\s+\S{1,200}|--?[\w-]{1,40}(?:=\S{1,200})?)){0,8}\s+(commit|cherry-pick|revert|am|merge|pull|rebase|checkout|switch|reset|push)\b/g;
/** The activities that a subcommand may cause; the first is its purpose. */
const KINDS_OF_VERB: Readonly<Record<string, readonly GitKind[]>> = {
  commit: ['commit'],
  'cherry-pick': ['commit'],
  revert: ['commit'],
  am: ['commit'],
  merge: ['merge'],
  pull: ['merge', 'rebase'],
  rebase: ['rebase'],
  checkout: ['checkout'],
  switch: ['checkout'],
  reset: ['reset'],
  push: ['push'],
};
const PUSHED = /^ [ +*] (?:\[new (?:branch|tag)\]|[0-9a-f]{4,64}\.{2,3}([0-9a-f]{4,64}))\s+(\S{1,250})\s+-> \S/gm;
const ACTION_KINDS: Readonly<Record<string, GitKind>> = {
  rebased: 'rebase',
  merged: 'merge',
  'checked out': 'checkout',
};

/** Whether git reports a push in an output. */
export function isPushIn(output: string): boolean {
  return output.match(PUSHED) !== null;
}

/** The git activity in the tool calls of a session: noted by the client, printed by git, proven by an exit code, or requested. */
export function findGitCalls(
  shell: readonly ShellCall[],
  operations: readonly GitOperation[],
  times: readonly CallTimes[],
): readonly GitCall[] {
  const timesOf = new Map(times.map(({ id, startedAt, endedAt }) => [id, { startedAt, endedAt }]));
  const noTimes = { startedAt: null, endedAt: null };
  const noted = Map.groupBy(operations, ({ toolUseId }) => toolUseId);
  const printed = new Map(shell.map((call) => [call.toolUseId, call]));
  const calls = [...new Set([...noted.keys(), ...printed.keys()])].flatMap((toolUseId) => {
    const common = { toolUseId, ...(timesOf.get(toolUseId) ?? noTimes) };
    const facts = joinFacts(factsOf(printed.get(toolUseId), noted.get(toolUseId) ?? []));
    // A fork repeats the calls of its parent, without times here, but did not do their work.
    const own = timesOf.has(toolUseId) ? facts : facts.flatMap(asRepeated);
    return own.map((fact) => ({ ...common, ...fact }));
  });
  return withoutRepeatedCommits(calls);
}

function factsOf(call: ShellCall | undefined, noted: readonly GitOperation[]): readonly CallFact[] {
  const operations = noted.flatMap(fromOperation);
  if (call === undefined) return operations;
  // Whether a command made a commit is decided in one place, with the note in view.
  const named = operations.map((one) => (one.kind === 'commit' ? { ...one, isReported: false } : one));
  return [...named, ...fromShell(call, noted)];
}

function asRepeated(fact: CallFact): readonly CallFact[] {
  if (fact.kind === 'pr') return [];
  return [fact.kind === 'commit' ? { ...fact, isReported: false } : fact];
}

/** A commit that several calls report is that of the first. */
function withoutRepeatedCommits(calls: readonly GitCall[]): readonly GitCall[] {
  const reported = calls
    .filter(({ kind, isReported }) => kind === 'commit' && isReported)
    .toSorted((a, b) => ((a.startedAt ?? '') < (b.startedAt ?? '') ? -1 : 1));
  const repeated = new Set(
    reported.filter((call, at) => reported.slice(0, at).some((earlier) => isSameCommit(earlier, call))),
  );
  return calls.map((call) => (repeated.has(call) ? { ...call, isReported: false } : call));
}

/** Identifies what a call did: the same in every fork and resumed session that repeats the call. */
export function callKey(deviceId: string, { toolUseId, kind, sha, branch, data }: GitCall): string {
  const number = kind === 'pr' && typeof data['number'] === 'number' ? [data['number']] : [];
  const nth = typeof data['nth'] === 'number' && data['nth'] > 0 ? [data['nth']] : [];
  return JSON.stringify([deviceId, toolUseId, kind, sha, branch, ...number, ...nth]);
}

type CallFact = Omit<GitCall, keyof CallTimes | 'toolUseId'>;

function fromOperation({ kind, action, sha, branch, url, number }: GitOperation): CallFact[] {
  const gitKind = kind === 'branch' ? ACTION_KINDS[action ?? ''] : kind;
  if (gitKind === undefined) return [];
  const data = { ...(action ? { action } : {}), ...(url ? { url } : {}), ...(number === null ? {} : { number }) };
  return [{ kind: gitKind, sha, branch: kind === 'branch' ? null : branch, message: null, isReported: true, data }];
}

function fromShell(call: ShellCall, noted: readonly GitOperation[]): CallFact[] {
  const { status, output } = call;
  const command = call.command.slice(0, MAX_COMMAND_CHARS);
  const verbs = [...command.matchAll(VERB)].map(([, verb = '']) => verb);
  const asked = new Set(verbs.flatMap((verb) => KINDS_OF_VERB[verb] ?? []));
  const folders = namedFolders(command);
  const data: JsonObject = folders.length === 0 ? {} : { folders: [...folders] };
  const { commits: count, subjects } = readCommitCommand(command);
  // The rest of a truncated command may contain more.
  const isCounted = count !== null && call.command.length <= MAX_COMMAND_CHARS;
  const asks: JsonObject = isCounted ? { ...data, commits: count, subjects: [...subjects] } : data;
  const invocations = readInvocations(call.command);
  const pushes = asked.has('push') ? [...output.matchAll(PUSHED)] : [];
  const created = command.includes('gh') ? createdPullRequests({ status, output, invocations }) : [];
  return [
    ...commitFacts({ call, noted, invocations, data, asks, subjects }),
    ...created.map((pullRequest) => fact('pr', { isReported: true, data: { ...pullRequest } })),
    ...pushes.map(([, sha, branch = '']) => fact('push', { sha: sha ?? null, branch, isReported: verbs.length > 0 })),
    ...[...asked].map((kind) => fact(kind, { data: kind === 'commit' ? asks : data })),
  ];
}

interface CommitSource {
  readonly call: ShellCall;
  readonly noted: readonly GitOperation[];
  readonly invocations: readonly Invocation[];
  readonly data: JsonObject;
  /** The same with what the command asks for. */
  readonly asks: JsonObject;
  readonly subjects: readonly string[];
}

/** The commits of a command, then those that it printed but did not make itself, such as the copies of a rebase. */
function commitFacts({ call, noted, invocations, data, asks, subjects }: CommitSource): readonly CallFact[] {
  const { commits: made } = commitsOfRun({ ...call, noted }, invocations);
  const printed = commitsIn(call.output);
  const isNamed = subjects.length === made.length;
  const own = made.map(({ sha, subject, isAmend }, nth) => {
    const how: JsonObject = isAmend ? { how: 'amend' } : {};
    const branch = printed.find((one) => isSameCommit(one, { sha }))?.branch ?? null;
    if (sha !== null)
      return fact('commit', { sha, branch, message: subject, isReported: true, data: { ...data, ...how } });
    const message = isNamed ? (subjects[nth] ?? null) : null;
    return fact('commit', { message, isReported: true, data: { ...asks, ...how, nth } });
  });
  const verbs = new Set(gitCallsIn(invocations).map(({ verb }) => verb));
  const others = printed.filter((one) => !made.some((commit) => isSameCommit(commit, one)));
  return [
    ...own,
    ...others.map(({ branch, sha, subject: message }) => otherFact({ branch, sha, message, data }, verbs)),
  ];
}

/** A commit that was printed by a command without `git commit`: by a rebase, by a merge, or by something unknown. */
function otherFact(facts: Pick<CallFact, 'branch' | 'sha' | 'message' | 'data'>, verbs: ReadonlySet<string>): CallFact {
  if (verbs.has('rebase') || verbs.has('pull')) {
    return fact('commit', { ...facts, isReported: true, data: { ...facts.data, how: 'rebase' } });
  }
  // Without its hash: a merge with one was concluded by `git commit` (see `isOwnCommit`).
  if (verbs.has('merge')) return fact('merge', { ...facts, sha: null, isReported: true });
  return fact('commit', { ...facts, isReported: false });
}

const PATH = String.raw`("[^"\n]{1,400}"|'[^'\n]{1,400}'|[^\s;&|<>()"']{1,400})`;
const GONE_TO = new RegExp(String.raw`(?:^|[;&|(\n]|\bdo|\bthen)\s*(?:cd|pushd)\s+(?:--\s+)?${PATH}`, 'g');
const RUN_IN = new RegExp(String.raw`\bgit\s+-C\s+${PATH}`, 'g');
const WORKTREE_ADDED = new RegExp(
  String.raw`\bworktree\s+add\s+(?:(?:-[bB]\s+\S{1,200}|--?[\w-]{1,40}(?:=\S{1,200})?)\s+){0,8}${PATH}`,
  'g',
);
const MAX_FOLDERS = 20;

/** The folders that a command goes to, runs git in, or makes as working trees, as it names them. */
function namedFolders(command: string): readonly string[] {
  const found = [GONE_TO, RUN_IN, WORKTREE_ADDED].flatMap((pattern) =>
    [...command.matchAll(pattern)].map(([, path = '']) => path.replaceAll(/^["']|["']$/g, '')),
  );
  return [...new Set(found)].slice(0, MAX_FOLDERS);
}

function fact(kind: GitKind, facts: Partial<CallFact>): CallFact {
  return { kind, sha: null, branch: null, message: null, isReported: false, data: {}, ...facts };
}

/** An activity reported by both the client and git counts once; a request is reported by its result. */
function joinFacts(facts: readonly CallFact[]): readonly CallFact[] {
  const joined: CallFact[] = [];
  for (const next of facts) {
    const at = joined.findIndex((known) => known.kind === next.kind && isSameActivity(known, next));
    const known = joined[at];
    if (known === undefined) joined.push(next);
    else joined[at] = joinFact(known, next);
  }
  return joined;
}

function isSameActivity(known: CallFact, next: CallFact): boolean {
  if (known.data['number'] !== undefined && next.data['number'] !== undefined) {
    return (
      known.data['number'] === next.data['number'] &&
      (known.data['url'] ?? next.data['url']) === (next.data['url'] ?? known.data['url'])
    );
  }
  if (known.sha !== null && next.sha !== null) return isSameCommit(known, next);
  if (known.data['nth'] !== undefined && next.data['nth'] !== undefined) return false;
  if (known.branch !== null && next.branch !== null) return lastPart(known.branch) === lastPart(next.branch);
  return true;
}

function joinFact(known: CallFact, next: CallFact): CallFact {
  return {
    kind: known.kind,
    sha: longer(known.sha, next.sha),
    branch: known.branch ?? next.branch,
    message: next.message ?? known.message,
    isReported: known.isReported || next.isReported,
    data: { ...known.data, ...next.data },
  };
}

function longer(one: string | null, other: string | null): string | null {
  return (other?.length ?? 0) > (one?.length ?? 0) ? other : one;
}

/** `origin/main` and `main` are one branch here. */
function lastPart(branch: string): string {
  return branch.replace(/^origin\//, '');
}

const COMMIT = /\bgit(?:\s+(?:-[cC]\s+\S{1,200}|--?[\w-]{1,40}(?:=\S{1,200})?)){0,8}\s+commit\b/g;
/** Commands that may make any number of commits: loops, scripts, other shells, git subcommands. */
const ANY_NUMBER =
  /(?:^|[\s;&|(])(?:for|while|until|xargs|eval|source|make|parallel|watch|(?:ba|z|da)?sh)\s|-exec(?:dir)?\b|\.(?:sh|py|mjs|js|ts|rb|pl)\b|\b(?:npm|pnpm|yarn|cargo|lerna)\s+(?:version|release|publish|run)\b|\bgit\b[^\n;&|]{0,200}\s(?:cherry-pick|revert|am|rebase|pull|submodule)\b/;
const MESSAGE =
  /(?:^|\s)(?:-[a-zA-Z]*m|--message)(?:\s+|=)?("(?:[^"\\]|\\.){1,2000}"|'[^']{1,2000}'|[^\s"';&|]{1,200})/g;
const HEREDOC = /^\$\(cat\s+<<-?\s*['"]?\w+['"]?[ \t]*\n/;
const MAX_SUBJECTS = 20;
const MAX_SUBJECT_CHARS = 200;

interface CommitCommand {
  /** Maximum number of commits; null when unlimited. */
  readonly commits: number | null;
  /** First lines of the commit messages, as far as they are in the command. */
  readonly subjects: readonly string[];
}

/** Determines how many commits a shell command makes. */
export function readCommitCommand(command: string): CommitCommand {
  const calls = [...command.matchAll(COMMIT)];
  const commits = calls.length === 0 || ANY_NUMBER.test(withoutMessages(command)) ? null : calls.length;
  return { commits, subjects: calls.length === 0 ? [] : subjectsIn(command) };
}

function subjectsIn(command: string): readonly string[] {
  const subjects = [...command.matchAll(MESSAGE)].map(([, quoted = '']) => {
    const text = quoted.replace(/^(["'])([^]*)\1$/, '$2').replace(HEREDOC, '');
    return (text.trim().split('\n', 1)[0] ?? '').trim().slice(0, MAX_SUBJECT_CHARS);
  });
  return [...new Set(subjects)].filter((subject) => subject !== '').slice(0, MAX_SUBJECTS);
}

/** The text of a commit message is not a command. */
function withoutMessages(command: string): string {
  return command.replaceAll(MESSAGE, ' -m _');
}
