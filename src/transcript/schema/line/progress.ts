import { z } from 'zod';
import { chainFields } from '../envelope.ts';
import { anything, fields, named, num, opt, str, variantsBy } from '../kit.ts';
import { nestedLine } from '../message.ts';

function data<const T extends string, S extends z.core.$ZodLooseShape>(type: T, description: string, shape: S) {
  return named(`progress.${type}`, description, fields({ type: z.literal(type), ...shape }));
}

/** Kinds of `progress` lines, by `data.type`. */
export const PROGRESS_SCHEMAS = {
  bash_progress: data('bash_progress', 'Output of a running command.', {
    output: opt(str),
    fullOutput: opt(str),
    elapsedTimeSeconds: opt(num),
    totalLines: opt(num),
    totalBytes: opt(num),
    taskId: opt(str),
    timeoutMs: opt(num),
  }),
  hook_progress: data('hook_progress', 'A hook runs.', {
    hookEvent: opt(str),
    hookName: opt(str),
    command: opt(str),
    promptText: opt(str),
    statusMessage: opt(str),
  }),
  agent_progress: data('agent_progress', 'A message of a sub-agent, with its usage.', {
    agentId: opt(str),
    prompt: opt(str),
    message: opt(nestedLine),
    normalizedMessages: opt(z.array(nestedLine)),
    resume: opt(anything),
  }),
  mcp_progress: data('mcp_progress', 'An MCP tool runs.', {
    serverName: opt(str),
    toolName: opt(str),
    status: opt(str),
    elapsedTimeMs: opt(num),
    progress: opt(num),
    total: opt(num),
    progressMessage: opt(str),
  }),
  waiting_for_task: data('waiting_for_task', 'The client waits for a background task.', {
    taskDescription: opt(str),
    taskType: opt(str),
  }),
  query_update: data('query_update', 'A web search refines its query.', { query: opt(str) }),
  search_results_received: data('search_results_received', 'Web search results came in.', {
    query: opt(str),
    resultCount: opt(num),
  }),
} satisfies Record<string, z.ZodType>;

export const ProgressLineSchema = named(
  'progress',
  'State of a running tool, 2.1.7 to 2.1.81. A link of the uuid chain.',
  fields({
    type: z.literal('progress'),
    ...chainFields,
    toolUseID: opt(str),
    parentToolUseID: opt(str),
    data: variantsBy('type', PROGRESS_SCHEMAS),
  }),
);
