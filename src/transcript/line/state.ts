import { emitText } from '../assemble/blocks.ts';
import { openMessage } from '../assemble/messages.ts';
import { worktreeOf } from '../assemble/session-tools.ts';
import { placeLine } from '../graph/place-line.ts';
import { NODE_KINDS } from '../graph/uuid-table.ts';
import { noteAnomaly, type ThreadDraft } from '../state.ts';
import { asCount, asObject, asText, isDeeperThan, MAX_JSON_DEPTH } from '../read/json.ts';
import type { LineContext } from './context.ts';
import { addLink } from './descent.ts';

/** A line that only adds its place in the chain; its bytes stay in the archive. */
export function readNotedLine(context: LineContext): void {
  placeLine(context, NODE_KINDS.other);
}

/** A summary line (until 2.1.29): a title for the conversation that ends at `leafUuid`, often in another file. */
export function readSummaryLine(context: LineContext): void {
  const { record, state } = context;
  const placement = placeLine(context, NODE_KINDS.other);
  state.facts.summaryLines += 1;
  if (placement.isCopy) return;
  const text = asText(record['summary']);
  const draft = openMessage(context, placement, { messageType: 'summary', role: 'system', origin: 'system' });
  if (text === null) return;
  emitText(context, draft, text);
  state.facts.summaries.push({ text, leafUuid: asText(record['leafUuid']) });
}

/** Session titles are written repeatedly; the last one wins. */
export function readCustomTitleLine({ state, record }: LineContext): void {
  state.facts.customTitle = asText(record['customTitle']) ?? state.facts.customTitle;
}

export function readAiTitleLine({ state, record }: LineContext): void {
  state.facts.aiTitle = asText(record['aiTitle']) ?? state.facts.aiTitle;
}

export function readAgentNameLine({ state, record }: LineContext): void {
  state.facts.agentName = asText(record['agentName']) ?? state.facts.agentName;
}

/** The last typed prompt (since 2.1.77); written repeatedly. */
export function readLastPromptLine({ state, record, file }: LineContext): void {
  if (file.role === 'main') state.facts.lastPrompt = asText(record['lastPrompt']) ?? state.facts.lastPrompt;
}

export function readPermissionModeLine({ state, record }: LineContext): void {
  const mode = asText(record['permissionMode']);
  if (mode === null || mode === '') return;
  state.facts.permissionModes.add(mode);
  state.envelope.permissionMode = mode;
}

/** A pull request that the session created or works on. */
export function readPrLinkLine({ state, record }: LineContext): void {
  const url = asText(record['prUrl']);
  const number = asCount(record['prNumber']);
  const repository = asText(record['prRepository']);
  state.pullRequests.set(url ?? `${repository ?? ''}#${number ?? ''}`, { number, url, repository });
}

/** The session entered a git worktree, or left it (null). */
export function readWorktreeStateLine({ state, record }: LineContext): void {
  const worktree = asObject(record['worktreeSession']);
  if (worktree === null) return;
  const draft = worktreeOf(state, asText(worktree['worktreePath']));
  draft.name ??= asText(worktree['worktreeName']);
  draft.branch ??= asText(worktree['worktreeBranch']);
  draft.originalCwd ??= asText(worktree['originalCwd']);
  draft.originalBranch ??= asText(worktree['originalBranch']);
  draft.originalCommit ??= asText(worktree['originalHeadCommit']);
}

/** The transcript file moved with the session to another project folder. */
export function readRelocatedLine({ state, record }: LineContext): void {
  const cwd = asText(record['relocatedCwd']);
  if (cwd !== null && cwd !== '') state.facts.cwds.add(cwd);
}

/** First line of an agent that starts with its parent's whole context. */
export function readForkContextRefLine({ state, record, thread }: LineContext): void {
  const uuid = asText(record['parentLastUuid']);
  (state.threads[thread] as ThreadDraft).forkOf = uuid;
  const sessionId = asText(record['parentSessionId']);
  if (sessionId !== null && sessionId !== state.sessionId) addLink(state, { kind: 'forked_context', sessionId, uuid });
}

/** Field names a line may use for the session that continues this one; only the names are known. */
const TARGETS = ['continuedIn', 'continuedInSessionId', 'targetSessionId', 'newSessionId'];

export function readContinuedInLine({ state, record }: LineContext): void {
  for (const key of TARGETS) {
    const sessionId = asText(record[key]);
    if (sessionId !== null && sessionId !== state.sessionId)
      addLink(state, { kind: 'continued', sessionId, uuid: null });
  }
}

/** The client's own totals, cumulative over the session and its resumes, so the last one is used. */
export function readCostStateLine({ state, record, file }: LineContext): void {
  if (file.role !== 'main') return;
  if (isDeeperThan(record, MAX_JSON_DEPTH)) noteAnomaly(state, 'too_deep');
  else state.costs.state = record;
}
