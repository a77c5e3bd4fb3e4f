import type { JsonObject } from '../../domain/transcript.ts';
import { asCount, asNumber, asText } from '../read/json.ts';
import type { ToolOutcome } from './outcome.ts';

/**
 * Task, Agent: a finished agent {status completed, agentId, totalTokens, …}, one in the background {status
 * async_launched, agentId, outputFile} or a teammate {status teammate_spawned, agent_id name@team, …}.
 */
export function readAgentResult(result: JsonObject, outcome: ToolOutcome): void {
  const status = asText(result['status']);
  outcome.isBackground = result['isAsync'] === true || status === 'async_launched' || status === 'teammate_spawned';
  outcome.isInterrupted = result['wasInterrupted'] === true;
  outcome.durationMs = outcome.isBackground ? null : asNumber(result['totalDurationMs']);
  const agentId = asText(result['agentId']) ?? asText(result['agent_id']) ?? asText(result['teammate_id']);
  if (agentId === null) return;
  outcome.agent = {
    agentId,
    isTeammate: status === 'teammate_spawned' || asText(result['teammate_id']) !== null,
    status,
    model: asText(result['resolvedModel']) ?? asText(result['model']),
    agentType: asText(result['agentType']) ?? asText(result['agent_type']),
    teamName: asText(result['team_name']),
    name: asText(result['name']),
    color: asText(result['color']),
    tokens: asCount(result['totalTokens']),
    toolUses: asCount(result['totalToolUseCount']),
    durationMs: asNumber(result['totalDurationMs']),
    worktreePath: asText(result['worktreePath']),
    worktreeBranch: asText(result['worktreeBranch']),
  };
}
