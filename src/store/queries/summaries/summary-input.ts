import type {
  FileTotals,
  FileWork,
  HelperWork,
  NarrativeInput,
  PlanCounts,
  SummaryInput,
  SummaryScope,
  ToolTally,
} from '../../../domain/summary.ts';
import type { FileTouch, ToolStatus } from '../../../domain/transcript-structure.ts';
import type { Tx } from '../../engine.ts';
import { readJson } from '../../text.ts';
import { listTalk, readConversation, readTalk } from './summary-conversation.ts';
import { byThreads, type CallFacts, inThreads, type SummaryFacts, withoutInherited } from './summary-facts.ts';

export const SESSION_SCOPE: SummaryScope = { key: '', agentIds: null, name: null, description: null, status: null };

const MAX_SCOPES = 500;

/** The session, its sub-agents with texts of their own, and its teammates with all their threads. */
export function scopesOf({ agents, mates }: SummaryFacts): readonly SummaryScope[] {
  const withTexts = agents.filter(({ source }) => source !== 'none');
  const scopes = [
    SESSION_SCOPE,
    ...withTexts.slice(0, MAX_SCOPES).map(({ agent_id, agent_name, agent_type, description, status }) => {
      return { key: agent_id, agentIds: [agent_id], name: agent_name ?? agent_type, description, status };
    }),
    ...mates.slice(0, MAX_SCOPES).map(({ id, entity_name, agent_ids }) => {
      const agentIds = readJson<readonly string[]>(agent_ids);
      return { key: id, agentIds, name: entity_name, description: null, status: null };
    }),
  ];
  const byKey = new Map(scopes.filter(({ agentIds }) => agentIds?.length !== 0).map((scope) => [scope.key, scope]));
  return [...byKey.values()];
}

/**
 * `shell` and `highlights` require reading every command and model text, so the caller reduces them while streaming.
 */
type NarrativeRows = Omit<NarrativeInput, 'shell' | 'highlights'>;
type SummaryRows = Omit<SummaryInput, 'shell' | 'highlights'>;

/** The facts about one scope, with the texts of a narrative. They are limited, so the size is bounded; counts are exact. */
export async function readNarrativeRows(db: Tx, facts: SummaryFacts, scope: SummaryScope): Promise<NarrativeRows> {
  const { session } = facts;
  const isWhole = scope.agentIds === null;
  return {
    sessionId: session.id,
    revision: session.revision,
    scope,
    lifecycle: session.lifecycle,
    clientTitle: isWhole ? session.clientTitle : null,
    task: isWhole ? session.task : null,
    cwd: session.cwd,
    model: session.model,
    conversation: await readConversationOrThatOfAgents(db, facts, scope),
    tools: countTools(facts, scope),
    ...(isWhole ? touchedFiles(facts) : filesOfCalls(facts, scope)),
    pullRequests: isWhole ? facts.pullRequests : [],
    helpers: helpersOf(facts, scope),
    teams: isWhole ? teamsOf(facts) : [],
    apiErrors: countApiErrors(facts, scope),
    todos: todosOf(facts, scope),
    plans: isWhole ? countPlans(facts) : { approved: 0, rejected: 0, isWaiting: false },
    decisions: decisionsOf(facts, scope),
  };
}

/** The same with the conversation itself, for a model. */
export async function readSummaryRows(db: Tx, facts: SummaryFacts, scope: SummaryScope): Promise<SummaryRows> {
  const rows = await readNarrativeRows(db, facts, scope);
  const speaking = rows.conversation.isOfAgents ? { ...scope, agentIds: agentIdsOf(facts) } : scope;
  return { ...rows, ...(await readTalk(db, facts, speaking)) };
}

/** Some files contain only sub-agent messages; those are the conversation then. */
async function readConversationOrThatOfAgents(db: Tx, facts: SummaryFacts, scope: SummaryScope) {
  const own = await readConversation(db, facts, scope);
  if (own.prompts > 0 || scope.agentIds !== null || listTalk(facts, scope).length > 0) return own;
  const agentIds = agentIdsOf(facts);
  if (agentIds.length === 0) return own;
  const conversation = await readConversation(db, facts, { ...scope, agentIds });
  return { ...conversation, isOfAgents: true, messages: own.messages };
}

function agentIdsOf(facts: SummaryFacts): readonly string[] {
  return [...new Set(scopesOf(facts).flatMap(({ agentIds }) => agentIds ?? []))];
}

function ownCalls({ calls }: SummaryFacts, scope: SummaryScope): readonly CallFacts[] {
  const isOfScope = byThreads(scope);
  return calls.filter((call) => !call.is_inherited && isOfScope(call));
}

function countTools(facts: SummaryFacts, scope: SummaryScope): readonly ToolTally[] {
  const named = ownCalls(facts, scope).filter(({ name }) => name !== null);
  const byTool = Map.groupBy(named, ({ name, status }) => `${status} ${name}`);
  return [...byTool.values()]
    .map((calls) => ({ name: calls[0]?.name ?? '', status: calls[0]?.status as ToolStatus, count: calls.length }))
    .toSorted((a, b) => b.count - a.count || compare(a.name, b.name) || compare(a.status, b.status));
}

/** The same order on every engine and in every locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type Files = Pick<NarrativeInput, 'files' | 'fileTotals'>;
const MAX_FILES = 2_000;

/** Those with the most changes first. */
function touchedFiles(facts: SummaryFacts): Files {
  const files = facts.files.map(({ path, reads, writes, lines_added: linesAdded, lines_removed: linesRemoved }) => {
    return { path, reads, writes, linesAdded, linesRemoved };
  });
  const changes = ({ linesAdded, linesRemoved }: FileWork) => linesAdded + linesRemoved;
  const most = files.toSorted((a, b) => changes(b) - changes(a) || b.writes - a.writes);
  return { files: most.slice(0, MAX_FILES), fileTotals: totalsOf(files) };
}

function filesOfCalls(facts: SummaryFacts, scope: SummaryScope): Files {
  const done = ownCalls(facts, scope).filter(({ status, files }) => status === 'ok' && files !== '[]');
  const files = new Map<string, FileWork>();
  for (const touch of done.flatMap((call) => readJson<readonly FileTouch[]>(call.files))) {
    const known = files.get(touch.path) ?? { path: touch.path, reads: 0, writes: 0, linesAdded: 0, linesRemoved: 0 };
    const isRead = touch.action === 'read';
    files.set(touch.path, {
      path: touch.path,
      reads: known.reads + (isRead ? 1 : 0),
      writes: known.writes + (isRead ? 0 : 1),
      linesAdded: known.linesAdded + touch.linesAdded,
      linesRemoved: known.linesRemoved + touch.linesRemoved,
    });
  }
  return { files: [...files.values()].slice(0, MAX_FILES), fileTotals: totalsOf([...files.values()]) };
}

function totalsOf(files: readonly FileWork[]): FileTotals {
  const written = files.filter(({ writes }) => writes > 0);
  return {
    written: written.length,
    read: files.filter(({ reads }) => reads > 0).length,
    linesAdded: written.reduce((sum, { linesAdded }) => sum + linesAdded, 0),
    linesRemoved: written.reduce((sum, { linesRemoved }) => sum + linesRemoved, 0),
  };
}

/** Sub-agents that a call in the copied beginning of a fork started worked for the original session. */
function helpersOf({ agents, calls }: SummaryFacts, { agentIds }: SummaryScope): readonly HelperWork[] {
  const inherited = new Set(calls.flatMap(({ id, is_inherited }) => (is_inherited ? [id] : [])));
  return agents
    .filter(({ spawning_tool_use_id: call }) => call === null || !inherited.has(call))
    .filter(({ parent_agent_id: parent }) => agentIds === null || (parent !== null && agentIds.includes(parent)))
    .map(({ agent_id: key, agent_name: name, agent_type: type, description, status }) => {
      return { key, name, type, description, status };
    });
}

function teamsOf({ mates }: SummaryFacts): NarrativeInput['teams'] {
  const byTeam = Map.groupBy(mates, ({ team_name }) => team_name);
  return [...byTeam].map(([name, members]) => ({ name, members: members.map(({ entity_name }) => entity_name) }));
}

function countApiErrors(facts: SummaryFacts, scope: SummaryScope): NarrativeInput['apiErrors'] {
  const errors = withoutInherited(facts, facts.apiErrors.filter(byThreads(scope)));
  const byKind = Map.groupBy(errors, ({ status, kind }) => JSON.stringify([status, kind]));
  return [...byKind.values()]
    .map((same) => ({
      what: [same[0]?.status ?? null, same[0]?.kind ?? null].filter((part) => part !== null).join(' '),
      count: same.length,
    }))
    .toSorted((a, b) => b.count - a.count || compare(a.what, b.what));
}

const TODO_TOOLS: ReadonlySet<string | null> = new Set(['TodoWrite', 'TaskCreate', 'TaskUpdate']);

/**
 * A list does not show who created its entries; one that only copied calls have touched belongs to the original
 * session.
 */
function todosOf({ calls, todos }: SummaryFacts, scope: SummaryScope): NarrativeInput['todos'] {
  const touching = calls.filter(byThreads(scope)).filter(({ name }) => TODO_TOOLS.has(name));
  if (touching.length > 0 && touching.every(({ is_inherited }) => is_inherited)) return [];
  return todos.filter(inThreads(scope)).map(({ text, status }) => ({ text, status }));
}

function countPlans(facts: SummaryFacts): PlanCounts {
  const plans = withoutInherited(facts, facts.plans);
  const counted = (status: string) => plans.filter((plan) => plan.status === status).length;
  const last = plans.at(-1);
  const call = facts.calls.find(({ id }) => id === last?.tool_use_id);
  const isOpen = last?.status === 'proposed' && last.message_id !== null && call?.status !== 'error';
  return {
    approved: counted('approved'),
    rejected: counted('rejected'),
    isWaiting: isOpen && !hasTalkAfter(facts, last.message_id ?? ''),
  };
}

const TALKING: ReadonlySet<string> = new Set(['human', 'queued', 'command', 'model', 'interruption']);

function hasTalkAfter({ messages }: SummaryFacts, messageId: string): boolean {
  const plan = messages.find(({ id }) => id === messageId);
  if (plan === undefined) return false;
  return messages.some(
    ({ agent_id, origin, ordinal }) => agent_id === null && ordinal > plan.ordinal && TALKING.has(origin),
  );
}

/** The user's answers to the model's questions. */
function decisionsOf(facts: SummaryFacts, scope: SummaryScope): NarrativeInput['decisions'] {
  const answered = facts.questions.filter(({ status }) => status === 'answered').filter(byThreads(scope));
  return withoutInherited(facts, answered).flatMap(({ question, answer }) => {
    return answer?.trim() ? [{ question, answer: answer.trim() }] : [];
  });
}
