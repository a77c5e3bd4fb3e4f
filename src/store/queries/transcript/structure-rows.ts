import type { CheckedSession, ParsedSession } from '../../../domain/transcript.ts';
import type { ToolCall } from '../../../domain/transcript-structure.ts';
import { toSnakeCase } from '../../../lib/snake-case.ts';
import type { SqlValue, TableName } from '../../engine.ts';
import {
  cleanCount,
  cleanDuration,
  cleanJson,
  cleanText,
  cleanTextOrNull,
  cleanTime,
  cutText,
  indexKey,
  indexKeyOrNull,
} from '../../text.ts';

type StructureRow = Readonly<Record<string, SqlValue>>;

const MAX_TEXT_CHARS = 4_000;
const MAX_TITLE_CHARS = 300;
const shortText = (text: string | null) => (text === null ? null : cutText(text, MAX_TEXT_CHARS).text);
const integer = (value: number | null) => (value !== null && Number.isSafeInteger(value) ? value : null);

type Rows = (parsed: CheckedSession) => readonly StructureRow[];

const ROWS_BY_TABLE: Partial<Record<TableName, Rows>> = {
  turns: (parsed) =>
    parsed.turns.map((turn, at) => ({
      ordinal: at,
      id: indexKey(turn.id),
      agent_id: indexKeyOrNull(turn.agentId),
      origin: turn.origin,
      parent_turn_id: indexKeyOrNull(turn.parentTurnId),
      is_branch: turn.isBranch,
      compact_sequence: turn.compactSequence,
      duration_ms: cleanDuration(turn.durationMs),
      duration_source: turn.durationSource,
      cost_nanos: cleanCount(turn.stats.costNanos),
      stats: cleanJson(turn.stats),
    })),
  branch_points: (parsed) =>
    parsed.branches.map((branch, position) => ({
      position,
      uuid: indexKey(branch.uuid),
      message_id: indexKeyOrNull(branch.messageId),
      agent_id: indexKeyOrNull(branch.agentId),
      turn_ids: cleanJson(branch.turnIds),
      current_turn_id: indexKey(branch.currentTurnId),
    })),
  conversation_segments: (parsed) =>
    parsed.segments.map((segment, position) => ({
      position,
      agent_id: indexKeyOrNull(segment.agentId),
      compact_sequence: segment.compactSequence,
      kind: segment.kind,
      compaction_id: indexKeyOrNull(segment.compactionId),
      first_message_id: indexKey(segment.firstMessageId),
      last_message_id: indexKey(segment.lastMessageId),
      stats: cleanJson(segment.stats),
    })),
  compactions: (parsed) =>
    parsed.compactions.map((compaction, position) => ({
      position,
      id: indexKey(compaction.id),
      agent_id: indexKeyOrNull(compaction.agentId),
      kind: compaction.kind,
      compact_sequence: compaction.compactSequence,
      trigger_name: cleanTextOrNull(compaction.trigger),
      pre_tokens: cleanCount(compaction.preTokens),
      post_tokens: cleanCount(compaction.postTokens),
      saved_tokens: cleanCount(compaction.savedTokens),
      dropped_tokens: cleanCount(compaction.droppedTokens),
      duration_ms: cleanDuration(compaction.durationMs),
      summary_message_id: indexKeyOrNull(compaction.summaryMessageId),
      logical_parent_uuid: indexKeyOrNull(compaction.logicalParentUuid),
      preserved_uuids: cleanJson(compaction.preservedUuids),
      cleared_tool_use_ids: cleanJson(compaction.clearedToolUseIds),
      timestamp: cleanTime(compaction.timestamp),
    })),
  tool_calls: (parsed) =>
    parsed.toolCalls.map((call, position) => ({
      position,
      id: indexKey(call.id),
      name: indexKeyOrNull(call.name),
      agent_id: indexKeyOrNull(call.agentId),
      message_id: indexKeyOrNull(call.messageId),
      result_message_id: indexKeyOrNull(call.resultMessageId),
      turn_id: indexKeyOrNull(call.turnId),
      result_count: call.resultCount,
      status: call.status,
      denial: cleanTextOrNull(call.denial),
      exit_code: integer(call.exitCode),
      duration_ms: cleanDuration(call.durationMs),
      duration_source: call.durationSource,
      waiting_ms: cleanDuration(call.waitingMs),
      started_at: cleanTime(call.startedAt),
      ended_at: cleanTime(call.endedAt),
      is_inherited: call.isInherited,
      spawned_agent_id: indexKeyOrNull(call.spawnedAgentId),
      caller: cleanTextOrNull(call.caller),
      persisted_file: cleanTextOrNull(call.persistedOutput?.fileName),
      files: cleanJson(call.files),
      details: cleanJson(call.details),
    })),
  call_sums: ({ toolCalls }) => sumCalls(toolCalls).map((sum, position) => ({ position, ...sum })),
  touched_files: (parsed) =>
    parsed.touchedFiles.map((file, position) => ({
      position,
      path: cleanText(file.path),
      reads: file.reads,
      writes: file.writes,
      lines_added: file.linesAdded,
      lines_removed: file.linesRemoved,
    })),
  subagents: (parsed) =>
    parsed.subagents.map((agent, position) => ({
      position,
      agent_id: indexKey(agent.agentId),
      parent_agent_id: indexKeyOrNull(agent.parentAgentId),
      spawning_tool_use_id: indexKeyOrNull(agent.toolUseId),
      linked_by: agent.linkedBy,
      source: agent.source,
      agent_type: cleanTextOrNull(agent.agentType),
      agent_name: cleanTextOrNull(agent.name),
      team_name: cleanTextOrNull(agent.teamName),
      description: shortText(agent.description),
      model: cleanTextOrNull(agent.model),
      status: cleanTextOrNull(agent.status),
      run_in_background: agent.isBackground,
      spawn_depth: cleanCount(agent.spawnDepth),
      worktree_path: cleanTextOrNull(agent.worktreePath),
      cost_nanos: cleanCount(agent.stats.costNanos),
      reported: cleanJson({
        tokens: agent.reportedTokens,
        tool_uses: agent.reportedToolUses,
        duration_ms: agent.reportedDurationMs,
      }),
      stats: cleanJson(agent.stats),
    })),
  teams: (parsed) =>
    parsed.teams.map((team, position) => ({
      position,
      team_name: cleanText(team.name),
      description: shortText(team.description),
      lead_agent_id: indexKeyOrNull(team.leadAgentId),
      created_at: cleanTime(team.createdAt),
      ended_at: cleanTime(team.endedAt),
    })),
  teammates: (parsed) =>
    parsed.teams
      .flatMap((team) => team.members.map((member) => ({ team, member })))
      .map(({ team, member }, position) => ({
        position,
        team_name: cleanText(team.name),
        id: indexKey(member.id),
        entity_name: cleanText(member.name),
        agent_type: cleanTextOrNull(member.agentType),
        model: cleanTextOrNull(member.model),
        color: cleanTextOrNull(member.color),
        agent_ids: cleanJson(member.agentIds),
        messages_sent: member.messagesSent,
        messages_received: member.messagesReceived,
      })),
  session_links: (parsed) =>
    parsed.links.map((link, position) => ({
      position,
      kind: link.kind,
      other_session_id: indexKey(link.sessionId),
      lines: link.lines,
      uuid: indexKeyOrNull(link.uuid),
    })),
  api_errors: (parsed) =>
    parsed.apiErrors.map((error, position) => ({
      position,
      message_id: indexKey(error.messageId),
      agent_id: indexKeyOrNull(error.agentId),
      timestamp: cleanTime(error.timestamp),
      status: integer(error.status),
      kind: cleanTextOrNull(error.kind),
      text: shortText(error.text),
      retry_attempt: integer(error.retryAttempt),
      max_retries: integer(error.maxRetries),
      retry_in_ms: cleanCount(error.retryInMs),
    })),
  plans: (parsed) =>
    parsed.plans.map((plan, position) => ({
      position,
      status: plan.status,
      tool_use_id: indexKeyOrNull(plan.toolUseId),
      message_id: indexKeyOrNull(plan.messageId),
      file_path: cleanTextOrNull(plan.filePath),
      planning_session_id: indexKeyOrNull(plan.planningSessionId),
      characters: plan.characters,
      text: plan.text === null ? null : cutText(plan.text).text,
    })),
  todos: (parsed) =>
    parsed.todos.map((todo, position) => ({
      position,
      id: indexKey(todo.id),
      agent_id: indexKeyOrNull(todo.agentId),
      text: cutText(todo.text, MAX_TEXT_CHARS).text,
      status: cleanText(todo.status),
      list: todo.list,
      description: shortText(todo.description),
      owner: cleanTextOrNull(todo.owner),
    })),
  skills: (parsed) =>
    parsed.skills.map((skill, position) => ({
      position,
      name: indexKey(skill.name),
      args: shortText(skill.args),
      used_by: skill.by,
      agent_id: indexKeyOrNull(skill.agentId),
      tool_use_id: indexKeyOrNull(skill.toolUseId),
      message_id: indexKeyOrNull(skill.messageId),
      status: skill.status,
      timestamp: cleanTime(skill.timestamp),
    })),
  questions: (parsed) =>
    parsed.questions.map((question, position) => ({
      position,
      tool_use_id: indexKey(question.toolUseId),
      agent_id: indexKeyOrNull(question.agentId),
      message_id: indexKeyOrNull(question.messageId),
      header: shortText(question.header),
      question: cutText(question.question, MAX_TEXT_CHARS).text,
      is_multi_select: question.isMultiSelect,
      options: cleanJson(question.options),
      answer: shortText(question.answer),
      chosen: cleanJson(question.chosen),
      notes: shortText(question.notes),
      status: question.status,
      answered_at: cleanTime(question.answeredAt),
    })),
  worktrees: (parsed) =>
    parsed.worktrees.map((worktree, position) => ({
      position,
      name: cleanTextOrNull(worktree.name),
      path: cleanTextOrNull(worktree.path),
      branch: cleanTextOrNull(worktree.branch),
      original_cwd: cleanTextOrNull(worktree.originalCwd),
      original_branch: cleanTextOrNull(worktree.originalBranch),
      original_commit: cleanTextOrNull(worktree.originalCommit),
      agent_id: indexKeyOrNull(worktree.agentId),
      entered_at: cleanTime(worktree.enteredAt),
      left_at: cleanTime(worktree.leftAt),
      left_by: cleanTextOrNull(worktree.leftBy),
    })),
  pull_requests: (parsed) =>
    parsed.pullRequests.map((link, position) => ({
      position,
      number: integer(link.number),
      url: cleanTextOrNull(link.url),
      repository: cleanTextOrNull(link.repository),
    })),
  leaf_titles: (parsed) =>
    parsed.leafTitles.map(({ leafUuid, title }, position) => ({
      position,
      leaf_uuid: indexKey(leafUuid),
      title: cutText(title.replaceAll(/\s+/g, ' ').trim(), MAX_TITLE_CHARS).text,
    })),
  unknown_shapes: (parsed) =>
    parsed.drift.unknown.map((shape, position) => ({
      position,
      what: shape.what,
      name: indexKey(shape.name),
      cc_version: indexKey(shape.version),
      count: shape.count,
    })),
  format_versions: (parsed) =>
    parsed.drift.versions.map(({ version, records, known }, position) => ({
      position,
      cc_version: indexKey(version),
      records,
      known,
    })),
};

/** Calls of the same tool with the same outcome. Exact ranks need every duration. */
function sumCalls(calls: readonly ToolCall[]) {
  const groups = Map.groupBy(calls, ({ name, status, isInherited }) =>
    JSON.stringify([indexKeyOrNull(name), status, isInherited]),
  );
  return [...groups].map(([key, own]) => {
    const [name, status, isInherited] = JSON.parse(key) as [string | null, string, boolean];
    const durations = own.flatMap(({ durationMs }) => cleanDuration(durationMs) ?? []);
    return { name, status, is_inherited: isInherited, calls: own.length, durations: durations.join() };
  });
}

/** Every table that a revision fills, besides messages and blocks. */
export const STRUCTURE_TABLES = Object.entries(ROWS_BY_TABLE) as readonly (readonly [TableName, Rows])[];

/** Orders the rows of a table within a revision. */
export function positionColumn(table: string): 'ordinal' | 'position' {
  return table === 'transcript_messages' || table === 'turns' ? 'ordinal' : 'position';
}

/** Additional data for the session's own row. */
export function structureMetadata(parsed: ParsedSession): Record<string, unknown> {
  return {
    client_cost: toSnakeCase(parsed.clientCost),
    totals: toSnakeCase(parsed.totals),
    worktrees: toSnakeCase(parsed.worktrees),
    git_operations: toSnakeCase(parsed.gitOperations),
    first_line_at: parsed.facts.startedAt,
    last_line_at: parsed.facts.endedAt,
  };
}
