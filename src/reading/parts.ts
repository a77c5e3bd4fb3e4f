import type { Subagent as SubagentRow } from '../api/agents.ts';
import type { AnswerOf } from '../api/endpoint.ts';
import type {
  BranchPoint as BranchRow,
  Compaction as CompactionRow,
  ToolCall as ToolCallRow,
} from '../api/structure.ts';
import type { Api, Get } from '../api/table.ts';
import { MAX_PAGE_ROWS } from '../domain/requests.ts';
import { UNDERWAY } from '../domain/transcript-structure.ts';
import { formatDuration, formatNanos, plural, shortModel } from './format.ts';

/** The structure of a session apart from its messages. */
export interface PartRows {
  readonly tool_calls: readonly CallFacts[];
  readonly subagents: readonly Subagent[];
  readonly compactions: readonly Compaction[];
  readonly branches: readonly BranchPoint[];
}

export type CallFacts = Pick<ToolCallRow, 'id' | 'status' | 'denial' | 'exit_code' | 'duration_ms'>;
export type Compaction = Pick<CompactionRow, 'id' | 'kind' | 'trigger_name' | 'pre_tokens' | 'post_tokens'>;
export type BranchPoint = Pick<BranchRow, 'turn_ids' | 'current_turn_id'>;
export type Subagent = AgentFacts & Pick<SubagentRow, 'spawning_tool_use_id'>;

/** The displayed facts of a sub-agent or teammate; outlines have them too. */
export type AgentFacts = Pick<SubagentRow, AgentColumn> & { readonly stats: AgentStats };

type AgentColumn =
  | 'agent_id'
  | 'agent_type'
  | 'agent_name'
  | 'team_name'
  | 'description'
  | 'model'
  | 'status'
  | 'cost_nanos';
type AgentStats = Pick<SubagentRow['stats'], 'messages' | 'tool_calls' | 'wall_ms'>;

/** Reads all parts, page by page. */
export async function readParts(get: Get, id: string): Promise<PartRows> {
  const [tool_calls, subagents, compactions, branches] = await Promise.all([
    readAllParts(get, '/sessions/:id/tool-calls', id, factsOf),
    readAllParts(get, '/sessions/:id/subagents', id),
    readAllParts(get, '/sessions/:id/compactions', id),
    readAllParts(get, '/sessions/:id/branches', id),
  ]);
  return { tool_calls, subagents, compactions, branches };
}

/** Omits fields that can be long and are not shown. */
function factsOf({ id, status, denial, exit_code, duration_ms }: ToolCallRow): CallFacts {
  return { id, status, denial, exit_code, duration_ms };
}

/** Paths of lists within a session: each page has its rows under its own key, and `next_after`. */
type PartPath =
  `/sessions/:id/${'branches' | 'compactions' | 'tool-calls' | 'subagents' | 'plans' | 'todos' | 'skills' | 'questions' | 'worktrees' | 'documents'}`;
type PageOf<P extends PartPath> = AnswerOf<Api[`GET ${P}`]>;
type PartRow<P extends PartPath> =
  Exclude<PageOf<P>[keyof PageOf<P>], number | null> extends readonly (infer Row)[] ? Row : never;

/** All rows of such a list, each as `pick` returns it. */
export async function readAllParts<P extends PartPath, T = PartRow<P>>(
  get: Get,
  path: P,
  sessionId: string,
  pick: (row: PartRow<P>) => T = (row) => row as unknown as T,
): Promise<T[]> {
  const all: T[] = [];
  const read = get as (path: P, input: object) => Promise<{ readonly next_after: number | null }>;
  for (let after: number | null = -1; after !== null; ) {
    const query = { after, limit: MAX_PAGE_ROWS };
    const { next_after, ...lists }: { readonly next_after: number | null } = await read(path, {
      params: { id: sessionId },
      query,
    });
    for (const row of Object.values(lists).flat() as PartRow<P>[]) all.push(pick(row));
    after = next_after;
  }
  return all;
}

/** Which of several branches that continue the same message a prompt starts. */
export interface Branch {
  readonly number: number;
  readonly count: number;
  readonly isCurrent: boolean;
}

/** Indexes the parts by the ids that messages use to refer to them. */
export interface SessionParts {
  readonly calls: ReadonlyMap<string, CallFacts>;
  readonly subagents: readonly Subagent[];
  readonly startedBy: ReadonlyMap<string, readonly Subagent[]>;
  readonly compactions: ReadonlyMap<string, Compaction>;
  readonly branches: ReadonlyMap<string, Branch>;
}

export function indexParts({ tool_calls, subagents, compactions, branches }: PartRows): SessionParts {
  return {
    calls: new Map(tool_calls.map((call) => [call.id, call])),
    subagents,
    startedBy: Map.groupBy(subagents, ({ spawning_tool_use_id }) => spawning_tool_use_id ?? ''),
    compactions: new Map(compactions.map((compaction) => [compaction.id, compaction])),
    branches: new Map(branches.flatMap(branchesOf)),
  };
}

export const NO_PARTS: SessionParts = indexParts({
  tool_calls: [],
  subagents: [],
  compactions: [],
  branches: [],
});

function branchesOf({ turn_ids, current_turn_id }: BranchPoint): readonly (readonly [string, Branch])[] {
  return turn_ids.map((turn, at) => {
    return [turn, { number: at + 1, count: turn_ids.length, isCurrent: turn === current_turn_id }] as const;
  });
}

/** `Branch 1 of 2, abandoned`. */
export function branchText({ number, count, isCurrent }: Branch): string {
  return `Branch ${number} of ${count}, ${isCurrent ? 'current' : 'abandoned'}`;
}

/** Statuses of agents that ended as expected, or whose end is unknown. */
const DONE: ReadonlySet<string | null> = new Set([null, 'completed', 'ok']);

/** The name of a sub-agent, its task, its model, its figures, and its state if it did not end as expected. */
export function describeAgent(agent: AgentFacts) {
  const { agent_type, agent_name, team_name, description, stats, cost_nanos, model, status } = agent;
  const isTeammate = team_name !== null && agent_name !== null;
  const names = isTeammate ? [agent_name, agent_type] : [agent_type, agent_name];
  const facts = [
    model === null ? '' : shortModel(model),
    stats.messages > 0 ? plural(stats.messages, 'message') : '',
    stats.tool_calls > 0 ? plural(stats.tool_calls, 'call') : '',
    stats.wall_ms === null ? '' : formatDuration(stats.wall_ms),
    cost_nanos === null ? '' : formatNanos(cost_nanos),
  ];
  return {
    name: [...new Set([isTeammate ? 'Teammate' : 'Sub-agent', ...names])].filter(Boolean).join(' '),
    description: description ?? '',
    facts: facts.filter((fact) => fact !== '').join(' · '),
    state: DONE.has(status) ? '' : UNDERWAY.has(status) ? 'running' : (status ?? '').replaceAll('_', ' '),
  };
}
