import type { Subagent, Team, Teammate } from '../../domain/transcript-structure.ts';
import type { SessionState, TeamTalk } from '../state.ts';
import type { AgentReport } from '../tool/outcome.ts';

/** Teams that this session led, with the teammates it started. A teammate's own files are found by name. */
export function finishTeams(state: SessionState, subagents: readonly Subagent[]): readonly Team[] {
  const reports = [...state.toolCalls.values()].flatMap(({ outcome, spawn }) => {
    const agent = outcome?.agent;
    // What was asked for: the client reports its own word for the type.
    return agent?.isTeammate === true ? [{ ...agent, agentType: spawn?.agentType ?? agent.agentType }] : [];
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
      members: membersOf(name, state.teamTalk, reports, subagents),
    };
  });
}

function membersOf(
  team: string,
  talk: TeamTalk,
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
      messagesSent: talk.sent.get(name) ?? talk.from.get(name) ?? 0,
      messagesReceived: talk.to.get(name) ?? 0,
    });
  }
  return [...members.values()];
}

function teamOfReport(report: AgentReport): string | null {
  return report.teamName ?? report.agentId.split('@')[1] ?? null;
}
