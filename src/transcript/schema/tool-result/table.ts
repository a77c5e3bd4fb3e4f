import { z } from 'zod';
import { str, variantRules, variantsByShape } from '../kit.ts';
import { type McpContent, McpContentSchema } from '../mcp-content.ts';
import { AGENT_RESULTS } from './agent.ts';
import { FILE_RESULTS } from './file.ts';
import { SEARCH_RESULTS } from './search.ts';
import { SESSION_RESULTS } from './session.ts';
import { SHELL_RESULTS } from './shell.ts';
import { TASK_RESULTS } from './task.ts';

/**
 * Shapes of `toolUseResult`. The line does not name its tool, so a shape is told by fields it always has;
 * the first that fits counts, hence the order: what has more telling fields comes first.
 */
export const TOOL_RESULT_SHAPES = {
  ...SHELL_RESULTS,
  ...FILE_RESULTS,
  ...SEARCH_RESULTS,
  ...AGENT_RESULTS,
  ...TASK_RESULTS,
  ...SESSION_RESULTS,
};

export type ToolResultName = keyof typeof TOOL_RESULT_SHAPES;

/** A result of a shape we know. */
export type KnownResult = z.infer<(typeof TOOL_RESULT_SHAPES)[ToolResultName]['schema']>;

const shapes = variantsByShape(TOOL_RESULT_SHAPES);

/** Which shape a result has; null for text, arrays, and shapes we do not know. */
export function toolResultName(value: unknown): ToolResultName | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return (variantRules.get(shapes)?.select(value as Readonly<Record<string, unknown>>) ??
    null) as ToolResultName | null;
}

/** Text (errors, rejections, some old tools), array (MCP), or one of the shapes; shapes not in the table pass. */
export const ToolUseResultSchema: z.ZodType<string | McpContent[] | KnownResult> = z.union([
  str,
  z.array(McpContentSchema),
  shapes,
]);
