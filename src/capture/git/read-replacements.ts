import type { Repository } from './find-repository.ts';
import type { RepositoryLogs } from './read-logs.ts';
import { interpretHeadLog } from './reflog.ts';
import type { RunGit } from './run-git.ts';

/** Of a longer rebase only the newest commits are marked. */
const MAX_REBASED = 500;
const MAX_REBASES = 50;

export interface ReplacementReader {
  /** Commits that an amend or a rebase since then replaced, each with the commit that took its place. */
  read(repository: Repository, logs: RepositoryLogs, sinceMs: number): Promise<ReadonlyMap<string, string>>;
}

/** For one run: what a rebase replaced does not change. */
export function createReplacementReader(git: RunGit): ReplacementReader {
  const rebased = new Map<string, readonly string[]>();
  const listRebased = async (root: string, from: string, to: string): Promise<readonly string[]> => {
    const key = `${from} ${to}`;
    const known = rebased.get(key) ?? (await readRebased(git, root, from, to));
    rebased.set(key, known);
    return known;
  };
  return {
    read: async ({ root }, { heads }, sinceMs) => {
      const replaced = new Map<string, string>();
      const events = heads.flatMap(({ entries, branch }) => interpretHeadLog(entries, branch));
      const recent = events.filter(({ entry }) => entry.atSeconds * 1_000 >= sinceMs);
      for (const event of recent) {
        if (event.kind === 'commit' && event.how === 'amend') replaced.set(event.entry.oldSha, event.entry.newSha);
      }
      const rebases = recent.filter((event) => event.kind === 'rebase').filter(({ how }) => how === 'finish');
      for (const { from, entry } of rebases.slice(-MAX_REBASES)) {
        for (const sha of await listRebased(root, from, entry.newSha)) replaced.set(sha, entry.newSha);
      }
      return replaced;
    },
  };
}

/** What the branch held before a rebase and does not hold after it. Nothing when git has thrown it away. */
async function readRebased(git: RunGit, root: string, from: string, to: string): Promise<readonly string[]> {
  if (from === to) return [];
  const { stdout } = await git(root, ['rev-list', `--max-count=${MAX_REBASED}`, from, `^${to}`, '--']);
  return stdout.split('\n').filter((sha) => /^[0-9a-f]{40,64}$/.test(sha));
}
