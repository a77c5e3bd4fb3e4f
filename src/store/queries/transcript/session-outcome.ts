import { commandText } from '../../../domain/client-tags.ts';
import { comparableId } from '../../../domain/ownership.ts';
import type { ParsedSession, TranscriptMessage } from '../../../domain/transcript.ts';
import type { LinkKind, TouchedFile } from '../../../domain/transcript-structure.ts';
import { addSafely, type Usage } from '../../../domain/usage.ts';
import { cleanCount, cleanJson, cleanTextOrNull, cleanTime, cutText, indexKeyOrNull } from '../../text.ts';
import { structureMetadata } from './structure-rows.ts';

/** What a parse says about the session itself, beside its rows. Plain values: they may come from another thread. */
export interface SessionOutcome {
  readonly sessionId: string;
  readonly parserVersion: number;
  /** A line has a timestamp. */
  readonly isDated: boolean;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly durationMs: number | null;
  readonly prompt: string | null;
  readonly clientTitle: string | null;
  readonly promptTitle: string | null;
  /** The first working directory. */
  readonly cwd: string | null;
  /** Models of priced messages. */
  readonly models: readonly string[];
  readonly columns: ReturnType<typeof factColumns>;
  readonly origin: SessionOrigin;
}

/** The ancestry that the lines of a session state, as columns. */
export type SessionOrigin = ReturnType<typeof originColumns>;

const MAX_PROMPT_CHARS = 1_000;
const MAX_TITLE_CHARS = 300;

export function outcomeOf(parsed: ParsedSession): SessionOutcome {
  const { facts, stats, messages } = parsed;
  const prompt = facts.initialPrompt === null ? null : cutText(facts.initialPrompt, MAX_PROMPT_CHARS).text;
  const models = messages.flatMap(({ usage, model }) => (usage === null || model === null ? [] : [model]));
  return {
    sessionId: parsed.sessionId,
    parserVersion: parsed.parserVersion,
    isDated: facts.startedAt !== null,
    startedAt: cleanTime(facts.startedAt),
    endedAt: cleanTime(facts.endedAt),
    durationMs: stats.durationMs,
    prompt,
    clientTitle: titleOf(facts.title),
    promptTitle: titleOf(prompt && commandText(prompt)),
    cwd: facts.cwds[0] ?? null,
    models: [...new Set(models)],
    columns: factColumns(parsed),
    origin: originColumns(parsed),
  };
}

function originColumns({ sessionId, messages, origins }: ParsedSession) {
  const first = messages.find(({ agentId, uuid }) => agentId === null && uuid !== null);
  return {
    first_message_id: indexKeyOrNull(first === undefined ? null : comparableId(sessionId, first)),
    lead_ms: origins.leadMs,
    cleared_at: cleanTime(origins.clearedAt),
    left_at: cleanTime(origins.leftAt),
    process_session_id: indexKeyOrNull(origins.processSessionId),
  };
}

/** Reduces a title to one line; null when nothing remains. */
function titleOf(text: string | null): string | null {
  const line = text?.replaceAll(/\s+/g, ' ').trim();
  return line ? cutText(line, MAX_TITLE_CHARS).text : null;
}

/** Columns of the session row that follow from the parse alone. */
function factColumns(parsed: ParsedSession) {
  const { facts, stats } = parsed;
  return {
    content: facts.content,
    cwd: cleanTextOrNull(facts.cwds[0]),
    git_branch: cleanTextOrNull(facts.gitBranches[0]),
    model: cleanTextOrNull(facts.models[0]),
    models: cleanJson(facts.models),
    team_name: cleanTextOrNull(facts.teamName),
    agent_name: cleanTextOrNull(facts.agentName),
    ...requestColumns(parsed.messages),
    cc_version: cleanTextOrNull(facts.versions.at(-1)),
    total_messages: stats.totalMessages,
    user_messages: stats.userMessages,
    assistant_messages: stats.assistantMessages,
    tool_use_count: stats.toolUseCount,
    thinking_blocks: stats.thinkingBlocks,
    subagent_count: stats.subagentCount,
    ...changedLines(parsed),
    unknown_models: cleanJson(stats.unknownModels),
    lines: cleanJson(parsed.lines),
    anomalies: cleanJson(Object.fromEntries(parsed.anomalies)),
    metadata: cleanJson(sessionMetadata(parsed)),
  };
}

/** Null for a session that touched no file. */
function changedLines({ touchedFiles }: ParsedSession) {
  const sum = (pick: (file: TouchedFile) => number) =>
    touchedFiles.length === 0 ? null : touchedFiles.reduce((total, file) => addSafely(total, pick(file)), 0);
  return {
    lines_added: sum(({ linesAdded }) => linesAdded),
    lines_removed: sum(({ linesRemoved }) => linesRemoved),
  };
}

/** API request settings over the whole session. */
function requestColumns(messages: readonly TranscriptMessage[]) {
  const usages = messages.flatMap(({ usage }) => usage ?? []);
  const named = (pick: (usage: Usage) => string | null) =>
    cleanJson([...new Set(usages.flatMap((usage) => pick(usage) || []))]);
  return {
    service_tiers: named(({ serviceTier }) => serviceTier),
    speeds: named(({ speed }) => speed),
    inference_geos: named(({ inferenceGeo }) => inferenceGeo),
    web_searches: cleanCount(usages.reduce((sum, { webSearches }) => sum + webSearches, 0)),
    web_fetches: cleanCount(usages.reduce((sum, { webFetches }) => sum + webFetches, 0)),
  };
}

/** Links that describe how a session started. */
const BEGINNINGS: ReadonlySet<LinkKind> = new Set<LinkKind>(['forked', 'branched', 'shared', 'cleared']);

function sessionMetadata(parsed: ParsedSession): Record<string, unknown> {
  const { facts } = parsed;
  return {
    ...structureMetadata(parsed),
    cwds: facts.cwds,
    git_branches: facts.gitBranches,
    versions: facts.versions,
    entrypoint: facts.entrypoint,
    permission_modes: facts.permissionModes,
    slug: facts.slug,
    slugs: facts.slugs,
    foreign_session_ids: facts.foreignSessionIds,
    began_from: parsed.links
      .filter(({ kind }) => BEGINNINGS.has(kind))
      .map(({ kind, sessionId }) => ({ kind, session_id: sessionId })),
    inherited_messages: parsed.messages.filter(({ isInherited }) => isInherited).length,
  };
}
