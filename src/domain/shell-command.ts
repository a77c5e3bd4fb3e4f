/** Finds the programs that a shell command runs. docs/internals.md compares it with the library `shell-quote`. */

/** Tools of the client that run a shell command. */
export const SHELL_TOOLS: readonly string[] = ['Bash', 'PowerShell'];

/** A program run by a shell command, with its arguments. */
export interface Invocation {
  readonly program: string;
  readonly words: readonly string[];
  /** The operator between it and the next program; null for the last one. */
  readonly next: Operator | null;
  /** Inside a loop, a condition or a negation, where the exit code of the command is inconclusive. */
  readonly isConditional: boolean;
}

type Operator = '&&' | '||' | '|' | ';' | '&';

const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'dash']);
const MAX_NESTING = 3;

export function readInvocations(command: string, depth = 0): readonly Invocation[] {
  const parts = splitCommand(command).filter(({ words }) => words.length > 0);
  const isConditional = parts.some(({ words, isNegated }) => isNegated || CONTROL.test(words[0] ?? ''));
  return parts.flatMap(({ words, next }, at): Invocation[] => {
    const [program, ...rest] = unwrap(words);
    if (program === undefined) return [];
    const invocation = {
      program: nameOf(program),
      words: rest,
      next: at === parts.length - 1 ? (next === '&' ? next : null) : next,
      isConditional,
    };
    const script = SHELLS.has(invocation.program) ? scriptIn(rest) : undefined;
    if (script === undefined || depth >= MAX_NESTING) return [invocation];
    return nest(readInvocations(script, depth + 1), invocation);
  });
}

/** The script of `bash -c '…'`. */
function scriptIn(words: readonly string[]): string | undefined {
  const flag = words.findIndex((word) => /^-[a-z]*c$/.test(word));
  return flag < 0 ? undefined : words[flag + 1];
}

function nest(inner: readonly Invocation[], { next, isConditional }: Invocation): Invocation[] {
  return inner.map((one, at) => ({
    ...one,
    next: at === inner.length - 1 ? next : one.next,
    isConditional: isConditional || one.isConditional,
  }));
}

const CONTROL = /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|function|select)$/;

interface Part {
  words: string[];
  next: Operator | null;
  isNegated: boolean;
}

const HEREDOC = /^<<-?\s{0,3}(["']?)([A-Za-z_]\w{0,60})\1/;

/** One pass over the characters: quotes keep words together, operators end a part, here-documents are skipped. */
function splitCommand(command: string): readonly Part[] {
  const parts: Part[] = [{ words: [], next: null, isNegated: false }];
  const heredocs: string[] = [];
  let word: string | null = null;
  const endWord = () => {
    if (word !== null) parts.at(-1)?.words.push(word);
    word = null;
  };
  const endPart = (next: Operator) => {
    endWord();
    const last = parts.at(-1) as Part;
    // A line break after an operator does not end a part.
    if (last.words.length === 0) return;
    last.next = next;
    parts.push({ words: [], next: null, isNegated: false });
  };
  for (let at = 0; at < command.length; at++) {
    const char = command.charAt(at);
    // A continued line neither ends nor starts a word.
    if (char === '\\' && command.charAt(at + 1) === '\n') at++;
    else if (char === '\\') word = (word ?? '') + command.charAt(++at);
    else if (char === '"' || char === "'" || char === '`') {
      const end = endOfQuote(command, at);
      word = (word ?? '') + command.slice(at + 1, end);
      at = end;
    } else if (char === '$' && command.charAt(at + 1) === '(') {
      const end = endOfSubstitution(command, at + 2);
      word = (word ?? '') + command.slice(at, end + 1);
      at = end;
    } else if (char === '\n') {
      endPart(';');
      for (const tag of heredocs.splice(0)) at = endOfHeredoc(command, at, tag);
    } else if (/\s/.test(char)) endWord();
    else if (char === '<' && command.startsWith('<<', at) && HEREDOC.test(command.slice(at, at + 80))) {
      const [all = '', , tag = ''] = HEREDOC.exec(command.slice(at, at + 80)) ?? [];
      heredocs.push(tag);
      at += all.length - 1;
    } else if (char === '#' && word === null) at = endOfLine(command, at) - 1;
    else if (char === '|' && command.charAt(at + 1) !== '|') endPart('|');
    else if (char === ';' || char === '|' || (char === '&' && !/[<>]/.test(command.charAt(at - 1)))) {
      const isDouble = command.charAt(at + 1) === char;
      if (isDouble) at++;
      if (char === '&' && command.charAt(at + 1) === '>') continue;
      endPart(char === ';' ? ';' : ((isDouble ? char + char : char) as Operator));
    } else if (char === ')') endWord();
    else if (word === null && /[({}!]/.test(char)) {
      if (char === '!') (parts.at(-1) as Part).isNegated = true;
    } else word = (word ?? '') + char;
  }
  endWord();
  return parts;
}

/** Quotes and substitutions within each other. Deeper ones are read as text. */
const MAX_QUOTED = 100;

function endOfQuote(command: string, from: number, depth = 0): number {
  const quote = command.charAt(from);
  const hasSubstitutions = quote === '"' && depth < MAX_QUOTED;
  for (let at = from + 1; at < command.length; at++) {
    if (command.charAt(at) === '\\' && quote !== "'") at++;
    else if (hasSubstitutions && command.startsWith('$(', at)) at = endOfSubstitution(command, at + 2, depth + 1);
    else if (command.charAt(at) === quote) return at;
  }
  return command.length;
}

/** The parenthesis that ends `$(…)`; quotes and here-documents in it may contain any parentheses. */
function endOfSubstitution(command: string, from: number, nesting = 0): number {
  const heredocs: string[] = [];
  let depth = 1;
  for (let at = from; at < command.length; at++) {
    const char = command.charAt(at);
    const heredoc = char === '<' ? HEREDOC.exec(command.slice(at, at + 80)) : null;
    if (heredoc !== null) {
      heredocs.push(heredoc[2] ?? '');
      at += heredoc[0].length - 1;
    } else if (char === '\n') for (const tag of heredocs.splice(0)) at = endOfHeredoc(command, at, tag);
    else if (char === '\\') at++;
    else if (char === '"' || char === "'" || char === '`') at = endOfQuote(command, at, nesting);
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return at;
  }
  return command.length;
}

function endOfLine(command: string, from: number): number {
  const end = command.indexOf('\n', from);
  return end < 0 ? command.length : end;
}

/** The end of the line that contains only the tag. */
function endOfHeredoc(command: string, from: number, tag: string): number {
  for (let at = from; at < command.length; ) {
    const end = endOfLine(command, at + 1);
    if (command.slice(at + 1, end).trim() === tag) return end - (end < command.length ? 1 : 0);
    at = end;
  }
  return command.length;
}

const KEYWORDS = new Set(['then', 'do', 'else', 'elif', 'if', 'while', 'until', 'time', 'exec', 'command', 'nohup']);
const NO_PROGRAM = /^(?:for|case|fi|done|esac|function|\[\[?|in)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** Command prefixes that only start another program. */
const WRAPPERS: readonly (readonly string[])[] = (
  'npx, bunx, uvx, pnpm exec, pnpm dlx, yarn dlx, yarn exec, npm exec, uv run, poetry run, ' +
  'pipenv run, hatch run, rye run, pdm run, bundle exec, python -m, py -m, env, sudo, ' +
  'nice, xvfb-run, stdbuf, xargs, dotenv, mise exec, direnv exec ., cross-env, coverage run'
)
  .split(', ')
  .map((prefix) => prefix.split(' '));
/** Each assignment before a program counts as a wrapper, too. */
const MAX_WRAPPERS = 32;

function unwrap(words: readonly string[]): readonly string[] {
  let rest = words;
  for (let n = 0; n < MAX_WRAPPERS; n++) {
    const [first = '', ...others] = rest;
    const named = [nameOf(first).replace(PYTHON, 'python'), ...others];
    const wrapper = WRAPPERS.find((names) => names.every((name, at) => named[at] === name));
    if (NO_PROGRAM.test(first)) return [];
    if (ASSIGNMENT.test(first) || KEYWORDS.has(first)) rest = rest.slice(1);
    else if (first === 'timeout') rest = withoutFlags(others, TIMEOUT_FLAGS_WITH_VALUE).slice(1);
    else if (wrapper !== undefined) rest = withoutFlags(rest.slice(wrapper.length));
    else break;
  }
  return rest;
}

const FLAGS_WITH_VALUE = new Set('--with --package -p --extra --group --python -n -u --unset'.split(' '));
const TIMEOUT_FLAGS_WITH_VALUE = new Set(['-k', '-s', '--kill-after', '--signal']);
const PYTHON = /^python\d[\d.]*$/;

function withoutFlags(words: readonly string[], withValue = FLAGS_WITH_VALUE): readonly string[] {
  let at = 0;
  while (at < words.length && (words[at] ?? '').startsWith('-')) at += withValue.has(words[at] ?? '') ? 2 : 1;
  return words.slice(at);
}

function nameOf(program: string): string {
  const name = program.split(/[\\/]/).at(-1) ?? program;
  return name.replace(/\.(?:exe|cmd|bat)$|(?<=\w)@(?:\d[\w.-]{0,30}|latest|next)$/i, '');
}

/** Options before the subcommand that take an argument. */
const OPTIONS_WITH_WORD: Readonly<Record<string, readonly string[]>> = {
  git: ['-C', '-c', '--git-dir', '--work-tree'],
  gh: ['-R', '--repo'],
  glab: ['-R', '--repo'],
};

/** The subcommand of a program, such as `commit` in `git -C /x commit`. */
export function verbsOf(program: string, words: readonly string[]): readonly string[] {
  const verbs: string[] = [];
  for (let at = 0; at < words.length && verbs.length < 2; at++) {
    const word = words[at] ?? '';
    if (OPTIONS_WITH_WORD[program]?.includes(word)) at++;
    else if (/^[a-z][\w:.-]{0,40}$/i.test(word)) verbs.push(word);
    else if (!word.startsWith('-')) break;
  }
  return verbs;
}
