/** What a line of shell runs: programs with their words, without the plumbing around them. */
export interface Invocation {
  readonly program: string;
  readonly words: readonly string[];
  /** Another program reads what it prints, so its exit status is not the one that was reported. */
  readonly isPiped: boolean;
}

const MAX_INVOCATIONS = 50;

export function readInvocations(command: string): readonly Invocation[] {
  const parts = splitCommand(command).slice(0, MAX_INVOCATIONS);
  return parts.flatMap(({ words, isPiped }) => {
    const [program, ...rest] = unwrap(words);
    return program === undefined ? [] : [{ program: nameOf(program), words: rest, isPiped }];
  });
}

interface Part {
  words: string[];
  isPiped: boolean;
}

const HEREDOC = /^<<-?\s{0,3}(["']?)([A-Za-z_]\w{0,60})\1/;

/** One walk over the characters: quotes keep words together, operators end a part, here-documents are skipped. */
function splitCommand(command: string): readonly Part[] {
  const parts: Part[] = [{ words: [], isPiped: false }];
  const heredocs: string[] = [];
  let word: string | null = null;
  const endWord = () => {
    if (word !== null) parts.at(-1)?.words.push(word);
    word = null;
  };
  const endPart = (isPiped: boolean) => {
    endWord();
    const last = parts.at(-1);
    if (last !== undefined) last.isPiped = isPiped;
    parts.push({ words: [], isPiped: false });
  };
  for (let at = 0; at < command.length; at++) {
    const char = command.charAt(at);
    if (char === '\\') word = (word ?? '') + command.charAt(++at).replace('\n', '');
    else if (char === '"' || char === "'") {
      const end = endOfQuote(command, at);
      word = (word ?? '') + command.slice(at + 1, end);
      at = end;
    } else if (char === '\n') {
      endPart(false);
      for (const tag of heredocs.splice(0)) at = endOfHeredoc(command, at, tag);
    } else if (/\s/.test(char)) endWord();
    else if (char === '<' && command.startsWith('<<', at) && HEREDOC.test(command.slice(at, at + 80))) {
      const [all = '', , tag = ''] = HEREDOC.exec(command.slice(at, at + 80)) ?? [];
      heredocs.push(tag);
      at += all.length - 1;
    } else if (char === '#' && word === null) at = endOfLine(command, at) - 1;
    else if (char === '|' && command.charAt(at + 1) !== '|') endPart(true);
    else if (char === ';' || char === '|' || (char === '&' && !/[<>]/.test(command.charAt(at - 1)))) {
      if (command.charAt(at + 1) === char) at++;
      if (char === '&' && command.charAt(at + 1) === '>') continue;
      endPart(false);
    } else if (char === ')') endWord();
    else if (word === null && /[({}!]/.test(char)) continue;
    else word = (word ?? '') + char;
  }
  endWord();
  return parts;
}

function endOfQuote(command: string, from: number): number {
  const quote = command.charAt(from);
  for (let at = from + 1; at < command.length; at++) {
    if (command.charAt(at) === '\\' && quote === '"') at++;
    else if (command.charAt(at) === quote) return at;
  }
  return command.length;
}

function endOfLine(command: string, from: number): number {
  const end = command.indexOf('\n', from);
  return end < 0 ? command.length : end;
}

/** The end of the line that holds only the tag. */
function endOfHeredoc(command: string, from: number, tag: string): number {
  for (let at = from; at < command.length; ) {
    const end = endOfLine(command, at + 1);
    if (command.slice(at + 1, end).trim() === tag) return end - (end < command.length ? 1 : 0);
    at = end;
  }
  return command.length;
}

const KEYWORDS = new Set([
  'then',
  'do',
  'else',
  'elif',
  'if',
  'while',
  'until',
  'time',
  'exec',
  'command',
  'nohup',
  'sudo',
]);
const NO_PROGRAM = /^(?:for|case|fi|done|esac|function|\[\[?|in)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** Programs that only start another one, and how many words of their own they take. */
const WRAPPERS: readonly (readonly string[])[] = [
  ['npx'],
  ['bunx'],
  ['uvx'],
  ['pnpm', 'exec'],
  ['pnpm', 'dlx'],
  ['yarn', 'dlx'],
  ['yarn', 'exec'],
  ['npm', 'exec'],
  ['uv', 'run'],
  ['poetry', 'run'],
  ['pipenv', 'run'],
  ['hatch', 'run'],
  ['rye', 'run'],
  ['pdm', 'run'],
  ['bundle', 'exec'],
  ['python', '-m'],
  ['python3', '-m'],
  ['py', '-m'],
  ['env'],
  ['nice'],
  ['xvfb-run'],
  ['stdbuf'],
  ['xargs'],
  ['dotenv'],
  ['mise', 'exec'],
  ['direnv', 'exec', '.'],
  ['cross-env'],
];
const MAX_WRAPPERS = 6;

function unwrap(words: readonly string[]): readonly string[] {
  let rest = words;
  for (let n = 0; n < MAX_WRAPPERS; n++) {
    const [first = '', second = ''] = rest;
    const wrapper = WRAPPERS.find((names) => names.every((name, at) => rest[at] === name));
    if (NO_PROGRAM.test(first)) return [];
    if (ASSIGNMENT.test(first) || KEYWORDS.has(first)) rest = rest.slice(1);
    else if (first === 'timeout') rest = rest.slice(second.startsWith('-') ? 3 : 2);
    else if (wrapper !== undefined) rest = withoutFlags(rest.slice(wrapper.length));
    else break;
  }
  return rest;
}

const FLAGS_WITH_VALUE = new Set(['--with', '--package', '-p', '--extra', '--group', '--python', '-n']);

function withoutFlags(words: readonly string[]): readonly string[] {
  let at = 0;
  while (at < words.length && (words[at] ?? '').startsWith('-')) at += FLAGS_WITH_VALUE.has(words[at] ?? '') ? 2 : 1;
  return words.slice(at);
}

function nameOf(program: string): string {
  const name = program.split(/[\\/]/).at(-1) ?? program;
  return name.replace(/\.(?:exe|cmd|bat)$/i, '');
}
