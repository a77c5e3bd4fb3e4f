import type { FileWork, SummaryInput } from '../domain/summary.ts';
import { groupCommands } from './command-groups.ts';
import { count, enumerate, quoted } from './phrases.ts';
import { cutWords } from './plain-text.ts';

const MAX_FILES = 50;
const MAX_PATH_CHARS = 80;

/** Files that were written, most changed first, as seen from the folder of the session. */
export function describeFiles({ files, cwd }: SummaryInput): readonly string[] {
  return files
    .filter(({ writes }) => writes > 0)
    .toSorted((a, b) => linesOf(b) - linesOf(a))
    .slice(0, MAX_FILES)
    .map(
      (file) =>
        `${shortPath(file.path, cwd)}${linesOf(file) === 0 ? '' : ` (+${file.linesAdded} −${file.linesRemoved})`}`,
    );
}

const linesOf = ({ linesAdded, linesRemoved }: FileWork) => linesAdded + linesRemoved;

function shortPath(path: string, cwd: string | null): string {
  const isInside = cwd !== null && path.startsWith(cwd) && /[\\/]/.test(path.charAt(cwd.length));
  const inside = isInside ? path.slice(cwd.length + 1) : path;
  return inside.length <= MAX_PATH_CHARS ? inside : `…${inside.slice(-MAX_PATH_CHARS)}`;
}

export function describeHelpers({ helpers }: SummaryInput): readonly string[] {
  const known = helpers.filter(({ name, type, description }) => name ?? type ?? description);
  return known.map(({ name, type, description, status }) => {
    const who = name ?? type ?? 'agent';
    const what = description ? ` ${quoted(cutWords(description, 60))}` : '';
    return `${who}${what}${status === null || status === 'completed' ? '' : ` (${status})`}`;
  });
}

/** What went wrong on the way: commands, tools, refusals, the API. */
export function describeErrors(input: SummaryInput): readonly string[] {
  const failed = groupCommands(input.commands.filter(({ status }) => status === 'error')).map(({ label }) => label);
  const failures = input.commands.filter(({ status }) => status === 'error').length;
  const tools = input.tools.filter(({ name, status }) => status === 'error' && name !== 'Bash');
  const denied = input.tools.filter(({ status }) => status === 'denied').reduce((sum, tool) => sum + tool.count, 0);
  const calls = tools.reduce((sum, tool) => sum + tool.count, 0);
  return [
    ...(failures === 0
      ? []
      : [`${count(failures, 'command')} failed${failed.length === 0 ? '' : ` (${enumerate(failed, 3)})`}`]),
    ...(calls === 0
      ? []
      : [`${count(calls, 'tool call')} failed (${enumerate([...new Set(tools.map(({ name }) => name))], 3)})`]),
    ...(denied === 0 ? [] : [`${count(denied, 'tool call')} refused`]),
    ...input.apiErrors.map(
      (error) => `the API failed with ${error.what || 'an error'}${error.count === 1 ? '' : ` (${error.count} times)`}`,
    ),
  ];
}
