import type { JsonObject } from '../../domain/transcript.ts';
import { asNumber, asObject, asText } from '../read/json.ts';
import type { ToolOutcome } from './outcome.ts';

/** TaskOutput, BashOutput, KillShell, TaskStop: the state of a background task, with its exit code when it has ended. */
export function readTaskOutputResult(result: JsonObject, outcome: ToolOutcome): void {
  const task = asObject(result['task']) ?? result;
  outcome.exitCode = asNumber(task['exitCode']);
  const taskId = asText(task['task_id']) ?? asText(task['shellId']) ?? asText(task['shell_id']);
  if (taskId !== null) outcome.details['taskId'] = taskId;
  const status = asText(task['status']) ?? asText(result['retrieval_status']);
  if (status !== null) outcome.details['taskStatus'] = status;
}
