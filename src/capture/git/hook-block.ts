import { quoteShell } from '../../lib/shell-word.ts';

/** The hooks that get our block, and the event name each one records. */
export const GIT_HOOKS = {
  'post-commit': 'GitPostCommit',
  'post-checkout': 'GitPostCheckout',
  'post-merge': 'GitPostMerge',
  'pre-push': 'GitPrePush',
} as const;
export type GitHookName = keyof typeof GIT_HOOKS;

const BEGIN = '# >>> fuel-code >>> `fuel-code git-hooks uninstall` removes these lines';
const END = '# <<< fuel-code <<<';
const BEGIN_MARK = /^# >>> fuel-code >>>.*$/gm;
const END_MARK = /^# <<< fuel-code <<<$/gm;

/** Stop writing when nothing drains the spool; git's own logs hold the same information. */
const MAX_WAITING_NOTES = 2_000;
/** Spool entries need a session id, but most commits are made outside a session. */
const NO_SESSION = 'no-session';

/**
 * The lines added to a hook; all they do is write an entry to the spool. They go right below the `#!` line: after an
 * `exit` or `exec` they would never run, and at the end they would have to preserve the hook's exit code. They run in a
 * subshell without standard input and output that always succeeds, so the rest of the hook is unaffected. Their cost
 * does not depend on the size of the commit; they start two small programs, date and mv.
 */
export function hookBlock(name: GitHookName, home: string): string {
  return `${BEGIN}
(
  [ -z "\${ZSH_VERSION-}" ] || emulate sh
  umask 077
  PATH=/usr/bin:/bin\${PATH:+:$PATH}
  spool=${quoteShell(`${home}/spool`)}
  { [ -d "$spool" ] && [ ! -h "$spool" ] && [ -O "$spool" ]; } || exit 0
  json() {
    rest=$1 out=
    case $rest in *[[:cntrl:]]*) exit 0 ;; esac
    while :; do
      case $rest in *[\\\\\\"]*) head=\${rest%%[\\\\\\"]*} ;; *) break ;; esac
      rest=\${rest#"$head"}
      out=$out$head\\\\\${rest%"\${rest#?}"}
      rest=\${rest#?}
    done
    out=$out$rest
  }
${ARGUMENTS[name]}
  json "$PWD"
  session=\${CLAUDE_CODE_SESSION_ID:-${NO_SESSION}}
  case $session in [!A-Za-z0-9]* | *[!A-Za-z0-9._:-]*) session=${NO_SESSION} ;; esac
  set -- "$spool"/[0-9]*.json
  [ "$#" -lt ${MAX_WAITING_NOTES} ] || exit 0
  now=$(date +%s%N)
  now=\${now%%[!0-9]*}
  case \${#now} in 19) ;; 10) now=\${now}000000000 ;; *) exit 0 ;; esac
  temp=$spool/.t.$$-$PPID-git
  printf '{"hook_event_name":"%s","session_id":"%s","cwd":"%s","args":[%s]}\\n' \\
    ${GIT_HOOKS[name]} "$session" "$out" "$args" >"$temp" &&
    mv -f "$temp" "$spool/\${now%??????}-$$-\${now#?????????????}$PPID.json" || rm -f "$temp"
) </dev/null >/dev/null 2>&1 || :
${END}
`;
}

const HEX_ONLY = 'case $1$2$3 in *[!0-9a-f]*) exit 0 ;; esac';

/**
 * The arguments git passes to the hook, as JSON array items. For a push only the remote's name: its URL may contain a
 * password.
 */
const ARGUMENTS: Readonly<Record<GitHookName, string>> = {
  'post-commit': '  args=',
  'post-checkout': `  set -- "\${1-}" "\${2-}" "\${3-}"
  ${HEX_ONLY}
  [ "$3" = 1 ] || exit 0
  args="\\"$1\\",\\"$2\\""`,
  'post-merge': `  set -- "\${1-}" "" ""
  ${HEX_ONLY}
  args="\\"$1\\""`,
  'pre-push': `  case \${1-} in '' | *[:@]* | [./]*) args= ;; *) json "$1" && args="\\"$out\\"" ;; esac`,
};

/** How we treat a hook file. Files are handled as Latin-1, one character per byte. */
type HookText =
  | { readonly kind: 'shell'; readonly block: string | null }
  | { readonly kind: 'foreign'; readonly why: string }
  | { readonly kind: 'damaged'; readonly why: string };

const SHELL = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(?:\S*\/)?(?:sh|bash|dash|ash|ksh|mksh|zsh)(?:\s|$)/;
/** A file that is valid shell and another language at once; inserting lines would break the other language. */
const POLYGLOT = /^(?:''''|"""|":")/m;

export function readHookText(text: string): HookText {
  const begins = [...text.matchAll(BEGIN_MARK)];
  const ends = [...text.matchAll(END_MARK)];
  const [begin] = begins;
  const [end] = ends;
  if (begins.length > 1 || begins.length !== ends.length || (begin && end && begin.index > end.index)) {
    return { kind: 'damaged', why: 'its fuel-code block is incomplete' };
  }
  if (begin && end) return { kind: 'shell', block: text.slice(begin.index, end.index + END.length) };
  const head = text.slice(0, 500);
  if (head.startsWith('#!') && !SHELL.test(head)) {
    return { kind: 'foreign', why: `it is not a shell script; it starts with ${JSON.stringify(head.split('\n')[0])}` };
  }
  if (head.includes('\0') || POLYGLOT.test(head)) return { kind: 'foreign', why: 'it is not a plain shell script' };
  return { kind: 'shell', block: null };
}

/** Adds the block, or replaces an older one. */
export function addBlock(text: string, block: string): string {
  const without = removeBlock(text);
  const firstLine = without.startsWith('#!') ? without.indexOf('\n') + 1 : 0;
  if (without.startsWith('#!') && firstLine === 0) return `${without}\n${block.trimEnd()}`;
  return without.slice(0, firstLine) + block + without.slice(firstLine);
}

/** Removes the block and leaves every other byte unchanged. */
export function removeBlock(text: string): string {
  const found = readHookText(text);
  if (found.kind !== 'shell' || found.block === null) return text;
  const at = text.indexOf(found.block);
  const end = at + found.block.length;
  if (text[end] === '\n') return text.slice(0, at) + text.slice(end + 1);
  return text.slice(0, at).replace(/\n$/, '') + text.slice(end);
}
