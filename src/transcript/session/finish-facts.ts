import type { SessionContent } from '../../domain/session.ts';
import { TEAM_LEAD } from '../../domain/teammate-message.ts';
import type { AnomalyKind, JsonObject, JsonValue, MessageOrigin, SessionFacts } from '../../domain/transcript.ts';
import type {
  ClientCost,
  ClientModelCost,
  LeafTitle,
  Origins,
  SessionLink,
  Subagent,
} from '../../domain/transcript-structure.ts';
import { NANOS_PER_DOLLAR } from '../../domain/usage.ts';
import { earlierTime, laterTime } from '../assemble/timestamp.ts';
import type { Forest } from '../graph/branches.ts';
import { findRow } from '../graph/uuid-table.ts';
import { asCount, asNumber, asObject } from '../read/json.ts';
import type { SessionState } from '../state.ts';
import type { FinishedMessages, PriceUsage } from './finish-messages.ts';

export function finishFacts(state: SessionState, subagents: readonly Subagent[]): SessionFacts {
  const { facts } = state;
  return {
    ...spanOf(state, subagents),
    title: facts.customTitle ?? facts.agentName ?? facts.aiTitle ?? summaryTitle(state),
    initialPrompt: facts.initialPrompt ?? (isTeammate(state) ? facts.firstTask : null),
    models: [...facts.models],
    // Claude Code deletes a session's own file before those of its sub-agents, so theirs may be all that is left.
    cwds: [...(facts.cwds.size > 0 ? facts.cwds : facts.agentCwds)],
    gitBranches: [...(facts.gitBranches.size > 0 ? facts.gitBranches : facts.agentBranches)],
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

/** True for a teammate with its own session; the lead of a team has a name, too. */
function isTeammate({ threads }: SessionState): boolean {
  const name = threads[0]?.agentName ?? null;
  return name !== null && name !== TEAM_LEAD;
}

/**
 * From the earliest to the latest line of all files. Agents that no call started are left out, because clients warm
 * some up whenever a session is opened, even days after its last line. If the session's own file is gone, they are the
 * only source.
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

/** The last summary of this conversation; most summary lines are about others. */
function summaryTitle(state: SessionState): string | null {
  return state.facts.summaries.findLast((summary) => isOwnSummary(state, summary))?.text ?? null;
}

/** Titles of conversations in other files. */
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

export function finishOrigins({ sessionId, descent }: SessionState): Origins {
  const { leadMs, clearedAt, leftAt, processIds } = descent;
  return { leadMs, clearedAt, leftAt, processSessionId: [...processIds].find((id) => id !== sessionId) ?? null };
}

/** Links found in the lines, corrected by comparing sessions. */
export function finishLinks(state: SessionState): readonly SessionLink[] {
  const { links, descent, messages } = state;
  const { lineage } = descent;
  const said: readonly SessionLink[] = [...links.values()];
  if (lineage === null) return [...said, ...clearedByProcess(state)];
  const { parentId, isCertain, inheritedThrough, clearedFrom } = lineage;
  const cleared: readonly SessionLink[] =
    clearedFrom === null ? [] : [{ kind: 'cleared', sessionId: clearedFrom, uuid: null, lines: 0 }];
  if (parentId === null) return [...said, ...cleared];
  const isBranch = said.some(({ kind, sessionId }) => kind === 'branched' && sessionId === parentId);
  // Lines that kept the parent's id say the same, less precisely; those of its own parents are linked from there.
  const isKnown = (id: string) => id === parentId || descent.requesters.has(id);
  const others = said.filter(({ kind, sessionId }) => kind !== 'copied' || !isKnown(sessionId));
  if (isBranch) return [...others, ...cleared];
  const lines = messages.filter(({ isInherited }) => isInherited).reduce((sum, draft) => sum + draft.lines.length, 0);
  const kind = isCertain ? 'forked' : 'shared';
  return [...others, { kind, sessionId: parentId, uuid: inheritedThrough, lines }, ...cleared];
}

/** Without other sessions to compare with: a process that was started with another session and did not copy it. */
function clearedByProcess(state: SessionState): readonly SessionLink[] {
  const { processSessionId } = finishOrigins(state);
  const isBranched = [...state.links.values()].some(({ kind }) => kind === 'branched' || kind === 'copied');
  if (processSessionId === null || isBranched || state.descent.processIds.has(state.sessionId)) return [];
  return [{ kind: 'cleared', sessionId: processSessionId, uuid: null, lines: 1 }];
}

/** The client's own cost figures, shown beside ours. */
export function finishClientCost({ costs }: SessionState): ClientCost | null {
  const { state, lineCostNanos } = costs;
  if (state === null && lineCostNanos === null) return null;
  return {
    costNanos: nanos(state?.['totalCostUSD']),
    lineCostNanos,
    apiDurationMs: asNumber(state?.['totalAPIDuration']),
    durationMs: asNumber(state?.['totalDuration']),
    linesAdded: asCount(state?.['totalLinesAdded']),
    linesRemoved: asCount(state?.['totalLinesRemoved']),
    hasUnknownModelCost: state?.['hasUnknownModelCost'] === true,
    models: modelCosts(asObject(state?.['modelUsage'])),
  };
}

function modelCosts(usage: JsonObject | null): readonly ClientModelCost[] {
  return Object.entries(usage ?? {}).map(([model, value]) => {
    const row = asObject(value) ?? {};
    const written = asCount(row['cacheCreationInputTokens']) ?? 0;
    const cacheWrite1h = Math.min(asCount(row['cacheCreationEphemeral1hInputTokens']) ?? 0, written);
    return {
      model,
      tokens: {
        input: asCount(row['inputTokens']) ?? 0,
        output: asCount(row['outputTokens']) ?? 0,
        cacheRead: asCount(row['cacheReadInputTokens']) ?? 0,
        cacheWrite5m: written - cacheWrite1h,
        cacheWrite1h,
      },
      costNanos: nanos(row['costUSD']),
    };
  });
}

function nanos(dollars: JsonValue | undefined): number | null {
  const value = asNumber(dollars);
  if (value === null || value < 0) return null;
  return Math.min(Math.round(value * NANOS_PER_DOLLAR), Number.MAX_SAFE_INTEGER);
}

/** Anomalies of single lines, and those visible only in the whole session. */
export function finishAnomalies(
  state: SessionState,
  forest: Forest,
  { messages }: FinishedMessages,
  price: PriceUsage | null,
): ReadonlyMap<AnomalyKind, number> {
  const calls = [...state.toolCalls.values()];
  const counted = messages.filter((message) => message.usage !== null);
  const late: readonly (readonly [AnomalyKind, number])[] = [
    ['unpaired_tool_result', calls.filter((call) => call.uses === 0).length],
    ['unpaired_tool_use', calls.filter((call) => call.results === 0).length],
    ['parent_cycle', forest.cycles],
    ['orphan_parent', forest.absentParents],
    ['undercounted_usage', counted.filter((message) => message.metadata['undercounted'] === true).length],
    ['unknown_model', price === null ? 0 : counted.filter((message) => message.costNanos === null).length],
  ];
  const all = new Map(state.anomalies);
  for (const [kind, count] of late) if (count > 0) all.set(kind, count);
  return all;
}
