import { readInvocations, verbsOf } from '../domain/shell-command.ts';
import { FAILED } from '../domain/transcript-structure.ts';
import type { Entry, EntryOf } from './entry.ts';
import type { ToolCall } from './tool-call.ts';
import { inputField } from './tool-view.ts';

/** What happened after a call failed. */
export interface Aftermath {
  /** What the model said next. */
  readonly said: string | null;
  /** What the person said before it worked. */
  readonly asked: string | null;
  /** Files that were changed before it worked. */
  readonly changed: readonly string[];
  /** Further attempts that failed. */
  readonly failures: number;
  /** The attempt that worked; null if there is none among the entries. */
  readonly success: EntryOf<'tool'> | null;
}

/** Follows a conversation after a failed call until the same command or change worked. */
export function aftermathOf(failed: ToolCall, following: readonly Entry[]): Aftermath {
  const attempts = following.filter((entry) => entry.kind === 'tool' && isSameAttempt(failed, entry.call));
  const success = attempts.find((entry) => entry.kind === 'tool' && entry.call.outcome.status === 'ok') ?? null;
  const before = success === null ? following : following.slice(0, following.indexOf(success));
  const changes = before.flatMap((entry) => (entry.kind === 'tool' ? (changedFile(entry.call) ?? []) : []));
  const said = before.find((entry) => entry.kind === 'answer');
  const asked = before.find((entry) => entry.kind === 'prompt');
  return {
    said: said?.kind === 'answer' ? said.text : null,
    asked: asked?.kind === 'prompt' ? asked.text : null,
    changed: [...new Set(changes)],
    failures: attempts.filter((entry) => before.includes(entry) && hasFailed(entry)).length,
    success: success?.kind === 'tool' ? success : null,
  };
}

function hasFailed(entry: Entry): boolean {
  return entry.kind === 'tool' && entry.call.outcome.status === FAILED;
}

const WRITING: ReadonlySet<string | null> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);
const PATH_FIELDS = ['file_path', 'notebook_path', 'path'] as const;

function pathOf({ input }: ToolCall): string | null {
  return PATH_FIELDS.map((field) => inputField(input, field)).find((path) => path !== null) ?? null;
}

function changedFile(call: ToolCall): string | null {
  return WRITING.has(call.toolName) && call.outcome.status === 'ok' ? pathOf(call) : null;
}

/** The same command with any options, or a change of the same file with any tool. */
function isSameAttempt(one: ToolCall, other: ToolCall): boolean {
  if (WRITING.has(one.toolName) && WRITING.has(other.toolName)) return pathOf(one) === pathOf(other);
  if (one.toolName !== other.toolName) return false;
  if (one.toolName !== 'Bash') return (pathOf(one) ?? one.about) === (pathOf(other) ?? other.about);
  const tried = new Set(commandsOf(one));
  return commandsOf(other).some((command) => tried.has(command));
}

/** Programs that do not identify what was tried. */
const INCIDENTAL: ReadonlySet<string> = new Set(
  'cd echo printf cat head tail grep rg sed awk sort uniq wc tee sleep export set true false test ls pwd'.split(' '),
);

function commandsOf({ input, about }: ToolCall): readonly string[] {
  const invocations = readInvocations(inputField(input, 'command') ?? about);
  const telling = invocations.filter(({ program }) => !INCIDENTAL.has(program));
  return (telling.length === 0 ? invocations : telling).map(({ program, words }) =>
    [program, ...verbsOf(program, words)].join(' '),
  );
}
