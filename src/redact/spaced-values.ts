import { GUTTER } from './gutter.ts';

const LINE = /[^\r\n]{1,160}(?=\r?\n|$)/y;
const MAX_WORDS = 8;
/** Characters of a command, a comment or a sentence that a password of several words does not contain. */
const NO_WORD = /^-|[/=,;:(){}<>|"'`\\[\]#]|\.$/;
const SPOKEN =
  /^(?:a|an|the|is|are|be|must|should|can|will|not|no|of|or|and|to|for|with|at|least|in|on|if|your|my|this|that|it|from|as|by|characters?|chars|min|max|minimum|maximum|long|optional|required|set|use|see)$/i;
const COMMAND =
  /^(?:npm|npx|node|yarn|pnpm|bun|deno|python3?|pytest|pip3?|psql|pg_dump|pg_restore|mysql\w*|mariadb|docker|podman|make|go|cargo|bash|sh|zsh|env|sudo|curl|wget|ssh|scp|rsync|sshpass|git|gh|java|mvn|gradle|ruby|rails|bundle|php|composer|terraform|ansible\S*|kubectl|helm|aws|az|gcloud|restic|vault|dotnet|exec|timeout|time|uv|poetry|tsx|vitest|jest|cmd|echo)$/;
const SETTING = String.raw`${GUTTER}(?:export[ ]{1,4})?["']?[A-Za-z_][\w.-]{0,60}["']?[ ]{0,4}[=:]`;
const NEXT = new RegExp(String.raw`^\r?\n${SETTING}`);
const PREVIOUS = new RegExp(String.raw`(?:^|\n)${SETTING}[^\n]{0,120}\n[^\n]*$`);
const NEIGHBOUR_CHARS = 300;

/**
 * An unquoted password of several words, as in `.env` and YAML files. Null for one word, a command after an assignment,
 * a sentence, and when no neighbouring line is a setting too.
 */
export function spacedValueAt(text: string, nameStart: number, start: number): string | null {
  LINE.lastIndex = start;
  const value = LINE.exec(text)?.[0].replace(/[ \t]+(?:#.*)?$/, '') ?? '';
  const words = value.split(/[ \t]+/);
  if (words.length < 2 || words.length > MAX_WORDS || words.some((word) => NO_WORD.test(word) || SPOKEN.test(word)))
    return null;
  if (COMMAND.test(words[1] ?? '') || !isLikely(words)) return null;
  const end = start + value.length;
  const isSettings =
    NEXT.test(text.slice(end, end + NEIGHBOUR_CHARS).replace(/^[ \t]+(?:#[^\n]*)?/, '')) ||
    PREVIOUS.test(text.slice(Math.max(0, nameStart - NEIGHBOUR_CHARS), nameStart));
  return isSettings ? value : null;
}

/** Contains a number, or consists of words of equal length like an app password. */
function isLikely(words: readonly string[]): boolean {
  return (
    words.some((word) => /\d/.test(word)) || (words.length > 3 && new Set(words.map((word) => word.length)).size === 1)
  );
}
