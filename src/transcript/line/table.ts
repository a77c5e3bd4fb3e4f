import { MAX_JSON_DEPTH } from '../../domain/json.ts';
import { emitText } from '../assemble/blocks.ts';
import { openMessage } from '../assemble/messages.ts';
import { worktreeOf } from '../assemble/session-tools.ts';
import { placeLine } from '../graph/place-line.ts';
import { NODE_KINDS } from '../graph/uuid-table.ts';
import { asCount, asObject, asText, isDeeperThan, isFilledText } from '../read/json.ts';
import { isLineType, type LineType } from '../schema/line-types.ts';
import { noteAnomaly, type ThreadDraft } from '../state.ts';
import { readAssistantLine, readProgressLine } from './assistant.ts';
import { readAttachmentLine, readQueueOperationLine } from './attachment.ts';
import { addLink, type LineContext, type LineReader } from './context.ts';
import { readSystemLine } from './system.ts';
import { notePermissionMode, readUserLine } from './user.ts';

/** A line that only adds its place in the chain; its bytes stay in the archive. */
export function readNotedLine(context: LineContext): void {
  placeLine(context, NODE_KINDS.other);
}

/** A summary line (until 2.1.29): a title for the conversation that ends at `leafUuid`, often in another file. */
function readSummaryLine(context: LineContext): void {
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

/** Titles and names are written repeatedly; the last one wins. */
function factReader(fact: 'customTitle' | 'aiTitle' | 'agentName' | 'lastPrompt'): LineReader {
  return ({ state: { facts }, record }) => {
    facts[fact] = asText(record[fact]) ?? facts[fact];
  };
}
const readLastPrompt = factReader('lastPrompt');

/** A pull request that the session created or works on. */
function readPullRequestLine({ state, record }: LineContext): void {
  const url = asText(record['prUrl']);
  const number = asCount(record['prNumber']);
  const repository = asText(record['prRepository']);
  state.pullRequests.set(url ?? `${repository ?? ''}#${number ?? ''}`, { number, url, repository });
}

/** The session entered a git worktree, or left it (null). */
function readWorktreeLine({ state, record }: LineContext): void {
  const worktree = asObject(record['worktreeSession']);
  if (worktree === null) return;
  const draft = worktreeOf(state, asText(worktree['worktreePath']));
  draft.name ??= asText(worktree['worktreeName']);
  draft.branch ??= asText(worktree['worktreeBranch']);
  draft.originalCwd ??= asText(worktree['originalCwd']);
  draft.originalBranch ??= asText(worktree['originalBranch']);
  draft.originalCommit ??= asText(worktree['originalHeadCommit']);
}

/** First line of an agent that starts with its parent's whole context. */
function readForkContextLine({ state, record, thread }: LineContext): void {
  const uuid = asText(record['parentLastUuid']);
  (state.threads[thread] as ThreadDraft).forkOf = uuid;
  const sessionId = asText(record['parentSessionId']);
  if (sessionId !== null && sessionId !== state.sessionId) addLink(state, { kind: 'forked_context', sessionId, uuid });
}

/** Field names a line may use for the session that continues this one; only the names are known. */
const TARGETS = ['continuedIn', 'continuedInSessionId', 'targetSessionId', 'newSessionId'];

function readContinuedInLine({ state, record }: LineContext): void {
  for (const key of TARGETS) {
    const sessionId = asText(record[key]);
    if (sessionId !== null && sessionId !== state.sessionId)
      addLink(state, { kind: 'continued', sessionId, uuid: null });
  }
}

/** The client's own totals, cumulative over the session and its resumes, so the last one is used. */
function readCostStateLine({ state, record, file }: LineContext): void {
  if (file.role !== 'main') return;
  if (isDeeperThan(record, MAX_JSON_DEPTH)) noteAnomaly(state, 'too_deep');
  else state.costs.state = record;
}

/** Line types that add something to the session. Other known types only get a place in the chain. */
const READERS: Partial<Record<LineType, LineReader>> = {
  user: readUserLine,
  assistant: readAssistantLine,
  system: readSystemLine,
  attachment: readAttachmentLine,
  progress: readProgressLine,
  'queue-operation': readQueueOperationLine,
  summary: readSummaryLine,
  'ai-title': factReader('aiTitle'),
  'custom-title': factReader('customTitle'),
  'agent-name': factReader('agentName'),
  'last-prompt': (context) => {
    if (context.file.role === 'main') readLastPrompt(context);
  },
  'permission-mode': notePermissionMode,
  'pr-link': readPullRequestLine,
  'cost-state': readCostStateLine,
  'worktree-state': readWorktreeLine,
  // The transcript file moved with the session to another project folder.
  relocated: ({ state, record }) => {
    if (isFilledText(record['relocatedCwd'])) state.facts.cwds.add(record['relocatedCwd']);
  },
  'fork-context-ref': readForkContextLine,
  'continued-in': readContinuedInLine,
};

/** Null for an unknown type. */
export function readerOf(type: unknown): LineReader | null {
  return isLineType(type) ? (READERS[type] ?? readNotedLine) : null;
}
