import { commitsIn, isPushIn } from '../domain/git.ts';
import type { CommandRun, CommitMade } from '../domain/summary.ts';
import { outcomeOf } from './call-outcome.ts';
import { createdPullRequests } from '../domain/pull-request.ts';
import { type Invocation, verbsOf } from '../domain/shell-command.ts';

/** Effects of one shell command on git, as far as its output, the client's note or its exit code show them. */
export interface GitWork {
  readonly commits: readonly CommitMade[];
  /** Calls of `git commit` for which it is unknown whether they made a commit. */
  readonly unknownCommits: number;
  readonly isPush: boolean;
  /** Numbers of the pull requests it created. */
  readonly pullRequests: readonly number[];
}

const NOTHING: GitWork = { commits: [], unknownCommits: 0, isPush: false, pullRequests: [] };
const COMMITTING: ReadonlySet<string> = new Set(['commit', 'cherry-pick', 'revert']);

export function gitWorkOf(run: CommandRun, invocations: readonly Invocation[]): GitWork {
  if (run.status === 'denied') return NOTHING;
  const calls = invocations.flatMap((invocation, at) => {
    const verb = invocation.program === 'git' ? verbsOf('git', invocation.words)[0] : undefined;
    const isDry = invocation.words.includes('--dry-run');
    return verb === undefined || isDry ? [] : [{ verb, at, isAmend: invocation.words.includes('--amend') }];
  });
  const committing = calls.filter(({ verb }) => COMMITTING.has(verb));
  const pushing = calls.filter(({ verb }) => verb === 'push');
  return {
    ...commitsOf(run, invocations, committing),
    isPush: pushing.some(({ at }) => isPushed(run, invocations, at)),
    pullRequests: createdPullRequests({ ...run, invocations }).map(({ number }) => number),
  };
}

interface GitInvocation {
  readonly verb: string;
  readonly at: number;
  readonly isAmend: boolean;
}

function commitsOf(
  run: CommandRun,
  invocations: readonly Invocation[],
  calls: readonly GitInvocation[],
): Pick<GitWork, 'commits' | 'unknownCommits'> {
  const told = toldCommits(run, calls);
  if (told.length > 0) return { commits: told, unknownCommits: 0 };
  // Nothing was printed, as with `git commit -q`, so the exit code decides.
  const quiet = calls.filter(({ verb }) => verb === 'commit');
  const outcomes = quiet.map(({ at, isAmend }) => ({ isAmend, outcome: outcomeOf(run, invocations, at) }));
  return {
    commits: outcomes
      .filter(({ outcome }) => outcome === 'succeeded')
      .map(({ isAmend }) => ({ sha: null, subject: null, isAmend })),
    unknownCommits: outcomes.filter(({ outcome }) => outcome === 'unknown').length,
  };
}

/** Commits printed by git, otherwise the one noted by the client. */
function toldCommits({ output, noted }: CommandRun, calls: readonly GitInvocation[]): readonly CommitMade[] {
  if (calls.length === 0) return [];
  const printed = commitsIn(output);
  if (printed.length > 0) {
    return printed.map(({ sha, subject }, n) => {
      return { sha, subject: subject || null, isAmend: (calls[n] ?? calls.at(-1))?.isAmend === true };
    });
  }
  const note = noted.find(({ kind, sha }) => kind === 'commit' && sha !== null);
  return note === undefined ? [] : [{ sha: note.sha, subject: null, isAmend: calls.some(({ isAmend }) => isAmend) }];
}

function isPushed(run: CommandRun, invocations: readonly Invocation[], at: number): boolean {
  if (isPushIn(run.output) || run.noted.some(({ kind }) => kind === 'push')) return true;
  return outcomeOf(run, invocations, at) === 'succeeded' && !run.output.includes('Everything up-to-date');
}
