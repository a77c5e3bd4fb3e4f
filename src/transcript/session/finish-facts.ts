import type { SessionFacts } from '../../domain/transcript.ts';
import { findRow } from '../graph/uuid-table.ts';
import type { SessionState } from '../state.ts';

export function finishFacts(state: SessionState): SessionFacts {
  const { facts } = state;
  const { cwds, gitBranches, startedAt, endedAt } = facts.startedAt === null ? factsOfAgents(state) : facts;
  return {
    startedAt,
    endedAt,
    title: facts.customTitle ?? facts.agentName ?? facts.aiTitle ?? summaryTitle(state),
    initialPrompt: facts.initialPrompt ?? facts.initialCommand,
    models: [...facts.models],
    cwds: [...cwds],
    gitBranches: [...gitBranches],
    versions: [...facts.versions],
    entrypoint: facts.entrypoint,
    permissionModes: [...facts.permissionModes],
    slug: [...facts.slugs][0] ?? null,
    foreignSessionIds: [...facts.foreignSessionIds],
    slugs: [...facts.slugs],
    teamName: state.threads[0]?.teamName ?? null,
    agentName: state.threads[0]?.agentName ?? null,
    lastPrompt: facts.lastPrompt,
  };
}

/** Claude Code deletes a session's own file before those of its sub-agents: then they tell where and when it was. */
function factsOfAgents({ facts, messages }: SessionState) {
  const times = messages.flatMap(({ timestamp }) => timestamp ?? []).toSorted();
  return {
    startedAt: times[0] ?? null,
    endedAt: times.at(-1) ?? null,
    cwds: facts.cwds.size > 0 ? facts.cwds : listed(facts.agentCwd),
    gitBranches: facts.gitBranches.size > 0 ? facts.gitBranches : listed(facts.agentBranch),
  };
}

function listed(value: string | null): readonly string[] {
  return value === null ? [] : [value];
}

/** The last summary about this conversation; most summary lines are about others. A file of nothing else has it too. */
function summaryTitle({ facts, uuids, messages }: SessionState): string | null {
  const isOnlySummaries = messages.every((draft) => draft.messageType === 'summary');
  const own = facts.summaries.filter(({ leafUuid }) => {
    const row = leafUuid === null ? -1 : findRow(uuids, leafUuid);
    return row >= 0 && (uuids.line[row] as number) >= 0;
  });
  return own.at(-1)?.text ?? (isOnlySummaries ? (facts.summaries.at(-1)?.text ?? null) : null);
}
