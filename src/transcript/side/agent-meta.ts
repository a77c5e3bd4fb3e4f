import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { pickFlag, pickNumber, pickText } from './pick.ts';
import { isObject, readSideJson, type CountProblem, type SideInput, type SideResult } from './side-file.ts';

/** `subagents/agent-<id>.meta.json`, from 2.1.80: what a sub-agent is and which call started it. */
export interface AgentMeta {
  readonly agentType: string | null;
  readonly description: string | null;
  /** The `tool_use` that started it. */
  readonly toolUseId: string | null;
  readonly parentAgentId: string | null;
  readonly spawnDepth: number | null;
  readonly isBuiltIn: boolean | null;
  readonly isFork: boolean | null;
  readonly finished: boolean | null;
  readonly model: string | null;
  readonly name: string | null;
  readonly teamName: string | null;
  readonly taskKind: string | null;
  readonly workflowPhase: string | null;
  readonly worktreePath: string | null;
  readonly worktreeBranch: string | null;
  /** The whole file. */
  readonly raw: JsonObject;
}

export function readAgentMeta(input: SideInput): SideResult<AgentMeta | null> {
  return readSideJson<AgentMeta | null>(input, null, agentMetaOf);
}

/** As `readAgentMeta`, for a value that is already parsed. */
export function agentMetaOf(value: JsonValue, count: CountProblem = () => {}): AgentMeta | null {
  if (!isObject(value)) {
    count('wrong_shape');
    return null;
  }
  return {
    agentType: pickText(value, 'agentType'),
    description: pickText(value, 'description'),
    toolUseId: pickText(value, 'toolUseId'),
    parentAgentId: pickText(value, 'parentAgentId'),
    spawnDepth: pickNumber(value, 'spawnDepth'),
    isBuiltIn: pickFlag(value, 'isBuiltIn'),
    isFork: pickFlag(value, 'isFork'),
    finished: pickFlag(value, 'finished'),
    model: pickText(value, 'model'),
    name: pickText(value, 'name'),
    teamName: pickText(value, 'teamName'),
    taskKind: pickText(value, 'taskKind'),
    workflowPhase: pickText(value, 'workflowPhase'),
    worktreePath: pickText(value, 'worktreePath'),
    worktreeBranch: pickText(value, 'worktreeBranch'),
    raw: value,
  };
}
