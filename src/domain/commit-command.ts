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
