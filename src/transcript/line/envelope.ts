import type { JsonObject } from '../../domain/transcript.ts';
import { earlierTime, laterTime } from '../assemble/timestamp.ts';
import { isUndercounting } from '../assemble/undercount.ts';
import { threadOfAgent } from '../create-state.ts';
import { findRow } from '../graph/uuid-table.ts';
import { asText } from '../read/json.ts';
import type { FileState, SessionState, ThreadDraft } from '../state.ts';

/** The fields that stand on most lines, whatever their type. They rarely change, so the last value is asked first. */
export function readEnvelope(state: SessionState, file: FileState, record: JsonObject): void {
  const { envelope, facts } = state;
  const { version, cwd, gitBranch, slug } = record;
  if (version !== envelope.version && isName(version)) {
    envelope.version = version;
    envelope.isUndercounting = isUndercounting(version);
    facts.versions.add(version);
  }
  if (record['teamName'] !== undefined) readTeam(state, file, record);
  if (file.role !== 'main') {
    facts.agentCwd ??= isName(cwd) ? cwd : null;
    facts.agentBranch ??= isName(gitBranch) ? gitBranch : null;
    return;
  }
  if (cwd !== envelope.cwd && isName(cwd)) {
    envelope.cwd = cwd;
    facts.cwds.add(cwd);
  }
  if (gitBranch !== envelope.gitBranch && isName(gitBranch)) {
    envelope.gitBranch = gitBranch;
    facts.gitBranches.add(gitBranch);
  }
  if (slug !== undefined && slug !== envelope.slug && isName(slug)) {
    envelope.slug = slug;
    facts.slugs.add(slug);
  }
  facts.entrypoint ??= asText(record['entrypoint']);
}

/** The earliest and the latest line of the main files: lines and files come in any order. */
export function noteTime({ facts }: SessionState, file: FileState, timestamp: string | null): void {
  if (file.role !== 'main') return;
  facts.startedAt = earlierTime(facts.startedAt, timestamp);
  facts.endedAt = laterTime(facts.endedAt, timestamp);
}

/** Lines of a team carry its name; in a teammate's own files also the name of the teammate. */
function readTeam(state: SessionState, file: FileState, record: JsonObject): void {
  const thread = state.threads[file.agentId === null ? 0 : (state.threadByAgent.get(file.agentId) ?? 0)] as ThreadDraft;
  thread.teamName ??= asText(record['teamName']);
  thread.agentName ??= asText(record['agentName']);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Which conversation a line belongs to. Old clients wrote sub-agents into the main file, marked as side chains. */
export function threadOf(state: SessionState, file: FileState, record: JsonObject): number {
  if (file.agentId !== null) return state.threadByAgent.get(file.agentId) ?? 0;
  if (record['isSidechain'] !== true) return 0;
  const agentId = asText(record['agentId']);
  if (agentId !== null && agentId !== '') return threadOfAgent(state, agentId, 'inline');
  const parent = asText(record['parentUuid']);
  const row = parent === null ? -1 : findRow(state.uuids, parent);
  const inherited = row < 0 ? 0 : (state.uuids.thread[row] as number);
  if (inherited !== 0) return inherited;
  return threadOfAgent(state, `inline:${asText(record['uuid']) ?? state.recordCount}`, 'inline');
}
