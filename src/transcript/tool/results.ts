import { SECOND_MS } from '../../domain/durations.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import type { FileTouch, GitOperation, PersistedOutputRef } from '../../domain/transcript-structure.ts';
import { asCount, asList, asNumber, asObject, asText } from '../read/json.ts';
import { countLines, countPatch } from './file-changes.ts';
import { persistedRef } from './persisted-output.ts';
import { readAgentResult } from './tasks.ts';

/** Facts of a result beyond its text. Filled in by the reader for the tool's result shape. */
export interface ToolOutcome {
  exitCode: number | null;
  durationMs: number | null;
  isBackground: boolean;
  isInterrupted: boolean;
  /** The call wrote a file that existed; how many lines that changed is unknown. */
  isOverwritten: boolean;
  agent: AgentReport | null;
  persistedOutput: PersistedOutputRef | null;
  readonly files: FileTouch[];
  readonly git: Omit<GitOperation, 'toolUseId'>[];
  /** Small facts to show; the keys are ours. */
  readonly details: { [key: string]: JsonValue };
}

/** Facts about an agent from the result of its call. */
export interface AgentReport {
  readonly agentId: string;
  readonly isTeammate: boolean;
  readonly status: string | null;
  readonly model: string | null;
  readonly agentType: string | null;
  readonly teamName: string | null;
  readonly name: string | null;
  readonly color: string | null;
  readonly tokens: number | null;
  readonly toolUses: number | null;
  readonly durationMs: number | null;
  readonly worktreePath: string | null;
  readonly worktreeBranch: string | null;
}

type ResultReader = (result: JsonObject, outcome: ToolOutcome) => void;

export function createOutcome(): ToolOutcome {
  return {
    exitCode: null,
    durationMs: null,
    isBackground: false,
    isInterrupted: false,
    isOverwritten: false,
    agent: null,
    persistedOutput: null,
    files: [],
    git: [],
    details: {},
  };
}

/** Bash, PowerShell: {stdout, stderr, interrupted, …}. A failed command has a string with its exit code instead. */
function readShellResult(result: JsonObject, outcome: ToolOutcome): void {
  outcome.isInterrupted = result['interrupted'] === true;
  const taskId = asText(result['backgroundTaskId']);
  if (taskId !== null) {
    outcome.isBackground = true;
    outcome.details['taskId'] = taskId;
  }
  const interpretation = asText(result['returnCodeInterpretation']);
  if (interpretation !== null) outcome.details['returnCode'] = interpretation;
  else if (!outcome.isBackground && !outcome.isInterrupted) outcome.exitCode = 0;
  addDetails(outcome, { timedOutAfterMs: asNumber(result['timedOutAfterMs']) });
  const path = asText(result['persistedOutputPath']);
  if (path !== null) outcome.persistedOutput = persistedRef(path, asCount(result['persistedOutputSize']));
  outcome.git.push(...gitOperations(asObject(result['gitOperation'])));
}

type Operation = Omit<GitOperation, 'toolUseId'>;

function gitOperations(git: JsonObject | null): readonly Operation[] {
  return (['commit', 'push', 'branch', 'pr'] as const).flatMap((kind) => {
    const about = asObject(git?.[kind]);
    if (about === null) return [];
    return [
      {
        kind,
        action: asText(about[kind === 'commit' ? 'kind' : 'action']),
        sha: asText(about['sha']),
        branch: asText(about['branch']) ?? asText(about['ref']),
        url: asText(about['url']),
        number: asCount(about['number']),
      },
    ];
  });
}

function addDetails(outcome: ToolOutcome, details: Readonly<Record<string, string | number | null>>): void {
  for (const [key, value] of Object.entries(details)) if (value !== null) outcome.details[key] = value;
}

/** Read: {type text|image|pdf|notebook|file_unchanged, file{filePath, numLines, startLine, totalLines}}. */
function readReadResult(result: JsonObject, outcome: ToolOutcome): void {
  const file = asObject(result['file']);
  const path = asText(file?.['filePath']) ?? asText(result['filePath']);
  if (path !== null) outcome.files.push({ path, action: 'read', linesAdded: 0, linesRemoved: 0 });
  addDetails(outcome, { lines: asCount(file?.['numLines']) });
}

/**
 * Write: {type create|update, filePath, content, structuredPatch}. A new file has no patch; its lines come from the
 * input.
 */
function readWriteResult(result: JsonObject, outcome: ToolOutcome): void {
  const path = asText(result['filePath']);
  if (path === null) return;
  const isNew = result['type'] === 'create';
  const counted = countPatch(result['structuredPatch']);
  if (counted === null && isNew) return;
  outcome.files.push({ path, action: isNew ? 'create' : 'edit', ...(counted ?? { linesAdded: 0, linesRemoved: 0 }) });
}

/** Edit, MultiEdit: {filePath, oldString, newString, originalFile, structuredPatch, userModified, …}. */
function readEditResult(result: JsonObject, outcome: ToolOutcome): void {
  const path = asText(result['filePath']);
  if (path === null) return;
  const counted = countPatch(result['structuredPatch']) ?? { linesAdded: 0, linesRemoved: 0 };
  outcome.files.push({ path, action: 'edit', ...counted });
  if (result['userModified'] === true) outcome.details['userModified'] = true;
}

/**
 * NotebookEdit: {notebook_path, new_source, edit_mode replace|insert|delete, …}; without the old cell to compare with.
 */
function readNotebookResult(result: JsonObject, outcome: ToolOutcome): void {
  const path = asText(result['notebook_path']) ?? asText(result['filePath']);
  if (path === null) return;
  const source = asText(result['new_source']) ?? '';
  const linesAdded = result['edit_mode'] === 'delete' ? 0 : countLines(source);
  outcome.files.push({ path, action: 'edit', linesAdded, linesRemoved: 0 });
}

/** Glob, Grep, LS: {filenames, numFiles, numLines, numMatches, durationMs, truncated}. */
function readSearchResult(result: JsonObject, outcome: ToolOutcome): void {
  outcome.durationMs = asNumber(result['durationMs']);
  for (const key of ['numFiles', 'numLines', 'numMatches']) addDetails(outcome, { [key]: asCount(result[key]) });
  if (result['truncated'] === true) outcome.details['truncated'] = true;
}

/** WebFetch: {bytes, code, codeText, durationMs, result, url}. */
function readFetchResult(result: JsonObject, outcome: ToolOutcome): void {
  outcome.durationMs = asNumber(result['durationMs']);
  const { code, bytes, url } = result;
  addDetails(outcome, { httpStatus: asCount(code), bytes: asCount(bytes), url: asText(url) });
}

/** WebSearch: {durationSeconds, query, results}. */
function readWebSearchResult(result: JsonObject, outcome: ToolOutcome): void {
  const seconds = asNumber(result['durationSeconds']);
  outcome.durationMs = seconds === null ? null : Math.round(seconds * SECOND_MS);
  addDetails(outcome, { query: asText(result['query']) });
}

/** TaskOutput, BashOutput, KillShell, TaskStop: state of a background task, with its exit code once it has ended. */
function readTaskOutputResult(result: JsonObject, outcome: ToolOutcome): void {
  const task = asObject(result['task']) ?? result;
  outcome.exitCode = asNumber(task['exitCode']);
  addDetails(outcome, {
    taskId: asText(task['task_id']) ?? asText(task['shellId']) ?? asText(task['shell_id']),
    taskStatus: asText(task['status']) ?? asText(result['retrieval_status']),
  });
}

/** ExitPlanMode: {plan, filePath, isAgent}; present only if the plan was approved, or was sent to the lead of a team. */
function readPlanResult(result: JsonObject, outcome: ToolOutcome): void {
  addDetails(outcome, { planFile: asText(result['filePath']) });
  outcome.details['approved'] = result['awaitingLeaderApproval'] !== true;
}

/** Short texts of any result to show beside the call. */
const SHOWN = [
  'commandName',
  'taskId',
  'status',
  'query',
  'runId',
  'workflowName',
  'url',
  'resumedAgentId',
  'team_name',
];
const MAX_SHOWN_CHARS = 256;

/** Any other result: duration and a few common fields. */
function readOtherResult(result: JsonObject, outcome: ToolOutcome): void {
  outcome.durationMs = asNumber(result['durationMs']);
  for (const key of SHOWN) {
    const text = asText(result[key]);
    if (text !== null && text.length <= MAX_SHOWN_CHARS) outcome.details[key] = text;
  }
}

/** Result shape of each tool. Names change more often than shapes. */
const READERS: ReadonlyMap<string, ResultReader> = new Map<string, ResultReader>([
  ['Bash', readShellResult],
  ['PowerShell', readShellResult],
  ['Edit', readEditResult],
  ['MultiEdit', readEditResult],
  ['Write', readWriteResult],
  ['NotebookEdit', readNotebookResult],
  ['Read', readReadResult],
  ['NotebookRead', readReadResult],
  ['Glob', readSearchResult],
  ['Grep', readSearchResult],
  ['LS', readSearchResult],
  ['WebFetch', readFetchResult],
  ['WebSearch', readWebSearchResult],
  ['Task', readAgentResult],
  ['Agent', readAgentResult],
  ['TaskOutput', readTaskOutputResult],
  ['BashOutput', readTaskOutputResult],
  ['AgentOutputTool', readTaskOutputResult],
  ['TaskStop', readTaskOutputResult],
  ['KillShell', readTaskOutputResult],
  ['KillBash', readTaskOutputResult],
  ['ExitPlanMode', readPlanResult],
  ['exit_plan_mode', readPlanResult],
]);

const BACKGROUND = /^Command [^\n]{1,100}\bbackground\b[^\n]{0,20}\bID: ([\w-]{1,64})/;
const OVERWRITTEN = /^The file .* has been updated/;

/** What a result without its structured form says, as in files of sub-agents. */
export function readResultText(name: string | null, text: string, outcome: ToolOutcome): void {
  if (name === 'Bash' || name === 'PowerShell') {
    const taskId = BACKGROUND.exec(text)?.[1];
    outcome.isBackground = taskId !== undefined;
    if (taskId !== undefined) outcome.details['taskId'] = taskId;
  }
  outcome.isOverwritten = name === 'Write' && OVERWRITTEN.test(text);
}

/** The reader for a tool; if the call is missing or the tool is unknown, the keys of the result determine the shape. */
export function resultReaderOf(name: string | null, result: JsonObject): ResultReader {
  const reader = READERS.get(name ?? '');
  if (reader !== undefined) return reader;
  if (result['structuredPatch'] !== undefined)
    return result['oldString'] === undefined ? readWriteResult : readEditResult;
  if (result['stdout'] !== undefined && result['interrupted'] !== undefined) return readShellResult;
  if (result['agentId'] !== undefined && result['prompt'] !== undefined) return readAgentResult;
  if (result['file'] !== undefined) return readReadResult;
  return result['filenames'] === undefined ? readOtherResult : readSearchResult;
}

/** Longer patches and error outputs are left out; the archive has them. */
const MAX_CHARS = 64 * 1024;

/** Parts of a structured result that its text lacks: the patch of an edit, and the error output of a command. */
export function shownParts(structured: JsonValue | undefined): JsonObject {
  const result = asObject(structured);
  if (result === null) return {};
  const patch = readPatch(result['structuredPatch']);
  const stderr = asText(result['stderr'])?.trim() ?? '';
  return {
    ...(patch.length > 0 && { patch }),
    ...(stderr !== '' && stderr.length <= MAX_CHARS && { stderr }),
  };
}

function readPatch(value: JsonValue | undefined): readonly JsonObject[] {
  const hunks = (asList(value) ?? []).flatMap((each) => readHunk(asObject(each)));
  const chars = hunks.reduce((sum, { lines }) => sum + lines.reduce((all, line) => all + line.length + 1, 0), 0);
  return chars <= MAX_CHARS ? hunks : [];
}

function readHunk(hunk: JsonObject | null) {
  const lines = (asList(hunk?.['lines']) ?? []).filter((line) => typeof line === 'string');
  if (hunk === null || lines.length === 0) return [];
  return [{ oldStart: asCount(hunk['oldStart']) ?? 0, newStart: asCount(hunk['newStart']) ?? 0, lines }];
}
