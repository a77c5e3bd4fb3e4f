/** One line of a git reference log. */
export interface ReflogEntry {
  readonly oldSha: string;
  readonly newSha: string;
  readonly atSeconds: number;
  readonly message: string;
}

const LINE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> (\d{1,12}) [+-]\d{4}(?:\t(.*))?$/;

/** Parses a log file, oldest entry first. Skips truncated and malformed lines. */
export function parseReflog(text: string): readonly ReflogEntry[] {
  return text.split('\n').flatMap((line) => {
    const [, oldSha, newSha, seconds, message = ''] = LINE.exec(line) ?? [];
    return oldSha === undefined || newSha === undefined
      ? []
      : [{ oldSha, newSha, atSeconds: Number(seconds), message }];
  });
}

/** Format for `git log -g`, which lists the newest entry first and only the new commit of each change. */
export const REFLOG_FORMAT = '--format=%H%x00%gd%x00%gs%x00';

export function parseReflogOutput(text: string): readonly ReflogEntry[] {
  const fields = text.split('\0');
  const newestFirst: Omit<ReflogEntry, 'oldSha'>[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const seconds = /@\{(\d{1,12})\}$/.exec(fields[at + 1] ?? '')?.[1];
    const newSha = (fields[at] ?? '').trim();
    if (seconds !== undefined) newestFirst.push({ newSha, atSeconds: Number(seconds), message: fields[at + 2] ?? '' });
  }
  const oldest = '0'.repeat(newestFirst[0]?.newSha.length ?? 0);
  return newestFirst.map((entry, at) => ({ ...entry, oldSha: newestFirst[at + 1]?.newSha ?? oldest })).toReversed();
}

export type HeadEvent = { readonly entry: ReflogEntry; readonly branch: string | null } & (
  | { readonly kind: 'commit'; readonly how: string; readonly subject: string }
  | { readonly kind: 'merge'; readonly how: 'fast-forward' | 'merge'; readonly merged: string | null }
  | { readonly kind: 'rebase'; readonly how: 'finish' | 'abort'; readonly from: string; readonly commits: number }
  | { readonly kind: 'reset'; readonly to: string }
  | { readonly kind: 'checkout'; readonly from: string; readonly to: string }
);

const FULL_SHA = /^[0-9a-f]{40,64}$/;
const CHECKOUT = /^checkout: moving from (.*) to (.*)$/;
const RENAMED = /^Branch: renamed refs\/heads\/(\S+) to refs\/heads\/(\S+)$/;
const COMMIT = /^(?:commit(?: \(([a-z-]+)\))?|(cherry-pick|revert|am)): (.*)$/;
const MERGE = /^merge ([^:]+): (.*)$/;
/** `pull --rebase` puts its arguments before the step, and they may contain a URL with a password. */
const REBASE_STEP = /^(?:rebase|pull\b.*)(?: -i)? \((start|pick|finish|abort|[a-z]+)\)(?::|$)/;
const OLD_REBASE = /^rebase(?: -i)?(?: \(.*\))?(?:: (checkout)| (finished|aborting))/;

/** Interprets the log of a HEAD, oldest entry first. `branch` is the current branch. */
export function interpretHeadLog(entries: readonly ReflogEntry[], branch: string | null): readonly HeadEvent[] {
  const branches = branchesOf(entries, branch);
  const events: HeadEvent[] = [];
  let rebase: { from: string; commits: number } | null = null;
  for (const [at, entry] of entries.entries()) {
    const common = { entry, branch: branches[at] ?? null };
    const step = rebaseStep(entry.message);
    if (step === 'start') rebase = { from: entry.oldSha, commits: 0 };
    else if (step === 'finish' || step === 'abort') {
      events.push({ ...common, kind: 'rebase', how: step, ...(rebase ?? { from: entry.oldSha, commits: 0 }) });
      rebase = null;
    } else if (step !== null) {
      if (rebase !== null) rebase.commits++;
    } else events.push(...interpret(common));
  }
  return events;
}

function rebaseStep(message: string): string | null {
  const step = REBASE_STEP.exec(message)?.[1];
  if (step !== undefined) return step;
  const old = OLD_REBASE.exec(message);
  if (old === null) return message.startsWith('rebase') ? 'pick' : null;
  return old[1] ? 'start' : old[2] === 'finished' ? 'finish' : 'abort';
}

function interpret(common: { readonly entry: ReflogEntry; readonly branch: string | null }): HeadEvent[] {
  const { message, oldSha, newSha } = common.entry;
  const commit = COMMIT.exec(message);
  if (commit?.[1] === 'merge') return [{ ...common, kind: 'merge', how: 'merge', merged: null }];
  if (commit) {
    return [{ ...common, kind: 'commit', how: commit[1] ?? commit[2] ?? 'commit', subject: commit[3] ?? '' }];
  }
  const merge = MERGE.exec(message);
  if (merge) return [{ ...common, kind: 'merge', how: howMerged(merge[2] ?? ''), merged: merge[1] ?? null }];
  if (/^pull\b.*: /.test(message)) return [{ ...common, kind: 'merge', how: howMerged(message), merged: null }];
  const checkout = CHECKOUT.exec(message);
  if (checkout) return [{ ...common, kind: 'checkout', from: checkout[1] ?? '', to: checkout[2] ?? '' }];
  // A stash resets to the current HEAD, which is not an event.
  const reset = /^reset: moving to (.*)$/.exec(message);
  return reset && oldSha !== newSha ? [{ ...common, kind: 'reset', to: reset[1] ?? '' }] : [];
}

function howMerged(text: string): 'fast-forward' | 'merge' {
  return /fast-forward$/i.test(text) ? 'fast-forward' : 'merge';
}

/** The branch after each entry. Computed backwards, because only the origin of a checkout is reliable. */
function branchesOf(entries: readonly ReflogEntry[], now: string | null): readonly (string | null)[] {
  const branches: (string | null)[] = [];
  let branch = now;
  for (const { message } of entries.toReversed()) {
    branches.push(branch);
    const from = CHECKOUT.exec(message)?.[1];
    const renamed = RENAMED.exec(message);
    if (from !== undefined) branch = FULL_SHA.test(from) ? null : from;
    else if (renamed && renamed[2] === branch) branch = renamed[1] ?? null;
  }
  return branches.toReversed();
}
