import { type Invocation, verbsOf } from './shell-command.ts';
import type { ToolStatus } from './transcript-structure.ts';

/** A pull request as the client linked it, or as a tool call created it. */
export interface PullRequest {
  readonly number: number | null;
  readonly url: string | null;
  /** `owner/name`. */
  readonly repository: string | null;
}

/** `gh pr create` prints the URL of the new pull request on its own line. */
const PRINTED_URL = /^(https:\/\/\S{1,300}\/pull\/(\d{1,9}))\s*$/gm;

/** What `gh pr create` prints about a pull request that exists already; `gh pr create || true` succeeds all the same. */
const EXISTING = /already exists:\s+https:\S+/g;
const NOT_CREATED = /already exists:\s+https:|^pull request create failed\b|^aborted: /gm;
const CREATES_NOTHING = /^(?:--dry-run|--help|-h)$/;

/**
 * The pull requests that a shell command created. A failed `gh pr create` may print the URL of an existing one, and
 * after `||` the URL may be that of the command before it.
 */
export function createdPullRequests(run: {
  readonly status: ToolStatus;
  readonly invocations: readonly Invocation[];
  readonly output: string;
}): readonly { readonly number: number; readonly url: string }[] {
  const created = run.invocations.filter((one, at) => isCreation(one) && run.invocations[at - 1]?.next !== '||');
  const successes = created.length - (run.output.match(NOT_CREATED)?.length ?? 0);
  if (run.status !== 'ok' || successes <= 0) return [];
  return [...run.output.replaceAll(EXISTING, '').matchAll(PRINTED_URL)]
    .slice(0, successes)
    .map(([, url = '', number]) => ({ url, number: Number(number) }));
}

function isCreation({ program, words }: Invocation): boolean {
  if (program !== 'gh' || words.some((word) => CREATES_NOTHING.test(word))) return false;
  return /^pr (?:create|new)$/.test(verbsOf(program, words).join(' '));
}

const PARTS_OF_URL = /^https?:\/\/[^/]+\/(.{1,200}?)\/(?:-\/)?(?:pull|pulls|pull-requests|merge_requests)\/(\d{1,9})\b/;

/**
 * Each pull request once, although the client and several calls may report it. Different repositories have pull requests
 * of the same number; one without a repository is taken to be the first of its number.
 */
export function distinctPullRequests(reported: readonly PullRequest[]): readonly PullRequest[] {
  const distinct: PullRequest[] = [];
  for (const next of reported.map(completeFromUrl)) {
    const at = distinct.findIndex((known) => isSamePullRequest(known, next));
    const known = distinct[at];
    if (known === undefined) distinct.push(next);
    else {
      const { number, url, repository } = known;
      distinct[at] = {
        number: number ?? next.number,
        url: url ?? next.url,
        repository: repository ?? next.repository,
      };
    }
  }
  return distinct;
}

function completeFromUrl({ number, url, repository }: PullRequest): PullRequest {
  const [, path, digits] = PARTS_OF_URL.exec(url ?? '') ?? [];
  const fromUrl = digits === undefined ? null : Number(digits);
  return { number: number ?? fromUrl, url, repository: repository ?? path ?? null };
}

/** One without a repository is the same as any of its number. */
export function isSamePullRequest(a: PullRequest, b: PullRequest): boolean {
  if (a.url !== null && a.url === b.url) return true;
  if (a.number === null || a.number !== b.number) return false;
  return a.repository === null || b.repository === null || a.repository.toLowerCase() === b.repository.toLowerCase();
}
