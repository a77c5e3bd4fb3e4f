import { commandOf, type RawCall, type RawResult, type RawSession } from './raw-session.ts';

/**
 * The effects of shell calls, derived from raw calls with independent rules: simple patterns instead of a shell
 * grammar.
 */

export function isRefused({ text, isError, isDenied }: RawResult): boolean {
  if (isDenied || text.includes('denied by your permission settings.</tool_use_error>')) return true;
  return (
    isError &&
    /^(?:Error: )?(?:The user doesn't want|User rejected|User chose to stay in plan mode|Permission (?:for this action|to use )|This command requires approval|This Bash command contains multiple operations|Tool permission request failed|Claude requested permissions|[^\n]* was blocked\. For security, Claude Code may only )/.test(
      text,
    )
  );
}

export const isShell = ({ name }: RawCall) => name === 'Bash' || name === 'PowerShell';

/** The client refused to start the command, so nothing ran. */
export function isRejected(call: RawCall): boolean {
  return isShell(call) && statusOf(call) === 'failed' && /^(?:Error: )?<tool_use_error>/.test(call.result?.text ?? '');
}

export type RawStatus = 'ok' | 'failed' | 'refused' | 'stopped' | 'background' | 'pending';

export function statusOf({ result }: RawCall): RawStatus {
  if (result === null) return 'pending';
  if (isRefused(result)) return 'refused';
  if (
    /^(?:Error: )?(?:\[Request interrupted|\[Tool call interrupted|Interrupted by user|Permission prompt was aborted)/.test(
      result.text,
    )
  )
    return 'stopped';
  if (result.details?.['interrupted'] === true) return 'stopped';
  if (result.details?.['backgroundTaskId'] !== undefined) return 'background';
  return result.isError ? 'failed' : 'ok';
}

interface Part {
  readonly words: string;
  readonly operator: string;
}

/**
 * The simple commands of a line: here-documents and quotes are blanked first, so that operators inside them do not
 * count.
 */
export function partsOf(command: string): readonly Part[] {
  const flat = command
    .replaceAll(/\\\n/g, ' ')
    .replaceAll(/<<-?\s*(['"]?)(\w+)\1([^\n]*)\n[^]*?\n\s*\2(?=\s|\)|$)/g, ' $3')
    .replaceAll(/"(?:\\.|\$\([^]*?\)|[^"\\])*"|'[^']*'/g, (text) => (/\s/.test(text) ? 'QUOTED' : text.slice(1, -1)));
  const pieces = flat.split(/(&&|\|\||;|\||\n|(?<![<>&])&(?![>&]))/);
  const parts: Part[] = [];
  for (let at = 0; at < pieces.length; at += 2) {
    const words = (pieces[at] ?? '')
      .trim()
      .replace(/^[({]\s*/, '')
      .replace(/\s*[)}]$/, '');
    const operator = pieces[at + 1] === '\n' ? ';' : (pieces[at + 1] ?? '');
    if (words !== '' && !words.startsWith('#')) parts.push({ words: bare(words), operator });
    else if (parts.length > 0 && operator === '&') parts.push({ words: '', operator });
  }
  return parts;
}

const WRAPPER =
  /^(?:[A-Z_a-z]\w*=(?:\$\([^()]*\)|\S)*|(?:sudo|env)(?: -u \S+| -\S+)*|time|npx(?: -\S+)*|bunx|uv run(?: --\S+(?:=\S+)?)*|poetry run|bundle exec|python3? -m|timeout(?: -\S+ \S+)? \S+|pnpm exec|nohup)\s+/;

function bare(words: string): string {
  let rest = words.replace(/\s+/g, ' ');
  while (WRAPPER.test(rest)) rest = rest.replace(WRAPPER, '');
  return rest.replace(/^(\S*\/)([^\s/]+)/, '$2');
}

/** The part of a command that a label such as `npm run build` refers to. */
export function callsOf(label: string, command: string): readonly number[] {
  const [program = '', ...rest] = label.split(' ');
  return partsOf(command).flatMap(({ words }, at) => {
    const [first = '', ...others] = words.split(' ');
    return first === program &&
      rest.every((word) => others.includes(word) || others.some((one) => one.endsWith(`:${word}`)))
      ? [at]
      : [];
  });
}

const SAFE = /^(?:cd|echo|export|source|\.|set|pwd|sleep|printf)(?:\s|$)/;
const LOOP = /^(?:if|then|else|for|while|until|do|done|case|fi|!|\[)(?:\s|$)/;

/** The result that the exit code proves for one part: success, failure or unknown. */
export function provenBy(call: RawCall, at: number): boolean | null {
  const parts = partsOf(commandOf(call));
  if (parts.some(({ words }) => LOOP.test(words))) return null;
  const after = parts.slice(at);
  const status = statusOf(call);
  if (status === 'ok' && call.result?.details?.['returnCodeInterpretation'] === undefined) {
    return after.slice(0, -1).every(({ operator }) => operator === '&&') && after.at(-1)?.operator !== '&'
      ? true
      : null;
  }
  const text = call.result?.text ?? '';
  if (
    status !== 'failed' ||
    /tool_use_error|command not found|No such file|Missing script|not recognized as/i.test(text)
  )
    return null;
  const before = parts.slice(0, at);
  before.splice(0, before.findLastIndex(({ operator }) => operator === ';') + 1);
  const isBlamed =
    after.length === 1 && before.every(({ words, operator }) => SAFE.test(words) && !/\|/.test(operator));
  return isBlamed ? false : null;
}

export interface RawCommit {
  readonly sha: string | null;
  readonly subject: string;
  readonly isAmend: boolean;
}

/** Commits printed by git or proved by the exit code, and calls with an unknown result. */
export function commitsOf({ calls }: RawSession): { readonly made: readonly RawCommit[]; readonly unknown: number } {
  const made = new Map<string, RawCommit>();
  let unknown = 0;
  for (const call of calls.filter(isShell)) {
    if (statusOf(call) === 'refused' || isRejected(call)) continue;
    const parts = partsOf(commandOf(call));
    const isVerb = (words: string, verbs: string) =>
      new RegExp(`^git (?:-\\S+ (?:\\S+ )?)*?(?:${verbs})(?: |$)`).test(words);
    const commits = parts.flatMap(({ words }, at) => {
      return isVerb(words, 'commit') && !words.includes('--dry-run')
        ? [{ at, isAmend: words.includes('--amend') }]
        : [];
    });
    const picks = parts.filter(({ words }) => isVerb(words, 'cherry-pick|revert')).length;
    if (commits.length + picks === 0) continue;
    const printed = [
      ...(call.result?.text ?? '').matchAll(
        /^\[(?:detached HEAD|[^\s[\]]+)(?: \(root-commit\))? ([0-9a-f]{4,64})\] (.*)$/gm,
      ),
    ];
    for (const [n, [, sha = '', subject = '']] of printed.entries()) {
      const isAmend = (commits[n] ?? commits.at(-1))?.isAmend === true;
      if (![...made.keys()].some((one) => one.startsWith(sha) || sha.startsWith(one)))
        made.set(sha, { sha, subject, isAmend });
    }
    if (printed.length > 0) continue;
    const noted = (call.result?.details?.['gitOperation'] as { commit?: { sha?: string } } | undefined)?.commit?.sha;
    if (noted !== undefined)
      made.set(noted, { sha: noted, subject: '', isAmend: commits.some(({ isAmend }) => isAmend) });
    else
      for (const { at, isAmend } of commits) {
        const proven = provenBy(call, at);
        if (proven === null && !isUncommitted(call, parts, at)) unknown += 1;
        if (proven === true) made.set(`${call.id} ${at}`, { sha: null, subject: '', isAmend });
      }
  }
  return { made: [...made.values()], unknown };
}

/** A failed command ends without the commit that it ends with; without -q and a pipe, git would have printed one. */
function isUncommitted(call: RawCall, parts: readonly Part[], at: number): boolean {
  const status = statusOf(call);
  if (status === 'failed' && at === parts.length - 1) return true;
  const isPrinted = parts.slice(at).every(({ words, operator }) => operator !== '|' && !/>(?!&)/.test(words));
  return isPrinted && !/ -(?:a?q|-quiet)/.test(parts[at]?.words ?? '') && (status === 'ok' || status === 'failed');
}

export type RawOutcome = 'passed' | 'failed' | null;

/** The outcome of a test run, as far as its output or exit code shows it. */
export function testOutcome(call: RawCall, at: number): RawOutcome {
  const status = statusOf(call);
  if (status === 'background' || status === 'pending' || status === 'stopped') return null;
  const proven = provenBy(call, at);
  if (/^=+ no tests ran in /m.test(call.result?.text ?? '')) return null;
  if (proven === false) return 'failed';
  const text = (call.result?.text ?? '').replaceAll(/\u001b\[[0-9;]*m/g, '');
  const counts =
    /^.*\b\d+ (?:passed|failed|passing|failing|failures?|errors? in|examples?)\b.*$|^(?:#|ℹ) (?:pass|fail) \d+$/gm;
  const lines = (text.slice(-4_000).match(counts) ?? []).join('\n');
  const failures = [...lines.matchAll(/(\d+) (?:failed|failing|failures?|errors? in)\b|fail (\d+)/g)].some(
    ([, one, other]) => Number(one ?? other) > 0,
  );
  if (failures) return 'failed';
  if (proven === true) return 'passed';
  if (/^(?:--- FAIL|FAIL\b|FAILED\b|not ok \d)/m.test(text.slice(-4_000))) return 'failed';
  const isCut = /\|\s*head\b/.test(commandOf(call));
  if (isCut) return null;
  return lines !== '' || /^OK$|BUILD SUCCESS|All tests passed/m.test(text.slice(-4_000)) ? 'passed' : null;
}
