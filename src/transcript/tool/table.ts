import type { JsonObject } from '../../domain/transcript.ts';
import { readAgentResult } from './agent.ts';
import { readShellResult } from './bash.ts';
import { readEditResult } from './edit.ts';
import { readNotebookResult } from './notebook-edit.ts';
import { readOtherResult } from './other.ts';
import type { ResultReader } from './outcome.ts';
import { readPlanResult } from './plan.ts';
import { readReadResult } from './read.ts';
import { readSearchResult } from './search.ts';
import { readTaskOutputResult } from './task-output.ts';
import { readFetchResult, readSearchTheWebResult } from './web.ts';
import { readWriteResult } from './write.ts';

/** Which shape a tool's result has. Names change over the years; shapes less. */
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
  ['WebSearch', readSearchTheWebResult],
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

/** The reader for a tool; where the call is not in the files, the keys of the result tell the shape. */
export function resultReaderOf(name: string | null, result: JsonObject): ResultReader {
  if (name !== null) return READERS.get(name) ?? readOtherResult;
  if (result['structuredPatch'] !== undefined)
    return result['oldString'] === undefined ? readWriteResult : readEditResult;
  if (result['stdout'] !== undefined && result['interrupted'] !== undefined) return readShellResult;
  if (result['agentId'] !== undefined && result['prompt'] !== undefined) return readAgentResult;
  if (result['file'] !== undefined) return readReadResult;
  return result['filenames'] === undefined ? readOtherResult : readSearchResult;
}
