import type { GitOperation } from '../../domain/transcript-structure.ts';
import type { JsonObject } from '../../domain/transcript.ts';
import { asCount, asNumber, asObject, asText } from '../read/json.ts';
import type { ToolOutcome } from './outcome.ts';
import { persistedRef } from './persisted-output.ts';

/** Bash, PowerShell: {stdout, stderr, interrupted, …}. A failed command comes as a string instead, with its exit code. */
export function readShellResult(result: JsonObject, outcome: ToolOutcome): void {
  outcome.isInterrupted = result['interrupted'] === true;
  const taskId = asText(result['backgroundTaskId']);
  if (taskId !== null) {
    outcome.isBackground = true;
    outcome.details['taskId'] = taskId;
  }
  const interpretation = asText(result['returnCodeInterpretation']);
  if (interpretation !== null) outcome.details['returnCode'] = interpretation;
  else if (!outcome.isBackground && !outcome.isInterrupted) outcome.exitCode = 0;
  const timeoutMs = asNumber(result['timedOutAfterMs']);
  if (timeoutMs !== null) outcome.details['timedOutAfterMs'] = timeoutMs;
  const path = asText(result['persistedOutputPath']);
  if (path !== null) outcome.persistedOutput = persistedRef(path, asCount(result['persistedOutputSize']));
  outcome.git.push(...gitOperations(asObject(result['gitOperation'])));
}

type Operation = Omit<GitOperation, 'toolUseId'>;

function gitOperations(git: JsonObject | null): readonly Operation[] {
  if (git === null) return [];
  const found: Operation[] = [];
  const commit = asObject(git['commit']);
  if (commit !== null) found.push(operation('commit', commit, 'kind'));
  const push = asObject(git['push']);
  if (push !== null) found.push(operation('push', push, 'action'));
  const branch = asObject(git['branch']);
  if (branch !== null) found.push(operation('branch', branch, 'action'));
  const pr = asObject(git['pr']);
  if (pr !== null) found.push(operation('pr', pr, 'action'));
  return found;
}

function operation(kind: Operation['kind'], about: JsonObject, actionKey: string): Operation {
  return {
    kind,
    action: asText(about[actionKey]),
    sha: asText(about['sha']),
    branch: asText(about['branch']) ?? asText(about['ref']),
    url: asText(about['url']),
    number: asCount(about['number']),
  };
}
