import type { SessionContent } from '../../domain/session.ts';
import type { MessageOrigin, SessionFacts } from '../../domain/transcript.ts';
import type { LeafTitle, Subagent } from '../../domain/transcript-structure.ts';
import { earlierTime, laterTime } from '../assemble/timestamp.ts';
import { findRow } from '../graph/uuid-table.ts';
import type { SessionState } from '../state.ts';

export function finishFacts(state: SessionState, subagents: readonly Subagent[]): SessionFacts {
  const { facts } = state;
  return {
    ...spanOf(state, subagents),
    title: facts.customTitle ?? facts.agentName ?? facts.aiTitle ?? summaryTitle(state),
    initialPrompt: facts.initialPrompt ?? (isTeammate(state) ? facts.firstTask : null),
    models: [...facts.models],
    // Claude Code deletes a session's own file before those of its sub-agents: then theirs are all that is left.
    cwds: facts.cwds.size > 0 ? [...facts.cwds] : listed(facts.agentCwd),
    gitBranches: facts.gitBranches.size > 0 ? [...facts.gitBranches] : listed(facts.agentBranch),
    versions: [...facts.versions],
    entrypoint: facts.entrypoint,
    permissionModes: [...facts.permissionModes],
    slug: [...facts.slugs][0] ?? null,
    foreignSessionIds: [...facts.foreignSessionIds],
    slugs: [...facts.slugs],
    teamName: state.threads[0]?.teamName ?? null,
    agentName: state.threads[0]?.agentName ?? null,
    lastPrompt: facts.lastPrompt,
    content: contentOf(state),
  };
}

/** A teammate with a session of its own; the lead of a team is named, too. */
export function isTeammate({ threads }: SessionState): boolean {
  const name = threads[0]?.agentName ?? null;
  return name !== null && name !== 'team-lead';
}

/**
 * From the earliest to the latest line of all files. Agents that no call started are left out: clients warm some up each
 * time a session is opened, days after its last line. Where the session's own file is gone, they are all there is.
 */
function spanOf({ facts }: SessionState, subagents: readonly Subagent[]): Pick<SessionFacts, 'startedAt' | 'endedAt'> {
  const counted = facts.startedAt === null ? subagents : subagents.filter(({ toolUseId }) => toolUseId !== null);
  let { startedAt, endedAt } = facts;
  for (const { stats } of counted) {
    startedAt = earlierTime(startedAt, stats.startedAt);
    endedAt = laterTime(endedAt, stats.endedAt);
  }
  return { startedAt, endedAt };
}

function listed(value: string | null): readonly string[] {
  return value === null ? [] : [value];
}

/** The last summary about this conversation; most summary lines are about others. */
function summaryTitle(state: SessionState): string | null {
  return state.facts.summaries.findLast((summary) => isOwnSummary(state, summary))?.text ?? null;
}

/** Titles of conversations that stand in other files. */
export function finishLeafTitles(state: SessionState): readonly LeafTitle[] {
  return state.facts.summaries.flatMap((summary) => {
    const { leafUuid, text } = summary;
    return leafUuid === null || isOwnSummary(state, summary) ? [] : [{ leafUuid, title: text }];
  });
}

function isOwnSummary({ uuids }: SessionState, { leafUuid }: { readonly leafUuid: string | null }): boolean {
  const row = leafUuid === null ? -1 : findRow(uuids, leafUuid);
  return row >= 0 && (uuids.line[row] as number) >= 0;
}

const ASKED: ReadonlySet<MessageOrigin> = new Set<MessageOrigin>(['human', 'queued', 'bash_input', 'teammate']);

function contentOf(state: SessionState): SessionContent {
  const { facts, messages, recordCount } = state;
  if (facts.summaryLines > 0 && facts.summaryLines === recordCount) return 'titles';
  const isAsked = messages.some(({ thread, origin, isWithdrawn }) => thread === 0 && !isWithdrawn && ASKED.has(origin));
  return isAsked || facts.initialPrompt !== null ? 'prompted' : 'unprompted';
}
