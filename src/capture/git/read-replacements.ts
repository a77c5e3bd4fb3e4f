import type { Repository } from './find-repository.ts';
import type { RepositoryLogs } from './read-logs.ts';
import { interpretHeadLog } from './reflog.ts';
import type { RunGit } from './run-git.ts';

/** Only the newest commits of a longer rebase are marked. */
const MAX_REBASED = 500;
const MAX_REBASES = 50;

export interface ReplacementReader {
  /** Maps each commit that an amend or rebase replaced since `sinceMs` to its replacement. */
  read(repository: Repository, logs: RepositoryLogs, sinceMs: number): Promise<ReadonlyMap<string, string>>;
}

/** Create one per run; results are cached because the outcome of a rebase does not change. */
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

/** Commits that the branch had before a rebase and no longer has. Empty when git has already pruned them. */
async function readRebased(git: RunGit, root: string, from: string, to: string): Promise<readonly string[]> {
  if (from === to) return [];
  const { stdout } = await git(root, ['rev-list', `--max-count=${MAX_REBASED}`, from, `^${to}`, '--']);
  return stdout.split('\n').filter((sha) => /^[0-9a-f]{40,64}$/.test(sha));
}
