import type { MessageRow } from '../api/transcript.ts';
import type { ItemKind } from '../domain/outline.ts';
import { PROMPT_ORIGINS, readMachineJson } from '../domain/text-origin.ts';

/** How a message is shown: as one item of a kind, or block by block. */
export type MessageKind = 'prompt' | 'command' | 'notice' | 'compaction' | 'summary' | 'context' | 'blocks';

/** The columns that decide how a message is shown. */
export interface MessageFacts extends Pick<MessageRow, 'subtype' | 'message_type' | 'origin'> {
  readonly is_meta: boolean | number;
}

const KINDS: ReadonlyMap<string, MessageKind> = new Map<string, MessageKind>([
  ['model', 'blocks'],
  ['tool_result', 'blocks'],
  ['synthetic', 'notice'],
  ['interruption', 'notice'],
  ['command', 'command'],
  ['bash_input', 'command'],
  ['compact_summary', 'summary'],
]);

/** The single rule for how a message is shown; `domain/text-origin.ts` determines its origin. */
export function messageKind(message: MessageFacts, readText: () => string): MessageKind {
  const { subtype, message_type, origin, is_meta } = message;
  if (subtype === 'compact_boundary' || subtype === 'microcompact_boundary') return 'compaction';
  if (subtype === 'api_error') return 'notice';
  // Old clients saved titles of conversations as summaries.
  if (message_type === 'summary') return 'context';
  const kind = KINDS.get(origin) ?? (PROMPT_ORIGINS.has(origin) ? 'prompt' : 'context');
  if (kind !== 'prompt') return kind;
  const isMachine = needsText(message) && readMachineJson(readText()) !== null;
  return is_meta || isMachine ? 'context' : 'prompt';
}

/** Whether the kind of a message depends on its text: teammates also send JSON that is not meant for people. */
export function needsText({ origin }: Pick<MessageFacts, 'origin'>): boolean {
  return origin === 'teammate';
}

export type ToolKind = Extract<ItemKind, 'read' | 'write' | 'run' | 'web' | 'agent' | 'task' | 'mcp' | 'other_tool'>;

const TOOLS_OF: Readonly<Record<Exclude<ToolKind, 'other_tool'>, readonly string[]>> = {
  read: ['Read', 'NotebookRead', 'Grep', 'Glob', 'LS', 'LSP'],
  write: ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'],
  run: ['Bash', 'PowerShell', 'BashOutput', 'KillShell', 'KillBash', 'Monitor', 'TaskOutput', 'TaskStop'],
  web: ['WebFetch', 'WebSearch', 'web_fetch', 'web_search'],
  agent: ['Agent', 'Task', 'Batch', 'Workflow', 'SendMessage', 'TeamCreate', 'TeamDelete', 'ListAgents'],
  task: ['TodoWrite', 'TodoRead', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet'],
  mcp: ['ListMcpResourcesTool', 'ReadMcpResourceTool'],
};

/** The color of each kind of tool. */
export const TOOL_COLORS = {
  read: 'read',
  write: 'write',
  run: 'run',
  web: 'web',
  agent: 'agent',
  task: 'system',
  mcp: 'web',
  other_tool: 'system',
} as const satisfies Readonly<Record<ToolKind, string>>;

const TOOL_KINDS: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(TOOLS_OF).flatMap(([kind, names]) => names.map((name) => [name, kind as ToolKind])),
);

/** The kind of a tool; the only list of tools by what they do. */
export function toolKind(name: string | null): ToolKind {
  const kind = TOOL_KINDS.get(name ?? '');
  return kind ?? (name?.startsWith('mcp__') ? 'mcp' : 'other_tool');
}
