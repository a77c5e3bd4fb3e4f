import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import { asFlag, asNumber, asText, asTimeMs } from '../read/json.ts';
import { type CountProblem, isObject, readSide, readSideJson, type SideInput, type SideResult } from './side-file.ts';

/** `subagents/agent-<id>.meta.json`, since 2.1.80: type of a sub-agent and the call that started it. */
export interface AgentMeta {
  readonly agentType: string | null;
  readonly description: string | null;
  /** The `tool_use` that started it. */
  readonly toolUseId: string | null;
  readonly parentAgentId: string | null;
  readonly spawnDepth: number | null;
  readonly isBuiltIn: boolean | null;
  readonly isFork: boolean | null;
  readonly finished: boolean | null;
  readonly model: string | null;
  readonly name: string | null;
  readonly teamName: string | null;
  readonly taskKind: string | null;
  readonly workflowPhase: string | null;
  readonly worktreePath: string | null;
  readonly worktreeBranch: string | null;
  /** The whole file. */
  readonly raw: JsonObject;
}

export function readAgentMeta(input: SideInput): SideResult<AgentMeta | null> {
  return readSideJson<AgentMeta | null>(input, null, agentMetaOf);
}

/** Like `readAgentMeta`, for a parsed value. */
export function agentMetaOf(value: JsonValue, count: CountProblem = () => {}): AgentMeta | null {
  if (!isObject(value)) {
    count('wrong_shape');
    return null;
  }
  return {
    agentType: asText(value['agentType']),
    description: asText(value['description']),
    toolUseId: asText(value['toolUseId']),
    parentAgentId: asText(value['parentAgentId']),
    spawnDepth: asNumber(value['spawnDepth']),
    isBuiltIn: asFlag(value['isBuiltIn']),
    isFork: asFlag(value['isFork']),
    finished: asFlag(value['finished']),
    model: asText(value['model']),
    name: asText(value['name']),
    teamName: asText(value['teamName']),
    taskKind: asText(value['taskKind']),
    workflowPhase: asText(value['workflowPhase']),
    worktreePath: asText(value['worktreePath']),
    worktreeBranch: asText(value['worktreeBranch']),
    raw: value,
  };
}

/** Reads `<session>/custom-title.json`, written by /rename: an object with the title, or a bare string. */
export function readCustomTitle(input: SideInput): SideResult<string | null> {
  return readSideJson<string | null>(input, null, (value, count) => {
    const title = titleOf(value)?.trim();
    if (title) return title;
    count('wrong_shape');
    return null;
  });
}

function titleOf(value: JsonValue): string | null {
  if (typeof value === 'string') return value;
  return isObject(value) ? (asText(value['customTitle']) ?? asText(value['title'])) : null;
}

/** `sessions/<pid>.json`: a running client. Removed at exit, left behind after a crash. */
export interface LiveSession {
  readonly sessionId: string;
  readonly pid: number | null;
  readonly cwd: string | null;
  readonly startedAtMs: number | null;
  readonly updatedAtMs: number | null;
  readonly version: string | null;
  readonly kind: string | null;
  readonly entrypoint: string | null;
  readonly name: string | null;
  readonly status: string | null;
  readonly raw: JsonObject;
}

export function readLiveSession(input: SideInput): SideResult<LiveSession | null> {
  return readSideJson<LiveSession | null>(input, null, (value, count) => {
    const sessionId = isObject(value) ? asText(value['sessionId']) : null;
    if (sessionId !== null && isObject(value)) return liveSessionOf(sessionId, value);
    count('wrong_shape');
    return null;
  });
}

function liveSessionOf(sessionId: string, value: JsonObject): LiveSession {
  return {
    sessionId,
    pid: asNumber(value['pid']),
    cwd: asText(value['cwd']),
    startedAtMs: asTimeMs(value['startedAt']),
    updatedAtMs: asTimeMs(value['updatedAt']),
    version: asText(value['version']),
    kind: asText(value['kind']),
    entrypoint: asText(value['entrypoint']),
    name: asText(value['name']),
    status: asText(value['status']),
    raw: value,
  };
}

/** `plans/<slug>.md`: a plan written in plan mode. The slug is the session's. */
export interface Plan {
  readonly slug: string;
  /** First heading; null if there is none. */
  readonly title: string | null;
  readonly text: string;
}

const MAX_TITLE_CHARS = 200;
/** A heading after more lines than this is not the title. */
const MAX_LINES_BEFORE_TITLE = 50;

/** `fileName` may be a full path of either system. */
export function readPlan(input: SideInput, fileName: string): SideResult<Plan> {
  const slug = slugOf(fileName);
  return readSide(input, { slug, title: null, text: '' }, (text) => ({ slug, title: firstHeading(text), text }));
}

function slugOf(fileName: string): string {
  const base = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1);
  return base.toLowerCase().endsWith('.md') ? base.slice(0, -'.md'.length) : base;
}

function firstHeading(text: string): string | null {
  let fenced = false;
  for (const line of text.split('\n', MAX_LINES_BEFORE_TITLE)) {
    if (line.trimStart().startsWith('```')) fenced = !fenced;
    const title = fenced ? '' : headingOf(line);
    if (title !== '') return title.slice(0, MAX_TITLE_CHARS);
  }
  return null;
}

function headingOf(line: string): string {
  let level = 0;
  while (line[level] === '#') level += 1;
  return level > 0 && line[level] === ' ' ? line.slice(level).trim() : '';
}
