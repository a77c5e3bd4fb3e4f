import { type Invocation, verbsOf } from '../domain/shell-command.ts';

/** Programs that only read or move text; they do not show what was done. */
const READ_ONLY = new Set(
  (
    'cd ls ll cat bat echo pwd head tail grep egrep fgrep rg ag find fd sed awk wc which whereis sleep mkdir true false test ' +
    'export set unset source . printf sort uniq cut tr tee less more file stat du df date env printenv type read basename ' +
    'dirname realpath readlink jq yq diff touch chmod cp mv rm ln tree ps kill pkill pgrep lsof history column xxd od strings ' +
    'wait return exit break continue local declare alias eval trap shift hash uname whoami id hostname seq base64 ' +
    'md5sum sha256sum top free uptime man help clear paste nl fold comm pushd popd rmdir mktemp json.tool'
  ).split(' '),
);
const READ_ONLY_GIT = new Set(
  (
    'status diff log show branch rev-parse ls-files ls-tree remote add check-ignore blame fetch describe cat-file reflog config ' +
    'shortlog name-rev merge-base grep rev-list for-each-ref symbolic-ref'
  ).split(' '),
);

/** Programs whose next word is a subcommand. */
const WITH_SUBCOMMAND = new Set(
  (
    'git npm pnpm yarn bun go cargo gh glab docker podman kubectl helm uv pip pip3 make gmake mvn mvnw gradle gradlew dotnet ' +
    'terraform tofu aws gcloud az poetry brew apt apt-get systemctl mise just task rails rake composer flutter dart swift deno ' +
    'vercel fly flyctl heroku conda wrangler supabase prisma nx turbo lerna cmake bazel terragrunt pulumi rustup claude'
  ).split(' '),
);
const WITH_TWO = new Set(['gh', 'glab', 'aws', 'gcloud', 'az']);
const SECOND_FOR = /^(?:run|compose|exec|stash|worktree|remote|dlx|tool|tag)$/;

const PROGRAM = /^[a-z][\w@.+-]{0,60}$/i;
const VARIABLE = /^[A-Z0-9_]*_[A-Z0-9_]*$/;

/** Short label of an invocation: `git push`, `npm run build`; null if it only reads. */
export function labelOf({ program, words }: Invocation): string | null {
  if (READ_ONLY.has(program) || !PROGRAM.test(program) || VARIABLE.test(program)) return null;
  if (!WITH_SUBCOMMAND.has(program)) return program;
  const verbs = verbsOf(program, words);
  if (program === 'git' && READ_ONLY_GIT.has(verbs[0] ?? '')) return null;
  const isLong = WITH_TWO.has(program) || SECOND_FOR.test(verbs[0] ?? '');
  return [program, ...verbs.slice(0, isLong ? 2 : 1)].join(' ');
}

/** Labels of the programs a shell command runs, each once. */
export function labelsOf(invocations: readonly Invocation[]): ReadonlySet<string> {
  return new Set(invocations.flatMap((invocation) => labelOf(invocation) ?? []));
}
