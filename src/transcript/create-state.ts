import { MAX_JSON_DEPTH } from '../domain/json.ts';
import type { JsonObject } from '../domain/transcript.ts';
import type { Lineage } from '../domain/transcript-structure.ts';
import { createUuidTable } from './graph/uuid-table.ts';
import { asObject, isDeeperThan } from './read/json.ts';
import { createLineSplitter } from './read/lines.ts';
import type { Envelope, FactsDraft, FileState, SessionState, SourceHead, ThreadDraft } from './state.ts';

export function createSessionState(
  sessionId: string,
  sources: readonly SourceHead[],
  lineage: Lineage | null = null,
): SessionState {
  const state: SessionState = {
    sessionId,
    files: fileStates(sources),
    anomalies: new Map(),
    skipped: [],
    uuids: createUuidTable(),
    threads: [createThread(null, 'file', null)],
    threadByAgent: new Map(),
    messages: [],
    apiMessages: new Map(),
    echoes: new Map(),
    toolCalls: new Map(),
    notifications: new Map(),
    teams: new Map(),
    teamTalk: { from: new Map(), sent: new Map(), to: new Map() },
    todos: new Map(),
    skills: [],
    questions: [],
    links: new Map(),
    apiErrors: [],
    plans: [],
    pullRequests: new Map(),
    worktrees: new Map(),
    queue: { operations: [], waiting: [], absorbed: [], seenPrompts: new Set() },
    facts: createFacts(),
    costs: { state: null, lineCostNanos: null },
    envelope: createEnvelope(),
    blockRows: new Map(),
    descent: {
      lineage,
      isPastInherited: lineage?.inheritedThrough === null,
      lastInheritedApiId: null,
      isBegun: false,
      leadMs: null,
      clearedAt: null,
      leftAt: null,
      isAnswered: false,
      requesters: new Set(),
      processIds: new Set(),
    },
    lastPlaced: { uuid: null, row: -1 },
    recordCount: 0,
  };
  for (const [index, file] of state.files.entries()) {
    if (file.agentId === null) continue;
    addThread(state, createThread(file.agentId, 'file', metaOf(sources[index])));
  }
  return state;
}

/** The thread of a sub-agent, created if it is new. */
export function threadOfAgent(state: SessionState, agentId: string, source: 'inline' | 'progress'): number {
  return state.threadByAgent.get(agentId) ?? addThread(state, createThread(agentId, source, null));
}

/** Values that are nested too deeply could not be stored with the state. */
function metaOf(source: SourceHead | undefined): JsonObject | null {
  return isDeeperThan(source?.meta, MAX_JSON_DEPTH) ? null : asObject(source?.meta);
}

function addThread(state: SessionState, thread: ThreadDraft): number {
  const index = state.threads.length;
  if (thread.agentId !== null) {
    const known = state.threadByAgent.get(thread.agentId);
    if (known !== undefined) return known;
    state.threadByAgent.set(thread.agentId, index);
  }
  state.threads.push(thread);
  return index;
}

export function createThread(
  agentId: string | null,
  source: ThreadDraft['source'],
  meta: ThreadDraft['meta'],
): ThreadDraft {
  return {
    agentId,
    source,
    meta,
    promptKey: null,
    toolUseId: null,
    teamName: null,
    agentName: null,
    forkOf: null,
  };
}

function fileStates(sources: readonly SourceHead[]): readonly FileState[] {
  const taken = new Map<string, number>();
  return sources.map((source, index) => {
    const agentId = source.role === 'agent' ? (source.agentId ?? source.name) : null;
    const base = agentId ?? 'main';
    const copies = taken.get(base) ?? 0;
    taken.set(base, copies + 1);
    return {
      index,
      role: source.role,
      agentId,
      name: source.name,
      key: copies === 0 ? base : `${base}.${copies}`,
      splitter: createLineSplitter(),
      account: { total: 0, records: 0, salvaged: 0, skipped: 0 },
    };
  });
}

function createEnvelope(): Envelope {
  return {
    sessionId: null,
    version: '',
    cwd: null,
    gitBranch: null,
    slug: null,
    permissionMode: null,
    command: null,
    isUndercounting: false,
  };
}

function createFacts(): FactsDraft {
  return {
    startedAt: null,
    endedAt: null,
    customTitle: null,
    aiTitle: null,
    agentName: null,
    lastPrompt: null,
    summaries: [],
    summaryLines: 0,
    initialPrompt: null,
    firstTask: null,
    models: new Set(),
    cwds: new Set(),
    agentCwds: new Set(),
    agentBranches: new Set(),
    gitBranches: new Set(),
    versions: new Set(),
    slugs: new Set(),
    entrypoint: null,
    permissionModes: new Set(),
    foreignSessionIds: new Set(),
  };
}
