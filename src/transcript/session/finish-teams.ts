import type { Subagent, Team, Teammate } from '../../domain/transcript-structure.ts';
import type { SessionState, TeamDraft } from '../state.ts';
import type { AgentReport } from '../tool/outcome.ts';

/** Teams that this session led, with the teammates it started. A teammate's own files are found by name. */
export function finishTeams(state: SessionState, subagents: readonly Subagent[]): readonly Team[] {
  const reports = [...state.toolCalls.values()].flatMap((call) => {
    const agent = call.outcome?.agent;
    return agent?.isTeammate === true ? [agent] : [];
  });
  const names = new Set([...state.teams.keys(), ...reports.flatMap((report) => teamOfReport(report) ?? [])]);
  return [...names].map((name) => {
    const draft = state.teams.get(name);
    return {
      name,
      description: draft?.description ?? null,
      leadAgentId: draft?.leadAgentId ?? null,
      createdAt: draft?.createdAt ?? null,
      endedAt: draft?.endedAt ?? null,
      members: membersOf(name, draft, reports, subagents),
    };
  });
}

function membersOf(
  team: string,
  draft: TeamDraft | undefined,
  reports: readonly AgentReport[],
  subagents: readonly Subagent[],
): readonly Teammate[] {
  const members = new Map<string, Teammate>();
  for (const report of reports) {
    if (teamOfReport(report) !== team) continue;
    const name = report.name ?? (report.agentId.split('@')[0] as string);
    members.set(name, {
      id: report.agentId,
      name,
      agentType: report.agentType,
      model: report.model,
      color: report.color,
      agentIds: subagents.filter((agent) => agent.name === name).map((agent) => agent.agentId),
      messagesReceived: draft?.messagesBySender.get(name) ?? 0,
    });
  }
  return [...members.values()];
}

function teamOfReport(report: AgentReport): string | null {
  return report.teamName ?? report.agentId.split('@')[1] ?? null;
}
