import type { SessionFacts } from '../../domain/transcript.ts';
import { findRow } from '../graph/uuid-table.ts';
import type { SessionState } from '../state.ts';

export function finishFacts(state: SessionState): SessionFacts {
  const { facts } = state;
  return {
    startedAt: facts.startedAt,
    endedAt: facts.endedAt,
    title: facts.customTitle ?? facts.agentName ?? facts.aiTitle ?? summaryTitle(state),
    initialPrompt: facts.initialPrompt ?? facts.initialCommand,
    models: [...facts.models],
    cwds: [...facts.cwds],
    gitBranches: [...facts.gitBranches],
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

/** The last summary about this conversation; most summary lines are about others. A file of nothing else has it too. */
function summaryTitle({ facts, uuids, messages }: SessionState): string | null {
  const isOnlySummaries = messages.every((draft) => draft.messageType === 'summary');
  const own = facts.summaries.filter(({ leafUuid }) => {
    const row = leafUuid === null ? -1 : findRow(uuids, leafUuid);
    return row >= 0 && (uuids.line[row] as number) >= 0;
  });
  return own.at(-1)?.text ?? (isOnlySummaries ? (facts.summaries.at(-1)?.text ?? null) : null);
}
